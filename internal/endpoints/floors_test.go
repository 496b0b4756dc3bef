package endpoints

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer"
)

// The counters of a resource and namespace do not fall when one of its informers ends, nor when all
// have ended and another one begins.
func TestSumsOverInformersDoNotFall(t *testing.T) {
	var now []informer.Status
	r := serve(t, &Server{Informers: func() []informer.Status { return now }})
	events := func(counts ...uint64) {
		now = nil
		for i, n := range counts {
			now = append(now, informer.Status{Events: n, Scope: informer.Scope{
				LabelSelector: fmt.Sprint("a=", i)}})
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
