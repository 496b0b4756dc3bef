package informerd

import (
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Request is an HTTP request to send with HTTP.
type Request struct {
	Method string            `json:"method,omitempty"` // GET if it is empty
	URL    string            `json:"url"`
	Header map[string]string `json:"headers,omitempty"`
	Body   []byte            `json:"-"`
}

// Response is the response to a request. The host keeps only the last one, so read it before the
// next request and before OnEvent returns.
type Response struct {
	Status int    // such as 200
	number uint32 // of the request
}

// requests numbers the requests, so that a Response never reads that of another request.
var requests uint32

// HTTP sends a request and waits for the response, whatever its status. A guest that calls it needs
// the grant "http"; a URL or method that the grant does not list is ErrDenied. ErrUnavailable means
// that no response came in time; ErrQuota that the body or the response is too large, or that this
// event made too many requests; ErrBadArgument that the request is malformed. Only OnEvent may call
// it. The event's deadline keeps running, and the host gives up before it, so that there is time
// left to return a verdict.
func HTTP(r Request) (*Response, error) {
	head, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	requests++
	status := host.HTTPRequest(head, r.Body)
	// The URL may contain a secret, and errors are logged.
	if err := checkStatus("http", "", status); err != nil {
		return nil, err
	}
	return &Response{int(status), requests}, nil
}

// Header returns a header of the response, "" if it is missing. The name's case does not matter;
// several values are joined by a comma and a space.
func (r *Response) Header(name string) string {
	if r.number != requests {
		return ""
	}
	text, _ := readAll(func(buf []byte) int32 { return host.HTTPHeader(name, buf) })
	return string(text)
}

// Body returns the body of the response, or ErrNotFound if the host no longer has it.
func (r *Response) Body() ([]byte, error) {
	if r.number != requests {
		return nil, ErrNotFound
	}
	body := []byte{}
	for {
		n := host.HTTPBody(uint32(len(body)), buffer)
		if n < 0 {
			return nil, checkStatus("http body", "", n)
		}
		body = append(body, buffer[:n]...)
		if int(n) < len(buffer) {
			return body, nil
		}
	}
}
