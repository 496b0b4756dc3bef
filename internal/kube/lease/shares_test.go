package lease_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/kube/lease/leasetest"
)

// handOver is the longest time in which nobody works on a shard that one replica gives to another:
// a poll.
const handOver = 500 * time.Millisecond

// settle is enough time for replicas that nothing keeps from dividing the shards.
const settle = 2 * time.Second

// leaseAt returns a Lease of the server.
func leaseAt(t *testing.T, s *leasetest.Server, name string) (l coordinationv1.Lease) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.Object(leases+name)), &l); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return l
}

// All shards are held whoever comes and goes in order, each replica within its part of them, and
// only the surplus of one moves.
func TestReplicasComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(16)
		var all []*member
		for i, want := range []int{16, 8, 4, 4} {
			all = append(all, w.join(fmt.Sprint("host_", i)))
			time.Sleep(settle)
			if wrong := w.settled(i + 1); wrong != "" {
				t.Fatal(wrong)
			}
			if starts, gap := w.moves(); starts != want || gap > handOver {
				t.Errorf("%d shards have moved to replica %d, want %d; the longest gap is %v",
					starts, i, want, gap)
			}
		}
		time.Sleep(2 * time.Minute)
		if starts, _ := w.moves(); starts > 0 {
			t.Errorf("nothing has happened, and %d shards have moved", starts)
		}
		for i := range 3 {
			had := w.loads()[all[i].name]
			if wrong := w.leave(all[i]); wrong != "" {
				t.Error(wrong)
			}
			time.Sleep(settle)
			if wrong := w.settled(3 - i); wrong != "" {
				t.Fatal(wrong)
			}
			if starts, gap := w.moves(); starts != had || gap > handOver {
				t.Errorf("%d shards have moved from replica %d, which had %d; the longest gap is %v",
					starts, i, had, gap)
			}
		}
		last := all[3]
		if n := last.ends(lease.ErrReleased); n != 0 || last.Status().Idle != "" {
			t.Errorf("the last one has handed over %d: %+v", n, last.Status())
		}
		w.finish(t)
		for _, path := range w.Paths() {
			l := leaseAt(t, w.Server, strings.TrimPrefix(path, leases))
			if *l.Spec.HolderIdentity != "" || !strings.HasPrefix(l.Name, "name-shard-") {
				t.Errorf("%s is left, held by %q", path, *l.Spec.HolderIdentity)
			}
		}
	})
}

// A replica that begins when others do does not wait for them.
func TestManyReplicasBeginAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(64)
		for i := range 5 {
			w.join(fmt.Sprint("host_", i))
		}
		time.Sleep(settle)
		if wrong := w.settled(5); wrong != "" {
			t.Error(wrong)
		}
		w.finish(t)
	})
}

// The shards of one that is killed are held by others a poll after its Lease has ended, if nobody
// else wants them, and at most a second after it if some tries are in vain.
func TestAReplicaIsKilled(t *testing.T) {
	for others, most := range map[int]time.Duration{1: duration + handOver,
		3: duration + time.Second} {
		for range 10 { // when others look is chance
			synctest.Test(t, func(t *testing.T) {
				if took := takeOver(t, others); took > most {
					t.Errorf("it took %d others %v", others, took)
				}
			})
		}
	}
}

// takeOver returns how long it takes until others have the shards of a replica that is killed when
// it has just renewed its Lease.
func takeOver(t *testing.T, others int) time.Duration {
	w := newWorld(16)
	killed := w.join("host_0")
	for i := range others {
		w.join(fmt.Sprint("other_", i))
	}
	time.Sleep(settle)
	had := w.loads()[killed.name]
	killed.ends(nil)
	renewed := make(chan bool, 10)
	killed.line.Break(func(_ int, r *http.Request) (f leasetest.Fault) {
		if r.Method == http.MethodPut {
			renewed <- true
		}
		return f
	})
	<-renewed
	begun := time.Now()
	synctest.Wait()
	killed.line.Cut()
	<-killed.Lost()
	if err := <-killed.ended; !errors.Is(err, lease.ErrLost) {
		t.Errorf("Run: %v", err)
	}
	if n := killed.ends(lease.ErrLost); killed.Check() == nil || n != had || w.unheld() != had {
		t.Errorf("Check: %v; %d of %d shards are lost, and nobody has %d", killed.Check(), n, had,
			w.unheld())
	}
	for w.unheld() > 0 {
		time.Sleep(time.Millisecond)
	}
	took := time.Since(begun)
	w.remove(killed)
	w.finish(t)
	return took
}

// A replica that goes on after a pause knows that it may not, before others take over and after.
func TestAReplicaThatIsPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(4)
		a := w.join("a")
		time.Sleep(settle)
		a.set(func() { a.linger = time.Minute }) // it does not notice anything
		b := w.join("b")
		time.Sleep(settle)
		if n := w.loads()["b"]; n != 0 {
			t.Fatalf("b has %d shards that a has not finished", n)
		}
		a.line.Cut()
		time.Sleep(deadline)
		if a.Check() == nil || w.unheld() != 4 {
			t.Errorf("a: %v; shards without a holder: %d", a.Check(), w.unheld())
		}
		time.Sleep(duration + time.Second - deadline)
		if wrong := w.settled(1); wrong != "" {
			t.Error(wrong)
		}
		a.line.Mend()
		time.Sleep(2 * time.Minute)
		if err := <-a.ended; !errors.Is(err, lease.ErrLost) {
			t.Errorf("Run: %v", err)
		}
		if n := w.loads()["b"]; n != 4 || b.ends(lease.ErrLost) != 0 {
			t.Errorf("b has %d shards", n)
		}
		w.remove(a)
		w.finish(t)
	})
}

// What replicas write about the time counts for nobody.
func TestClocksOfReplicasDoNotMatter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(4)
		for i, ahead := range []time.Duration{0, -2 * time.Hour, 2 * time.Hour} {
			m := w.prepare(fmt.Sprint("host_", i), 4)
			m.line.SetClock(ahead)
			w.begin(m)
			time.Sleep(settle)
			if wrong := w.settled(i + 1); wrong != "" {
				t.Error(wrong)
			}
		}
		time.Sleep(2 * duration)
		if n := len(w.members[0].Status().Replicas); n != 3 {
			t.Errorf("%d replicas are alive", n)
		}
		w.finish(t)
	})
}

// Shards stay where they are while the API server is away for less than the deadline.
func TestTheServerIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(16)
		for i := range 3 {
			w.join(fmt.Sprint("host_", i))
		}
		time.Sleep(settle)
		w.moves()
		for range 10 {
			for _, m := range w.members {
				m.line.Cut()
			}
			time.Sleep(deadline - retry)
			for _, m := range w.members {
				m.line.Mend()
			}
			time.Sleep(duration)
			if wrong := w.settled(3); wrong != "" {
				t.Error(wrong)
			}
		}
		if starts, _ := w.moves(); starts > 0 {
			t.Errorf("%d shards have moved", starts)
		}
		w.finish(t)
	})
}

// A server that is away when a replica ends, whose holds have returned, is no loss.
func TestTheServerIsAwayInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(2)
		a := w.join("a")
		time.Sleep(settle)
		a.line.Cut()
		w.finish(t)
	})
}

// changesHands reports whether a request writes the Lease of a shard.
func changesHands(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "-shard-") ||
		r.Method == http.MethodPost
}

// A replica finds out that it has a shard if the answer got lost, also if the request that gave one
// back comes later.
func TestAnswersThatGetLost(t *testing.T) {
	for name, fault := range map[string]leasetest.Fault{
		"lost": {Lost: errCut}, "late": {Late: deadline * 6 / 10},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(8)
			a := w.prepare("a", 8)
			disturb := func() {
				writes := 0
				a.line.Break(func(_ int, r *http.Request) (f leasetest.Fault) {
					if changesHands(r) {
						if writes++; writes <= 9 {
							return fault
						}
					}
					return f
				})
			}
			disturb()
			w.begin(a)
			time.Sleep(4 * duration)
			if wrong := w.settled(1); wrong != "" {
				t.Errorf("%s: %s", name, wrong)
			}
			b := w.join("b")
			disturb()
			time.Sleep(4 * duration)
			if wrong := w.settled(2); wrong != "" {
				t.Errorf("%s: %s", name, wrong)
			}
			disturb()
			if wrong := w.leave(b); wrong != "" {
				t.Error(wrong)
			}
			time.Sleep(4 * duration)
			if wrong := w.settled(1); wrong != "" {
				t.Errorf("%s: %s", name, wrong)
			}
			w.finish(t)
		})
	}
}

// One of two that want a shard at the same moment gets it, whether there is a Lease of it or not.
func TestTwoWantAShardAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		const late = 300 * time.Millisecond
		contend := func(_ int, r *http.Request) (f leasetest.Fault) {
			if changesHands(r) {
				f.Late = late
			}
			return f
		}
		for range 5 {
			for _, identity := range []string{"a", "b", "c"} {
				m := w.prepare(identity, 1)
				m.line.Break(contend)
				w.begin(m)
			}
			time.Sleep(settle)
			if wrong := w.settled(3); wrong != "" {
				t.Error(wrong)
			}
			for len(w.members) > 0 {
				if wrong := w.leave(w.members[0]); wrong != "" {
					t.Error(wrong)
				}
			}
		}
		w.finish(t)
	})
}

// Replicas that divide the work otherwise take nothing while there are others that do.
func TestReplicasWithOtherNumbersOfShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(8)
		a := w.join("a")
		time.Sleep(settle)
		b := w.begin(w.prepare("b", 4))
		w.join("c")
		time.Sleep(duration)
		if loads := w.loads(); !reflect.DeepEqual(loads, map[string]int{"a": 8}) {
			t.Errorf("the shards are divided: %v", loads)
		}
		for m, want := range map[*member]string{
			a: "replica b divides the work into 4 shards, and this one into 8",
			b: "replica c divides the work into 8 shards, and this one into 4",
		} {
			if status := m.Status(); status.Idle != want ||
				!slices.Equal(status.Replicas, []string{"a", "b", "c"}) {
				t.Errorf("%s: %+v", m.name, status)
			}
		}
		if wrong := w.leave(b); wrong != "" {
			t.Error(wrong)
		}
		time.Sleep(settle)
		if wrong := w.settled(2); wrong != "" || a.Status().Idle != "" {
			t.Errorf("%s: %+v", wrong, a.Status())
		}
		w.finish(t)
	})
}

// A replica that is drained goes on with what it has not finished, and others take each shard that
// it has.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(6)
		a := w.join("a")
		time.Sleep(settle)
		w.join("b")
		time.Sleep(settle)
		w.moves()
		a.ends(nil)
		const linger = 3 * time.Second
		a.set(func() { a.linger = linger })
		a.Drain()
		time.Sleep(linger - time.Millisecond)
		if loads := w.loads(); loads["a"] != 3 || loads["b"] != 3 {
			t.Errorf("the shards move: %v", loads)
		}
		time.Sleep(settle)
		if loads := w.loads(); loads["b"] != 6 {
			t.Errorf("b has not all: %v", loads)
		}
		if starts, gap := w.moves(); starts != 3 || gap > handOver {
			t.Errorf("%d shards have moved, and were not held for %v", starts, gap)
		}
		if n := a.ends(lease.ErrReleased); n != 3 || a.Check() != nil || len(a.ended) > 0 ||
			a.Status().Idle == "" {
			t.Errorf("a has handed over %d shards: %v, %+v", n, a.Check(), a.Status())
		}
		time.Sleep(time.Minute)
		if starts, _ := w.moves(); starts != 0 {
			t.Errorf("%d shards move", starts)
		}
		w.finish(t)
	})
}

// A hold that fails is not begun again at once, and not for good with the replica that failed.
func TestAHoldThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(4)
		a := w.join("a")
		time.Sleep(settle)
		w.moves()
		a.set(func() { close(a.fail) })
		time.Sleep(10 * retry)
		if starts, _ := w.moves(); starts < 4*7 || starts > 4*10 {
			t.Errorf("%d holds have begun", starts)
		}
		w.join("b")
		time.Sleep(10 * retry)
		if n := w.loads()["b"]; n != 2 {
			t.Errorf("b has %d shards", n)
		}
		w.finish(t)
	})
}

// What a replica asks of the server does not depend on how many shards there are.
func TestLoadOfTheServer(t *testing.T) {
	for _, shards := range []int{2, 200} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(shards)
			a := w.join("a")
			w.join("b")
			time.Sleep(settle)
			a.line.Break(nil)
			time.Sleep(time.Minute)
			asked := map[string]int{}
			for _, method := range a.line.Requests() {
				asked[method]++
			}
			gets, puts := asked[http.MethodGet], asked[http.MethodPut]
			if len(asked) != 2 || gets < 120 || gets > 240 || puts < 60 || puts > 120 {
				t.Errorf("%d shards: in a minute there were %v", shards, asked)
			}
			w.finish(t)
		})
	}
}

// The Lease of a dead replica is deleted after some time.
func TestDeadReplicasAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(2)
		a := w.join("a")
		w.join("b")
		time.Sleep(settle)
		a.line.Cut()
		<-a.ended
		w.remove(a)
		replicas := func() (n int) {
			for _, path := range w.Paths() {
				if strings.HasPrefix(path, leases+"name-replica-") {
					n++
				}
			}
			return n
		}
		time.Sleep(9*duration - deadline)
		if n := replicas(); n != 2 {
			t.Errorf("there are Leases of %d replicas", n)
		}
		time.Sleep(2 * duration)
		if n := replicas(); n != 1 {
			t.Errorf("there are Leases of %d replicas", n)
		}
		w.finish(t)
	})
}

// A holder that has announced itself by no Lease is dead when it could have done so.
func TestAHolderWithoutALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		w.Put(leases+"name-shard-0", `{"metadata":{"name":"name-shard-0","namespace":"ns",
			"labels":{"informerd.dev/lease":"name"}},
			"spec":{"holderIdentity":"killed","leaseTransitions":41}}`)
		begun := time.Now()
		a := w.join("a")
		for w.unheld() > 0 {
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(begun); took < duration || took > duration+handOver {
			t.Errorf("it took %v", took)
		}
		if got := a.Status().Shards[0]; got.Holder != "a" || !got.Own || got.Epoch != 42 ||
			time.Since(got.Since) > handOver {
			t.Errorf("the status is %+v", got)
		}
		w.finish(t)
		if got := a.Status().Shards[0]; got != (lease.ShardStatus{Epoch: 42}) {
			t.Errorf("in the end, the status is %+v", got)
		}
	})
}

// What somebody else does to the Lease of a shard ends the hold on it, and its epoch does not begin
// again.
func TestSomebodyDeletesTheLeaseOfAShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(2)
		a := w.join("a")
		time.Sleep(settle)
		w.Delete(leases + "name-shard-1")
		time.Sleep(settle)
		if n := a.ends(lease.ErrLost); n != 1 || a.Check() != nil {
			t.Errorf("%d shards are lost; Check: %v", n, a.Check())
		}
		if wrong := w.settled(1); wrong != "" {
			t.Error(wrong)
		}
		w.finish(t)
	})
}

// What others read of Leases is where they look for it, and they go with their owners.
func TestLeasesOfShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		owners := []metav1.OwnerReference{{APIVersion: "v1", Kind: "ServiceAccount",
			Name: "informerd", UID: "1"}}
		w.cfg = func(identity string) lease.Config {
			cfg := config(identity)
			cfg.Owners = owners
			return cfg
		}
		a := w.join("host.example_ab12cd34")
		time.Sleep(settle)
		paths := w.Paths()
		if len(paths) != 2 {
			t.Fatalf("there are %v", paths)
		}
		for _, path := range paths {
			l := leaseAt(t, w.Server, strings.TrimPrefix(path, leases))
			if !reflect.DeepEqual(l.OwnerReferences, owners) ||
				l.Labels["informerd.dev/lease"] != "name" || *l.Spec.HolderIdentity != a.name {
				t.Errorf("%s: %+v", path, l)
			}
			if strings.Contains(l.Name, "replica") && l.Annotations["informerd.dev/shards"] != "1" {
				t.Errorf("%s: %+v", path, l.Annotations)
			}
		}
		if n := w.Writes(leases + "name-shard-0"); n != 1 {
			t.Errorf("the Lease of the shard was written %d times", n)
		}
		w.finish(t)
	})
}

// Before it runs, a replica says what it waits for.
func TestSharesThatDoNotRunYet(t *testing.T) {
	for starting, want := range map[string]string{"": "it has no Lease that announces it",
		"it waits": "it waits"} {
		s := lease.NewShares(leasetest.New().NewLine().Client(),
			lease.SharesConfig{Config: config("a"), Shards: 1, Starting: starting})
		if got := s.Status().Idle; got != want {
			t.Errorf("%q: %q", starting, got)
		}
	}
}

func TestSharesRefuseImpossibleTimes(t *testing.T) {
	cfg := config("a")
	cfg.Duration = cfg.RenewDeadline
	s := lease.NewShares(leasetest.New().NewLine().Client(),
		lease.SharesConfig{Config: cfg, Shards: 1})
	if err := s.Run(t.Context(), nil); err == nil || errors.Is(err, lease.ErrLost) {
		t.Errorf("Run: %v", err)
	}
}

// What an answer says that has been under way for long is old by then: the holder may have renewed
// its Lease since.
func TestAnAnswerThatIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(1)
		w.cfg = func(identity string) lease.Config {
			cfg := config(identity)
			cfg.Duration = deadline + time.Second
			return cfg
		}
		a := w.join("a")
		time.Sleep(settle)
		b := w.join("b")
		time.Sleep(settle)
		begun := time.Now()
		a.line.Break(func(_ int, r *http.Request) (f leasetest.Fault) {
			if r.Method == http.MethodPut && time.Since(begun) < deadline-retry {
				f.Answer = leasetest.Refusal(http.StatusInternalServerError, "InternalError")
			}
			return f
		})
		b.line.Break(func(_ int, r *http.Request) (f leasetest.Fault) {
			if r.Method == http.MethodGet && time.Since(begun) > deadline-retry*3/2 {
				f.Slow = deadline/2 - time.Millisecond
			}
			return f
		})
		time.Sleep(2 * duration)
		if n := w.loads()["a"]; n != 1 || a.Check() != nil {
			t.Errorf("a has %d shards: %v", n, a.Check())
		}
		w.finish(t)
	})
}

// A request that releases a shard does so never after its replica has taken it again.
func TestAReleaseThatIsLate(t *testing.T) {
	for range 10 { // who looks first is chance
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(1)
			a := w.join("a")
			time.Sleep(settle)
			w.join("b")
			time.Sleep(settle)
			late := true
			a.line.Break(func(_ int, r *http.Request) (f leasetest.Fault) {
				if changesHands(r) && late {
					late, f.Late = false, deadline*7/10
				}
				return f
			})
			a.set(func() {
				close(a.fail)
				a.fail = nil
			})
			time.Sleep(duration)
			if wrong := w.settled(2); wrong != "" || w.loads()["a"] != 1 {
				t.Errorf("%v: %s", w.loads(), wrong)
			}
			w.finish(t)
		})
	}
}
