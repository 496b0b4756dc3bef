package httpsink

import (
	"net/http"

	"github.com/informerd/informerd/internal/sink"
)

// signature is a header that is made of a secret.
const signature = "Webhook-Signature"

// show shows a request in place of sending it. The answer is that of a receiver that takes it.
func (c *Client) show(p prepared, r Request) (Answer, error) {
	headers := map[string]string{}
	for name := range c.config.Headers {
		headers[http.CanonicalHeaderKey(name)] = sink.Hidden
	}
	for name := range r.Header {
		headers[name] = r.Header.Get(name)
	}
	if headers[signature] != "" {
		headers[signature] = sink.Hidden
	}
	return Answer{Status: http.StatusOK}, c.config.Show(sink.Unsent{Do: http.MethodPost,
		To: sink.ShownURL(p.url), Headers: headers, Body: r.Body})
}
