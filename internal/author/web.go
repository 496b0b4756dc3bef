package author

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// web replaces the network: it returns only prepared answers, and records the requests.
type web struct {
	mu      sync.Mutex // guards what follows
	answers []*answer
	asked   []Request
}

// answer is the prepared answer to one request.
type answer struct {
	method, url string
	headers     map[string]string // that the request must have
	body        []byte            // nil: any

	unavailable bool
	status      int
	answers     map[string]string
	text        []byte

	line int // in the case
	used bool
}

// Request is a request that a module made.
type Request struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Body   string `json:"body,omitempty"`
	// Answer is what came of it: a status such as 200, unavailable, or unexpected.
	Answer string `json:"answer"`
}

const (
	unavailable = "unavailable"
	unexpected  = "unexpected"
)

// maxAsked is how much of a request's body is recorded.
const maxAsked = 16 << 20

// RoundTrip answers a request.
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(io.LimitReader(r.Body, maxAsked)); err != nil {
			return nil, err
		}
		_ = r.Body.Close() // it was read
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := Request{Method: r.Method, URL: r.URL.String(), Body: string(body), Answer: unavailable}
	defer func() { w.asked = append(w.asked, asked) }()
	if w.answers == nil {
		return nil, errors.New("requests are not made here")
	}
	at := slices.IndexFunc(w.answers, func(a *answer) bool { return !a.used && a.fits(r, body) })
	if at < 0 {
		asked.Answer = unexpected
		return nil, errors.New("no answer is prepared for it")
	}
	a := w.answers[at]
	a.used = true
	if a.unavailable {
		return nil, errors.New("the server is not there")
	}
	asked.Answer = fmt.Sprint(a.status)
	recorded := httptest.NewRecorder()
	for name, value := range a.answers {
		recorded.Header().Set(name, value)
	}
	recorded.WriteHeader(a.status)
	recorded.Body = bytes.NewBuffer(a.text)
	response := recorded.Result()
	response.Request = r
	return response, nil
}

func (a *answer) fits(r *http.Request, body []byte) bool {
	if a.method != r.Method || a.url != r.URL.String() || a.body != nil && !sameText(a.body, body) {
		return false
	}
	for name, value := range a.headers {
		if strings.Join(r.Header.Values(name), ", ") != value {
			return false
		}
	}
	return true
}

// take returns the requests since the last call.
func (w *web) take() []Request {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.asked
	w.asked = nil
	return asked
}

// unused returns the answers of requests that were not made.
func (w *web) unused() (unused []*answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.answers {
		if !a.used {
			unused = append(unused, a)
		}
	}
	return unused
}
