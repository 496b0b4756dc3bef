package apiserver

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Endpoints are the addresses of a listening server, as kubeconfig files.
type Endpoints struct {
	Plain string `json:"plain"` // HTTP/1.1 without TLS
	TLS   string `json:"tls"`   // HTTP/2 over TLS
	URL   string `json:"url"`   // of the plain one
}

// Listener is a server that listens on 127.0.0.1.
type Listener struct {
	Endpoints
	server *Server
	http   []*http.Server
	wg     sync.WaitGroup
}

// Listen serves on two free ports and writes a kubeconfig for each into dir.
func Listen(s *Server, dir string) (*Listener, error) {
	pair, err := newKeyPair(time.Now())
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate: %w", err)
	}
	l := &Listener{server: s, Endpoints: Endpoints{Plain: filepath.Join(dir, "kubeconfig-h1"),
		TLS: filepath.Join(dir, "kubeconfig-h2")}}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("cannot listen: %w", err)
	}
	secure, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot listen: %w", err), plain.Close())
	}
	l.URL = "http://" + plain.Addr().String()
	err = errors.Join(
		os.WriteFile(l.Plain, kubeconfig(l.URL, nil), 0o600),
		os.WriteFile(l.TLS, kubeconfig("https://"+secure.Addr().String(), pair.authority), 0o600))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot write the kubeconfigs: %w", err), plain.Close(),
			secure.Close())
	}
	overPlain := &http.Server{Handler: s}
	overTLS := &http.Server{Handler: s,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair.certificate}}}
	l.http = []*http.Server{overPlain, overTLS}
	l.wg.Go(func() { _ = overPlain.Serve(plain) })
	l.wg.Go(func() { _ = overTLS.ServeTLS(secure, "", "") })
	return l, nil
}

// Close ends all connections and waits for the server's goroutines.
func (l *Listener) Close() error {
	l.server.Close()
	var errs []error
	for _, s := range l.http {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		if err := s.Shutdown(ctx); err != nil {
			errs = append(errs, s.Close())
		}
		cancel()
	}
	l.wg.Wait()
	return errors.Join(errs...)
}
