package secret

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"time"
)

// handshakeTimeout is for servers that accept a connection and say nothing. Clients of HTTP let a
// handshake go on when the request it was for has ended.
const handshakeTimeout = 10 * time.Second

// DialFunc connects to an address.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Dialer returns a function that connects with dial and makes a TLS connection of it, with the
// files as they are then. Protocols are those of ALPN, such as h2. The connections are *tls.Conn.
func (s *TLS) Dialer(dial DialFunc, protocols ...string) DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		raw, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		config := s.Config().Clone()
		config.NextProtos = protocols
		if config.ServerName == "" {
			if config.ServerName, _, err = net.SplitHostPort(address); err != nil {
				config.ServerName = address
			}
		}
		ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
		defer cancel()
		conn := tls.Client(raw, config)
		if err := conn.HandshakeContext(ctx); err != nil {
			_ = raw.Close() // it is given up
			return nil, s.explain(err)
		}
		return conn, nil
	}
}

// explain adds to an error what is wrong with the files.
func (s *TLS) explain(err error) error {
	err = fmt.Errorf("TLS handshake: %w", err)
	if problem := s.Problem(); problem != nil {
		return fmt.Errorf("%w (with the earlier files, since %w)", err, problem)
	}
	return err
}
