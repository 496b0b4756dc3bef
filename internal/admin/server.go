package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

const (
	maxConnections = 32
	maxHeader      = 16 << 10
	maxSelection   = 16 << 20 // bytes of a request's JSON
	maxModule      = 256 << 20

	headerTimeout = 10 * time.Second
	idleTimeout   = 30 * time.Second
	stopGrace     = time.Second / 2 // for what a request still writes
)

// server is a socket with what it serves.
type server struct {
	Functions
	letters Local
	serving context.Context // of Serve

	reloading, replaying sync.Mutex
}

// Serve answers commands until ctx is done. The error is nil then.
func (s *Socket) Serve(ctx context.Context, f Functions, log *slog.Logger) error {
	serving, stop := context.WithCancel(ctx)
	defer stop()
	h := &server{Functions: f, letters: Local{f.Letters, f.Filter}, serving: serving}
	running, mux := make(chan struct{}, maxConnections), h.routes()
	web := &http.Server{
		MaxHeaderBytes: maxHeader, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout,
		DisableGeneralOptionsHandler: true,
		BaseContext:                  func(net.Listener) context.Context { return serving },
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelError),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case running <- struct{}{}:
				defer func() { <-running }()
				mux.ServeHTTP(w, r)
			case <-serving.Done():
			}
		}),
	}
	ended := make(chan error, 1)
	go func() {
		ended <- web.Serve(netutil.LimitListener(&checked{s.listener, log}, maxConnections))
	}()
	var err error
	select {
	case err = <-ended:
		err = fmt.Errorf("the socket for commands has failed: %w", err)
		stop()
	case <-ctx.Done():
		stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
		defer cancel()
		_ = web.Shutdown(stopping)
		<-ended
	}
	_ = web.Close() // of requests that took too long
	for range cap(running) {
		running <- struct{}{}
	}
	return err
}

// checked is a listener that refuses other users.
type checked struct {
	*net.UnixListener
	log *slog.Logger
}

func (l *checked) Accept() (net.Conn, error) {
	for {
		c, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if err = checkPeer(c); err == nil {
			return c, nil
		}
		l.log.Warn("a connection to the socket for commands was refused", "error", err)
		_ = c.Close()
	}
}

// checkUser returns an error unless a user may use the socket of a daemon that runs as another one.
func checkUser(user, daemon int) error {
	if user != daemon && user != 0 {
		return fmt.Errorf("user %d may not send commands to the informerd of user %d", user, daemon)
	}
	return nil
}

var errNotAvailable = errors.New("this informerd cannot do that")
