package endpoints

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer"
)

// The counters of a resource and namespace do not fall when one of its informers ends, nor when all
// have ended and another one begins.
func TestSumsOverInformersDoNotFall(t *testing.T) {
	var now []Informer
	r := serve(t, &Server{Informers: func() []Informer { return now }})
	events := func(counts ...uint64) {
		now = nil
		for i, n := range counts {
			now = append(now, Informer{Status: informer.Status{Events: n, Scope: informer.Scope{
				LabelSelector: fmt.Sprint("a=", i)}}})
		}
	}
	for i, step := range []struct {
		counts []uint64
		want   string
	}{
		{[]uint64{10, 5}, "15"}, {[]uint64{12, 6}, "18"}, {[]uint64{6}, "18"}, {[]uint64{7}, "19"},
		{nil, ""}, {[]uint64{1}, "19"}, {[]uint64{3, 1}, "22"},
	} {
		events(step.counts...)
		_, body := r.get("/metrics")
		_, line, _ := strings.Cut(lines(body, "informerd_informer_events_total{"), "} ")
		if got := strings.TrimSpace(line); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}

// Of two requests at once, the one that has read less must not look as if an informer had ended.
func TestRequestsAtOnceDoNotRaiseSums(t *testing.T) {
	var lists atomic.Uint64
	r := serve(t, &Server{Informers: func() []Informer {
		return []Informer{{Status: informer.Status{Lists: lists.Add(1)}}}
	}})
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for range 25 {
				r.get("/metrics")
			}
		})
	}
	clients.Wait()
	_, body := r.get("/metrics")
	if line := "informerd_informer_lists_total{namespace=\"\",resource=\"\"} 101\n"; !strings.Contains(
		body, line) {
		t.Error(lines(body, "informerd_informer_lists_total{"))
	}
}

// The one that has heard nothing for longest counts, and one that does not run does not.
func TestStaleness(t *testing.T) {
	r := serve(t, &Server{Informers: func() []Informer {
		now := time.Now()
		return informersOf(informer.Status{Heard: now},
			informer.Status{Heard: now.Add(-time.Hour)}, informer.Status{})
	}})
	_, body := r.get("/metrics")
	if line := lines(body, "informerd_informer_staleness_seconds{"); !strings.Contains(line,
		`{namespace="",resource=""} 3600.`) {
		t.Error(line)
	}
}
