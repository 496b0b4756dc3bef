package reloads

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// message is what a receiver got, in the order in which it came.
type message struct {
	Source, Type, Subject, Op, UID string
	ResourceVersion                string
	OldResourceVersion             string
	Rule                           string
	Missed                         int
	Data                           struct {
		V int // the version of the configuration
		M int // that of the handler's module
		N int // what the object is
	}
	output string
}

func (m message) version() int  { v, _ := strconv.Atoi(m.ResourceVersion); return v }
func (m message) from() int     { v, _ := strconv.Atoi(m.OldResourceVersion); return v }
func (m message) told() string  { return m.Type[strings.LastIndex(m.Type, ".")+1:] }
func (m message) key() string   { return strings.TrimPrefix(m.Subject, "pods/") }
func (m message) heard() string { return m.Source[strings.LastIndex(m.Source, "/")+1:] }

func (m message) String() string {
	return fmt.Sprintf("{%s %s %s from %q, rule %q, v %d, m %d, n %d, missed %d, to %s}",
		m.told(), m.key(), m.ResourceVersion, m.OldResourceVersion, m.Rule, m.Data.V, m.Data.M,
		m.Data.N, m.Missed, m.output)
}

// receivers are webhooks, one for each path. They have what came in its order.
type receivers struct {
	url  string
	hold sync.RWMutex // held for writing: nothing is taken of outputs that change

	mu     sync.Mutex
	got    []message
	latest map[string]int // version, by output
}

func newReceivers(t *testing.T) *receivers {
	r := &receivers{latest: map[string]int{}}
	h := httptest.NewServer(r)
	t.Cleanup(h.Close)
	r.url = h.URL
	return r
}

func (r *receivers) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	text, err := io.ReadAll(q.Body)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	output := strings.Split(strings.TrimPrefix(q.URL.Path, "/"), "/")[0]
	if !strings.HasPrefix(output, "still") {
		r.hold.RLock()
		defer r.hold.RUnlock()
	}
	var all []message
	if !bytes.HasPrefix(text, []byte("[")) {
		text = []byte("[" + string(text) + "]")
	}
	if err := json.Unmarshal(text, &all); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range all {
		m.output = output
		r.got = append(r.got, m)
		r.latest[output] = max(r.latest[output], m.version())
	}
}

// newest returns the newest version that has come to an output.
func (r *receivers) newest(output string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.latest[output]
}

// all returns what came so far.
func (r *receivers) all() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[:len(r.got):len(r.got)]
}

// heardBy returns the messages of a listener to an output, by object, in order.
func heardBy(all []message, listener, output string) map[string][]message {
	by := map[string][]message{}
	for _, m := range all {
		if m.heard() == listener && m.output == output {
			by[m.key()] = append(by[m.key()], m)
		}
	}
	return by
}

// parse reads the messages that an output wrote to a file.
func parse(text []byte, output string) (all []message, err error) {
	for line := range bytes.Lines(text) {
		m := message{output: output}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		all = append(all, m)
	}
	return all, nil
}

// keys returns those of both maps.
func keys[A, B any](a map[string]A, b map[string]B) map[string]bool {
	all := map[string]bool{}
	for key := range maps.Keys(a) {
		all[key] = true
	}
	for key := range maps.Keys(b) {
		all[key] = true
	}
	return all
}
