package daemon

import (
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

// A listener that is exchanged reads the configuration while it is locked. A cut that waits for the
// listener must not hold the runtime's lock meanwhile: both would wait for each other indefinitely.
func TestACutThatWaitsForAListenerHoldsNobodyUp(t *testing.T) {
	l := &listener{}
	l.now.Store(&setup{Listener: &plan.Listener{Config: &config.Listener{Checkpoint: true}}})
	r := &runtime{plan: &plan.Plan{Config: &config.Config{}}}
	s := &shard{supervisor: &supervisor{runtime: r}, cluster: &cluster{}, listeners: []*listener{l}}
	ended := make(chan struct{})
	l.mu.Lock()
	go func() {
		defer close(ended)
		s.cutters()
	}()
	for waits := false; !waits; {
		var stacks strings.Builder
		if err := pprof.Lookup("goroutine").WriteTo(&stacks, 2); err != nil {
			t.Fatal(err)
		}
		for stack := range strings.SplitSeq(stacks.String(), "\n\n") {
			waits = waits || strings.Contains(stack, "sync.Mutex.Lock") &&
				strings.Contains(stack, "hasState")
		}
	}
	if r.mu.TryLock() {
		r.mu.Unlock()
	} else {
		t.Error("nobody gets the configuration")
	}
	l.mu.Unlock()
	<-ended
}
