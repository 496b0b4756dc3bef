package informer

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// A disk that is really full: a subscription that spills to one of a megabyte gets every object's
// last state, and the process lives.
func TestSpillToAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small disk cannot be mounted here (%v), so that it cannot be filled; that takes root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	if os.Getenv("TMPDIR") == dir {
		t.Fatal("the small disk is the one for all temporary files")
	}
	c := &controller{queue: queue.New(4), store: store.New(), proc: &processor{},
		joined: newSignal()}
	sub, err := NewSubscription(SubscriptionConfig{Overflow: OverflowSpill, SpillDir: dir,
		Capacity: 2})
	if err != nil {
		t.Fatal(err)
	}
	c.proc.join(sub, c.store, time.Now())
	const events, objects = 400, 5
	var p object.Parser
	for i := range events {
		text := podText(fmt.Sprint("pod-", i%objects), "u", i+1,
			fmt.Sprintf(`,"spec":{"x":%q}`, strings.Repeat(fmt.Sprint(i), 2000)))
		o, err := p.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		c.apply(&queue.Delta{Type: queue.Updated, Object: o})
		sub.settle()
	}
	if s := sub.Stats(); !errors.Is(s.SpillError, syscall.ENOSPC) || s.OnDisk < 50 ||
		s.Marked != objects {
		t.Errorf("%+v", s)
	}
	last, n, missed := map[string]string{}, 0, 0
	for {
		sub.settle()
		sub.mu.Lock()
		e, ok := sub.take()
		sub.mu.Unlock()
		if !ok {
			break
		}
		last[e.Object.Name()], n, missed = e.Object.ResourceVersion(), n+1, missed+int(e.Missed)
		sub.finish(&e, true)
	}
	for i := range objects {
		if name, want := fmt.Sprint("pod-", i), fmt.Sprint(events-objects+i+1); last[name] != want {
			t.Errorf("%s ended on %s, want %s", name, last[name], want)
		}
	}
	if s := sub.Stats(); n+missed != events || s.Mistakes > 0 || s.Held+s.Marked+s.OnDisk > 0 {
		t.Errorf("%d events came and %d were missed, of %d: %+v", n, missed, events, s)
	}
}
