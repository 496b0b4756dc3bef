package lease_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/kube/lease/leasetest"
)

const leases = "/apis/coordination.k8s.io/v1/namespaces/ns/leases/"

// member is a replica that has shares, and works on what it gets.
type member struct {
	*lease.Shares
	world *world
	name  string
	line  *leasetest.Line
	stop  context.CancelFunc
	ended chan error

	// The world's lock guards what follows.
	linger time.Duration // how long it goes on when it is to end
	fail   chan struct{} // ends what runs
	causes map[error]int // of the ends
}

// world is some members, with an oracle that knows what they do and no Lease.
type world struct {
	*leasetest.Server
	shards int
	cfg    func(identity string) lease.Config

	mu      sync.Mutex
	members []*member
	running []map[*member]bool // by shard
	epochs  []int64            // the last one that has begun
	freed   []time.Time        // when the last one has ended
	starts  int
	gap     time.Duration // the longest time in which nobody worked on a shard
	wrong   string
	over    chan struct{}
	judging sync.WaitGroup
}

func newWorld(shards int) *world {
	w := &world{Server: leasetest.New(), shards: shards, cfg: config, epochs: make([]int64, shards),
		freed: make([]time.Time, shards), over: make(chan struct{})}
	for range shards {
		w.running = append(w.running, map[*member]bool{})
	}
	w.judging.Go(func() {
		for begun := time.Now(); ; {
			if time.Since(begun) > time.Hour { // what waits for something else would wait for good
				panic("the test does not end")
			}
			select {
			case <-w.over:
				return
			case <-time.After(50 * time.Millisecond):
				w.mu.Lock()
				w.judge()
				w.mu.Unlock()
			}
		}
	})
	return w
}

// prepare makes a member that does not run yet.
func (w *world) prepare(identity string, shards int) *member {
	m := &member{world: w, name: identity, line: w.NewLine(), ended: make(chan error, 1),
		fail: make(chan struct{}), causes: map[error]int{}}
	m.Shares = lease.NewShares(m.line.Client(), lease.SharesConfig{Config: w.cfg(identity),
		Shards: shards})
	return m
}

func (w *world) begin(m *member) *member {
	ctx, cancel := context.WithCancel(context.Background())
	m.stop = cancel
	w.mu.Lock()
	w.members = append(w.members, m)
	w.mu.Unlock()
	go func() {
		m.ended <- m.Run(ctx, func(ctx context.Context, c lease.Claim) { w.work(ctx, m, c) })
	}()
	return m
}

// set changes how a member behaves.
func (m *member) set(change func()) {
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	change()
}

// ends returns how many holds of a member have ended by a cause since the last call.
func (m *member) ends(cause error) (n int) {
	m.set(func() {
		n = m.causes[cause]
		clear(m.causes)
	})
	return n
}

// remove has the world forget a member but for what it still does.
func (w *world) remove(m *member) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.members = slices.DeleteFunc(w.members, func(o *member) bool { return o == m })
}

func (w *world) join(identity string) *member { return w.begin(w.prepare(identity, w.shards)) }

// work is what a member does with a shard.
func (w *world) work(ctx context.Context, m *member, c lease.Claim) {
	w.mu.Lock()
	if ctx.Err() == nil {
		w.begins(m, c)
	}
	fail := m.fail
	w.mu.Unlock()
	select {
	case <-ctx.Done():
		w.mu.Lock()
		linger := m.linger
		m.causes[context.Cause(ctx)]++
		w.mu.Unlock()
		time.Sleep(linger)
	case <-fail:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.running[c.Shard], m)
	w.freed[c.Shard] = time.Now()
}

func (w *world) begins(m *member, c lease.Claim) {
	if c.Epoch <= w.epochs[c.Shard] {
		w.report("%s begins with shard %d in epoch %d, after %d", m.name, c.Shard, c.Epoch,
			w.epochs[c.Shard])
	}
	want := fmt.Sprint("name-shard-", c.Shard)
	if c.Config.Name != want || c.Config.Identity != m.name {
		w.report("the configuration of shard %d is %+v", c.Shard, c.Config)
	}
	if !w.freed[c.Shard].IsZero() {
		w.gap = max(w.gap, time.Since(w.freed[c.Shard]))
	}
	w.epochs[c.Shard] = c.Epoch
	w.running[c.Shard][m] = true
	w.starts++
	w.judge()
}

func (w *world) report(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

// judge looks for two members that may work on the same shard, and for one that may again.
func (w *world) judge() {
	for _, m := range w.members {
		select {
		case <-m.Lost():
			if m.Check() == nil {
				w.report("%s has lost its shards, and may go on", m.name)
			}
		default:
		}
	}
	for i, running := range w.running {
		var may []string
		for m := range running {
			if m.Check() == nil {
				may = append(may, m.name)
			}
		}
		if len(may) > 1 {
			w.report("%v work on shard %d", may, i)
		}
	}
}

// loads returns how many shards each member works on.
func (w *world) loads() map[string]int {
	w.mu.Lock()
	defer w.mu.Unlock()
	loads := map[string]int{}
	for _, running := range w.running {
		for m := range running {
			if m.Check() == nil {
				loads[m.name]++
			}
		}
	}
	return loads
}

// unheld returns how many shards nobody works on.
func (w *world) unheld() int {
	free := w.shards
	for _, n := range w.loads() {
		free -= n
	}
	return free
}

// settled returns what is wrong if some replicas have had time to divide all shards.
func (w *world) settled(replicas int) string {
	most, loads := (w.shards+replicas-1)/replicas, w.loads()
	for name, n := range loads {
		if n > most {
			return fmt.Sprintf("%s has %d of %d shards, and there are %d replicas: %v", name, n,
				w.shards, replicas, loads)
		}
	}
	if n := w.unheld(); n > 0 {
		return fmt.Sprintf("nobody has %d of %d shards: %v", n, w.shards, loads)
	}
	return ""
}

// moves returns how many holds have begun since the last call, and the longest time that a shard
// had none.
func (w *world) moves() (starts int, gap time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	starts, gap = w.starts, w.gap
	w.starts, w.gap = 0, 0
	return starts, gap
}

// leave ends a member in order, and returns what is wrong.
func (w *world) leave(m *member) string {
	m.stop()
	err := <-m.ended
	w.remove(m)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		return fmt.Sprintf("%s: Run: %v", m.name, err)
	}
	for i, running := range w.running {
		if running[m] {
			return fmt.Sprintf("Run of %s has returned before its hold on shard %d", m.name, i)
		}
	}
	return ""
}

// end ends all members that are left, and returns what is wrong.
func (w *world) end() string {
	for len(w.members) > 0 {
		if wrong := w.leave(w.members[0]); wrong != "" {
			w.report("%s", wrong)
		}
	}
	close(w.over)
	w.judging.Wait()
	return w.wrong
}

// finish ends a test.
func (w *world) finish(t *testing.T) {
	t.Helper()
	if wrong := w.end(); wrong != "" {
		t.Error(wrong)
	}
}
