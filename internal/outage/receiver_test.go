package outage

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// message is what a receiver, or the store of dead letters, got.
type message struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Subject  string          `json:"subject"`
	Version  string          `json:"resourceversion"`
	UID      string          `json:"uid"`
	Rule     string          `json:"rule"`
	Missed   int             `json:"missed"`
	Data     json.RawMessage `json:"data"`
	at       time.Time
	isLetter bool
}

func (m *message) version() int {
	n, err := strconv.Atoi(m.Version)
	if err != nil {
		return -1
	}
	return n
}

// ledger is everything of one output, in its order. Nothing is ever removed from it.
type ledger struct {
	mu     sync.Mutex
	all    []message
	broken []string // what cannot be read
	asked  []time.Time
	begun  []time.Time // requests
}

// take adds what a request, or a letter, has.
func (l *ledger) take(text []byte, isLetter bool) {
	now := time.Now()
	var some []message
	var err error
	if strings.HasPrefix(string(text), "[") {
		err = json.Unmarshal(text, &some)
	} else {
		some = make([]message, 1)
		err = json.Unmarshal(text, &some[0])
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.broken = append(l.broken, err.Error())
		return
	}
	for _, m := range some {
		m.at, m.isLetter = now, isLetter
		l.all = append(l.all, m)
	}
}

// receiver is an HTTP server, and a proxy before it that spoils connections while there is a
// fault. Each request has a connection of its own.
type receiver struct {
	ledger
	kind    fault
	on      atomic.Bool
	address string
	url     string
	plain   *httptest.Server
	wrong   *httptest.Server // the same with the wrong certificate; nil if that is not the fault
	mu      sync.Mutex
	open    net.Listener // nil while connections are refused
	live    map[net.Conn]bool
	closed  bool
	group   sync.WaitGroup
	slowly  bool // whether the request or the answer is slow, and which status it answers
}

func receive(t *testing.T, kind fault, certs certificates, slowly bool) *receiver {
	r := &receiver{kind: kind, live: map[net.Conn]bool{}, slowly: slowly}
	r.plain = r.serve(nil)
	r.url = "http://"
	if pair, is := certs.bad[kind]; is {
		r.plain.Close()
		r.plain, r.wrong, r.url = r.serve(&certs.good), r.serve(&pair), "https://"
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.address = l.Addr().String()
	r.url += r.address + "/in"
	r.accept(l)
	t.Cleanup(r.close)
	return r
}

// serve starts a server, with a certificate if there is one.
func (r *receiver) serve(pair *tls.Certificate) *httptest.Server {
	s := httptest.NewUnstartedServer(r)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.SetKeepAlivesEnabled(false)
	if pair == nil {
		s.Start()
		return s
	}
	s.TLS = &tls.Config{Certificates: []tls.Certificate{*pair}}
	s.StartTLS()
	return s
}

// ServeHTTP answers with the fault's status, or takes what is posted.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	begun := time.Now()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	r.ledger.mu.Lock()
	r.begun = append(r.begun, begun)
	r.ledger.mu.Unlock()
	if status := r.status(); status != 0 && r.on.Load() {
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "1")
			r.ledger.mu.Lock()
			r.asked = append(r.asked, time.Now())
			r.ledger.mu.Unlock()
		}
		w.WriteHeader(status)
		return
	}
	r.take(body, false)
}

func (r *receiver) status() int {
	switch r.kind {
	case serverErrors:
		if r.slowly {
			return http.StatusServiceUnavailable
		}
		return http.StatusInternalServerError
	case tooMany:
		return http.StatusTooManyRequests
	case gone:
		return http.StatusGone
	}
	return 0
}

// fail begins or ends the fault.
func (r *receiver) fail(t *testing.T, on bool) {
	r.on.Store(on)
	if r.kind != refused {
		return
	}
	if on {
		r.mu.Lock()
		defer r.mu.Unlock()
		_ = r.open.Close()
		r.open = nil
		return
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		l, err := net.Listen("tcp", r.address)
		if err == nil {
			r.accept(l)
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond) // another process may have had the port
	}
}

func (r *receiver) accept(l net.Listener) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.open = l
	r.group.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if !r.keep(conn) {
				return
			}
			r.group.Go(func() {
				defer r.drop(conn)
				r.pass(conn.(*net.TCPConn))
			})
		}
	})
}

// keep remembers a connection, to be closed in the end.
func (r *receiver) keep(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		_ = conn.Close()
		return false
	}
	r.live[conn] = true
	return true
}

func (r *receiver) drop(conn net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, conn)
	_ = conn.Close()
}

// pass passes one connection on to the server, or has the fault.
func (r *receiver) pass(conn *net.TCPConn) {
	to, bad := r.plain, r.on.Load()
	if bad && r.wrong != nil {
		to = r.wrong
	}
	if bad && r.kind == blackHole {
		_, _ = io.Copy(io.Discard, conn)
		return
	}
	if bad && r.kind == resetBefore {
		_, _ = io.ReadFull(conn, make([]byte, 16))
		_ = conn.SetLinger(0)
		return
	}
	server, err := net.Dial("tcp", to.Listener.Addr().String())
	if err != nil || !r.keep(server) {
		return
	}
	defer r.drop(server)
	hungUp := make(chan struct{})
	r.group.Go(func() {
		defer close(hungUp)
		if bad && r.kind == slow && r.slowly {
			slowCopy(server, conn)
		} else {
			_, _ = io.Copy(server, conn)
		}
		_ = server.(*net.TCPConn).CloseWrite()
	})
	switch {
	case bad && r.kind == resetAfter:
		_, _ = io.ReadFull(server, make([]byte, 1))
		_ = conn.SetLinger(0)
	case bad && r.kind == halfOpen:
		_, _ = io.CopyN(conn, server, 30)
		_, _ = io.Copy(io.Discard, server)
		<-hungUp
	case bad && r.kind == slow:
		slowCopy(conn, server)
	default:
		_, _ = io.Copy(conn, server)
	}
}

// slowCopy copies a byte each second, until either end is closed.
func slowCopy(to, from net.Conn) {
	b := make([]byte, 1)
	for {
		if _, err := from.Read(b); err != nil {
			return
		}
		if _, err := to.Write(b); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// close ends everything, and waits for it.
func (r *receiver) close() {
	r.mu.Lock()
	r.closed = true
	if r.open != nil {
		_ = r.open.Close()
	}
	for conn := range r.live {
		_ = conn.Close()
	}
	r.mu.Unlock()
	r.group.Wait()
	r.plain.Close()
	if r.wrong != nil {
		r.wrong.Close()
	}
}
