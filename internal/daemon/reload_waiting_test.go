package daemon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"testing"
)

// held is a receiver: its path /0 takes nothing until it is released, and then refuses for the
// moment. Other paths take everything.
type held struct {
	release chan struct{}

	mu    sync.Mutex
	asked int
	got   map[string]int // by subject
}

var subjects = regexp.MustCompile(`"subject":"([^"]*)"`)

func (h *held) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if r.URL.Path == "/0" {
		h.mu.Lock()
		h.asked++
		h.mu.Unlock()
		select {
		case <-h.release:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range subjects.FindAllSubmatch(text, -1) {
		h.got[string(m[1])]++
	}
}

// What waits in a buffer, in an outbox and for a retry when a listener and its output change is
// delivered, once.
func TestWhatWaitsSurvivesReloads(t *testing.T) {
	const objects = 300
	h := &held{release: make(chan struct{}), got: map[string]int{}}
	server := httptest.NewServer(h)
	defer server.Close()
	config := func(path int, rest string) string {
		return fmt.Sprintf("outputs: {hook: {webhook: {url: \"%s/%d\", mode: batch, "+
			"batch: {events: 10, wait: 1ms}}}, out: {stdout: {}}}\nlisteners:\n  pods: {informer: {resource: pods}, "+
			"retry: {minBackoff: 10ms, maxBackoff: 20ms}, buffer: {capacity: 100}, %soutputs: [hook]}\n",
			server.URL, path, rest)
	}
	var items []string
	for n := range objects {
		items = append(items, named("shop", fmt.Sprint("p", n), "", ""))
	}
	d := startReloadable(t, config(0, ""), kubernetesWith(t, map[string][]string{"pods": items}))
	eventually(t, func() error {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.asked == 0 {
			return fmt.Errorf("nothing waits")
		}
		return nil
	})
	for _, rest := range []string{"filter: 'op == \"add\"', ", "workers: 3, ",
		"on: [add, delete], ", ""} {
		d.reload(t, config(0, rest))
	}
	d.reload(t, config(1, "workers: 2, "))
	close(h.release)
	eventually(t, func() error {
		h.mu.Lock()
		defer h.mu.Unlock()
		if len(h.got) < objects {
			return fmt.Errorf("%d of %d objects came", len(h.got), objects)
		}
		return nil
	})
	d.stop(t)
	for subject, n := range h.got {
		if n != 1 {
			t.Errorf("%s came %d times", subject, n)
		}
	}
}
