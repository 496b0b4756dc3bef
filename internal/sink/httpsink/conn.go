package httpsink

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"syscall"

	"github.com/informerd/informerd/internal/secret"
)

// conn is a connection whose Write does not fail when the connection has ended. Who refuses a large
// body may answer 413 and end the connection while the body is still being sent. A transport whose
// write fails may not read that answer; here it does, and when there is none, reading fails.
type conn struct{ net.Conn }

func (c conn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, net.ErrClosed) {
		return len(p), nil
	}
	return n, err
}

// heard returns a function that makes such connections. Those of HTTP/2 stay as they are: it says
// that a body is not wanted without an end of the connection.
func heard(dial secret.DialFunc) secret.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		if t, ok := c.(*tls.Conn); ok && t.ConnectionState().NegotiatedProtocol == "h2" {
			return c, nil
		}
		return conn{c}, nil
	}
}
