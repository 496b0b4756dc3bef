package lease_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/kube/lease/leasetest"
)

// sharesStep is one thing that happens to a replica, and how long it takes until the next one.
type sharesStep struct {
	what  string
	who   int
	long  time.Duration
	pause time.Duration
}

func drawSharesStep(t *rapid.T) sharesStep {
	milliseconds := func(name string, of ...int) time.Duration {
		return time.Duration(rapid.SampledFrom(of).Draw(t, name)) * time.Millisecond
	}
	return sharesStep{
		what: rapid.SampledFrom([]string{"join", "join", "join", "end", "kill", "kill", "cut", "cut", "mend",
			"mend", "linger", "linger", "drain", "fail", "clock", "lose", "late", "late", "slow",
			"slow", "refuse", "answer", "answer"}).Draw(t, "what"),
		who:   rapid.IntRange(0, 3).Draw(t, "who"),
		long:  milliseconds("long", 0, 100, 1100, 4900, 7000, 11000, 16000, 40000),
		pause: milliseconds("pause", 0, 1, 100, 700, 5000, 9000, 14000, 17000),
	}
}

// sharesModel is some replicas that begin, end and are cut off at any moment.
type sharesModel struct {
	*world
	began   int
	cut     map[*member]bool // that can be mended
	drained map[*member]bool
	dead    []*member // whose Run has ended, or is going to
	kills   int
	lost    int
}

func (m *sharesModel) step(s sharesStep) {
	defer time.Sleep(s.pause)
	m.bury()
	if s.what == "join" {
		if len(m.members) < 4 {
			m.began++
			r := m.prepare(fmt.Sprint("replica_", m.began), m.shards)
			m.disturb(r, sharesStep{what: "answer"})
			m.begin(r)
		}
		return
	}
	if s.who >= len(m.members) {
		return
	}
	r := m.members[s.who]
	switch s.what {
	case "end":
		m.remove(r)
		r.stop()
		m.dead = append(m.dead, r)
	case "kill": // its work may go on: the machine is cut off
		m.mend(r)
		r.line.Cut()
		m.remove(r)
		m.dead = append(m.dead, r)
		m.kills++
	case "cut":
		if !m.cut[r] {
			r.line.Cut()
			m.cut[r] = true
		}
	case "mend":
		m.mend(r)
	case "drain":
		r.Drain()
		m.drained[r] = true
	case "clock":
		r.line.SetClock((s.long - 5*time.Second) * 1000)
	default:
		m.disturb(r, s)
	}
}

// disturb changes how a replica and its line behave from now on.
func (m *sharesModel) disturb(r *member, s sharesStep) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch s.what {
	case "linger":
		r.linger = s.long
	case "fail":
		close(r.fail)
		r.fail = make(chan struct{})
	default:
		r.line.Break(func(n int, q *http.Request) (f leasetest.Fault) {
			f.Late, f.Slow = 5*time.Millisecond, 5*time.Millisecond // so they cross
			if n%3 == 0 {
				return f
			}
			switch s.what {
			case "lose":
				f.Lost = errCut
			case "late":
				f.Late += s.long
			case "slow":
				f.Slow += s.long
			case "refuse":
				f.Answer = leasetest.Refusal(http.StatusInternalServerError, "InternalError")
			}
			return f
		})
	}
}

func (m *sharesModel) mend(r *member) {
	if m.cut[r] {
		r.line.Mend()
		delete(m.cut, r)
	}
}

// bury removes replicas that have lost their shards.
func (m *sharesModel) bury() {
	for _, r := range slices.Clone(m.members) {
		select {
		case <-r.Lost():
			m.remove(r)
			m.dead = append(m.dead, r)
			m.lost++
		default:
		}
	}
}

// finish has all that are left be well for some time, and returns what is wrong.
func (m *sharesModel) finish() (wrong string) {
	m.bury()
	for _, r := range m.members {
		m.mend(r)
		m.disturb(r, sharesStep{what: "answer"})
		m.disturb(r, sharesStep{what: "linger"})
	}
	m.step(sharesStep{what: "join", pause: 90 * time.Second})
	m.bury()
	takers := 0
	for _, r := range m.members {
		if !m.drained[r] {
			takers++
		}
	}
	if takers > 0 {
		wrong = m.settled(takers)
	}
	for _, r := range m.dead {
		r.stop() // one that was killed before it was announced has nothing to lose
		if err := <-r.ended; err != nil && !errors.Is(err, lease.ErrLost) {
			wrong = fmt.Sprintf("%s: Run: %v", r.name, err)
		}
	}
	alive := map[string]bool{}
	for _, path := range m.Paths() {
		var l coordinationv1.Lease
		if err := json.Unmarshal([]byte(m.Object(path)), &l); err != nil {
			return err.Error()
		}
		if holder := *l.Spec.HolderIdentity; strings.Contains(path, "-replica-") {
			alive[holder] = true
		}
	}
	for _, r := range m.members {
		if !alive[r.name] {
			wrong = r.name + " has no Lease"
		}
	}
	if w := m.end(); w != "" {
		return w
	}
	return wrong
}

// setChecks sets how often rapid.Check runs a test.
func setChecks(t *testing.T, n int) {
	before := flag.Lookup("rapid.checks").Value.String()
	_ = flag.Set("rapid.checks", strconv.Itoa(n))
	t.Cleanup(func() { _ = flag.Set("rapid.checks", before) })
}

// TestSharesModel: whatever happens to replicas and their lines, no two work on a shard at once, and
// those that are left divide all shards.
func TestSharesModel(t *testing.T) {
	setChecks(t, 25)
	moved, kills, lost := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		shards := rapid.SampledFrom([]int{1, 2, 3, 7}).Draw(rt, "shards")
		steps := rapid.SliceOfN(rapid.Custom(drawSharesStep), 5, 40).Draw(rt, "steps")
		wrong := ""
		synctest.Test(t, func(t *testing.T) {
			m := &sharesModel{world: newWorld(shards), cut: map[*member]bool{},
				drained: map[*member]bool{}}
			for _, s := range steps {
				m.step(s)
			}
			wrong = m.finish()
			moved, kills, lost = moved+m.starts, kills+m.kills, lost+m.lost
		})
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
	if !t.Failed() && !testing.Short() && (moved < 50 || kills < 1 || lost < 1) {
		t.Errorf("only %d shards have moved, %d replicas were killed and %d have lost theirs", moved,
			kills, lost)
	}
}
