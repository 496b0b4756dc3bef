package httpsink

import (
	"net/http"

	"github.com/informerd/informerd/internal/sink/dryrun"
)

// signature is a header that is made of a secret.
const signature = "Webhook-Signature"

// show shows a request in place of sending it. The answer is that of a receiver that takes it.
func (c *Client) show(p prepared, r Request) (Answer, error) {
	headers := map[string]string{}
	for name := range c.config.Headers {
		headers[http.CanonicalHeaderKey(name)] = dryrun.Hidden
	}
	for name := range r.Header {
		headers[name] = r.Header.Get(name)
	}
	if headers[signature] != "" {
		headers[signature] = dryrun.Hidden
	}
	err := c.config.Show(dryrun.Write{Do: http.MethodPost, To: dryrun.Host(p.url),
		Headers: headers, Body: r.Body})
	return Answer{Status: http.StatusOK}, err
}
