package replicas

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// message is what a receiver got.
type message struct {
	listener string
	replica  int
	at       time.Time

	ID      string
	Type    string
	Op      string
	Subject string
	UID     string
	Version string `json:"resourceversion"`
	Unknown bool   `json:"finalstateunknown"`
}

func (m *message) name() string { return m.Subject[strings.LastIndexByte(m.Subject, '/')+1:] }

// namespace returns the one of the object, which its subject has in the middle.
func (m *message) namespace() string {
	_, rest, _ := strings.Cut(m.Subject, "/")
	namespace, _, _ := strings.Cut(rest, "/")
	return namespace
}

func (m *message) version() uint64 {
	n, _ := strconv.ParseUint(m.Version, 10, 64)
	return n
}

// gone reports whether the message is about an object that there is no more.
func (m *message) gone() bool { return m.Op == "delete" }

// receiver is where all replicas deliver.
type receiver struct {
	delay    time.Duration // of each answer
	gate     sync.RWMutex  // while it is locked, none comes
	server   *http.Server
	listener net.Listener

	mu    sync.Mutex
	got   []*message
	news  chan struct{} // closed at the next message
	wrong []string
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{listener: listener, news: make(chan struct{})}
	r.server = &http.Server{Handler: r}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = r.server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = r.server.Close()
		<-done
	})
	return r
}

func (r *receiver) url() string { return "http://" + r.listener.Addr().String() }

// ServeHTTP takes messages, one or a batch.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // the sender has gone, and does not know that it was taken
	}
	if len(body) > 0 && body[0] != '[' {
		body = append(append([]byte{'['}, body...), ']')
	}
	var all []*message
	err = json.Unmarshal(body, &all)
	_, path, _ := strings.Cut(q.URL.Path, "/")
	listener, number, _ := strings.Cut(path, "/")
	replica, numberErr := strconv.Atoi(number)
	r.gate.RLock()
	<-time.After(r.delay)
	r.gate.RUnlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil || numberErr != nil {
		r.wrong = append(r.wrong, q.URL.Path+": "+string(body))
		return
	}
	for _, m := range all {
		m.listener, m.replica, m.at = listener, replica, at
	}
	r.got = append(r.got, all...)
	close(r.news)
	r.news = make(chan struct{})
}

// all returns what there is so far.
func (r *receiver) all() []*message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[:len(r.got):len(r.got)]
}

// last returns which replica has delivered last and when, false if none has.
func (r *receiver) last() (replica int, at time.Time, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.got) == 0 {
		return 0, time.Time{}, false
	}
	m := r.got[len(r.got)-1]
	return m.replica, m.at, true
}

// since returns the last message about each unit that came after a time.
func (r *receiver) since(at time.Time, unit func(*message) string) map[string]*message {
	last, all := map[string]*message{}, r.all()
	for i := len(all) - 1; i >= 0 && all[i].at.After(at); i-- {
		if of := unit(all[i]); last[of] == nil {
			last[of] = all[i]
		}
	}
	return last
}

// until waits until something is so, and looks at it after each message.
func (r *receiver) until(limit time.Duration, is func() bool) bool {
	timeout := time.After(limit)
	for {
		r.mu.Lock()
		news := r.news
		r.mu.Unlock()
		if is() {
			return true
		}
		select {
		case <-news:
		case <-time.After(100 * time.Millisecond):
		case <-timeout:
			return is()
		}
	}
}
