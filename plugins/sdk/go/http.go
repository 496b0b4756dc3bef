package informerd

import (
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Request is what HTTP asks for.
type Request struct {
	Method string            `json:"method,omitempty"` // GET if it is empty
	URL    string            `json:"url"`
	Header map[string]string `json:"headers,omitempty"`
	Body   []byte            `json:"-"`
}

// Response is the answer to a request. The host keeps one, so it can be read until the next request
// or the end of OnEvent.
type Response struct {
	Status int    // such as 200
	number uint32 // of the request
}

// requests counts, so that no answer is taken for that of another request.
var requests uint32

// HTTP makes a request and waits for the answer, which may have any status. A guest that calls it
// needs the grant "http", whose URLs and methods are the only ones: anything else is ErrDenied.
// ErrUnavailable says that there was no answer in time, ErrQuota that the body or the answer is too
// large or that there were too many requests for this event, ErrBadArgument that this is no
// request. Only OnEvent may call it. The deadline of the event goes on meanwhile, and the host
// gives up before it, so that there is time left to give a verdict.
func HTTP(r Request) (*Response, error) {
	head, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("http: %w", err)
	}
	requests++
	status := host.HTTPRequest(head, r.Body)
	// The URL may have a secret in it, and errors get into logs.
	if err := failed("http", "", status); err != nil {
		return nil, err
	}
	return &Response{int(status), requests}, nil
}

// Header gives a header of the answer, "" if there is none. The name may be in any case; several
// values are joined by a comma and a space.
func (r *Response) Header(name string) string {
	if r.number != requests {
		return ""
	}
	text, _ := readAll(func(buf []byte) int32 { return host.HTTPHeader(name, buf) })
	return string(text)
}

// Body gives the body of the answer, ErrNotFound if the host does not have it any more.
func (r *Response) Body() ([]byte, error) {
	if r.number != requests {
		return nil, ErrNotFound
	}
	body := []byte{}
	for {
		n := host.HTTPBody(uint32(len(body)), buffer)
		if n < 0 {
			return nil, failed("http body", "", n)
		}
		body = append(body, buffer[:n]...)
		if int(n) < len(buffer) {
			return body, nil
		}
	}
}
