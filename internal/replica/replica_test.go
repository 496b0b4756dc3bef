package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/kube/lease/leasetest"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

const theRecord = "/api/v1/namespaces/ns/configmaps/name-progress"

// world is an API server, and a receiver of what replicas deliver.
type world struct {
	pods   *podServer
	leases *leasetest.Server
	silent atomic.Bool // the next one that asks for targets gets no answer

	log       *slog.Logger
	mu        sync.Mutex
	delivered []string
	// stopAfter is after how many deliveries there are no more; 0 for no end.
	stopAfter int
}

func newWorld() *world {
	return &world{pods: newPodServer(), leases: leasetest.New(), log: quiet}
}

// stopped reports whether there are to be no more deliveries.
func (w *world) stopped() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stopAfter > 0 && len(w.delivered) >= w.stopAfter
}

// take returns what was delivered since the last call.
func (w *world) take() string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	all := strings.Join(w.delivered, " ")
	w.delivered = nil
	return all
}

// daemon is a replica with one listener.
type daemon struct {
	*Replica
	world   *world
	line    *leasetest.Line
	led     chan struct{} // closed once Lead has returned
	err     error         // of Lead
	stop    context.CancelFunc
	running sync.WaitGroup
	// frozen is closed to have it deliver nothing any more, as if it was killed.
	frozen chan struct{}
}

func (w *world) start(identity string) *daemon {
	d := &daemon{world: w, line: w.leases.NewLine(), led: make(chan struct{}),
		frozen: make(chan struct{})}
	d.Replica = Begin(Config{
		Lease: lease.Config{Namespace: "ns", Name: "name", Identity: identity,
			Duration: 15 * time.Second, RenewDeadline: 10 * time.Second,
			RetryPeriod: 2 * time.Second, Log: quiet},
		Client: d.line.Client(), Cluster: w.pods, Listeners: []string{"l"}, Log: w.log,
		Targets: func(ctx context.Context) ([]informer.Target, error) {
			if w.silent.Swap(false) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return []informer.Target{target}, nil
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	d.stop = cancel
	d.running.Go(func() {
		k, err := d.Lead(ctx)
		d.err = err
		close(d.led)
		if err == nil {
			d.work(ctx, k)
		}
	})
	return d
}

// work does what a daemon does with a keeper.
func (d *daemon) work(ctx context.Context, k *keeper.Keeper) {
	factory := informer.NewFactory(d.world.pods, quiet)
	factory.Stored = k.Stored
	s, err := informer.NewSubscription(informer.SubscriptionConfig{Name: "l", Track: true,
		Transitions: true, Capacity: 100, Overflow: informer.OverflowBlock})
	if err == nil {
		_, err = factory.Subscribe(target.Resource, target.Scope, target.Shape, s)
	}
	if err != nil {
		panic(err)
	}
	var intake sync.WaitGroup
	intake.Go(func() { _ = factory.Run(ctx) })
	intake.Go(func() { d.deliver(ctx, s) })
	keeping, ended := context.WithCancel(context.Background())
	from := source{"l", ""}.source()
	from.Informers = factory
	var keeps sync.WaitGroup
	keeps.Go(func() { _ = k.Run(keeping, from) })
	intake.Wait()
	ended()
	keeps.Wait()
	s.Discard()
}

func (d *daemon) deliver(ctx context.Context, s *informer.Subscription) {
	for {
		e, err := s.Next(ctx)
		if err != nil {
			return
		}
		frozen := d.world.stopped()
		select {
		case <-d.frozen:
			frozen = true
		default:
		}
		if frozen {
			<-ctx.Done()
			return
		}
		if d.Check() != nil {
			panic("a replica delivers that does not lead")
		}
		d.world.mu.Lock()
		text := fmt.Sprintf("%s:%s/%s", e.Op, e.Object.Name(), e.Object.UID())
		if e.Op != event.Delete {
			text += "@" + e.Object.ResourceVersion()
		}
		d.world.delivered = append(d.world.delivered, text)
		d.world.mu.Unlock()
		e.Done()
	}
}

// end stops the daemon in order.
func (d *daemon) end(t *testing.T) {
	t.Helper()
	d.stop()
	d.running.Wait()
	if err := d.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// kill has the daemon do nothing any more that others see.
func (d *daemon) kill() {
	close(d.frozen)
	d.line.Cut()
}

// bury ends the rest of a killed daemon.
func (d *daemon) bury(t *testing.T) {
	t.Helper()
	<-d.Lost().Done()
	if err := d.Close(); !errors.Is(err, lease.ErrLost) {
		t.Errorf("Close: %v", err)
	}
	d.stop()
	d.running.Wait()
}

func TestAReplicaGoesOnWhereTheOneBeforeHasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.pods.apply("a", "1", "")
		w.pods.apply("b", "2", "")
		a := w.start("a")
		<-a.led
		b := w.start("b")
		time.Sleep(5 * time.Second)
		if got := sortedWords(w.take()); got != "add:a/1@101 add:b/2@102" {
			t.Errorf("delivered: %s", got)
		}
		if leads, _ := a.Leads(); !leads {
			t.Error("the leader does not know that it leads")
		}
		if leads, starting := b.Leads(); leads || starting != "" {
			t.Errorf("the standby leads: %v; starting: %q", leads, starting)
		}
		w.pods.apply("a", "1", "x")
		if got := w.take(); got != "update:a/1@103" {
			t.Errorf("delivered: %s", got)
		}
		begun := time.Now()
		a.end(t)
		w.pods.remove("b")
		w.pods.apply("c", "3", "")
		<-b.led
		if took := time.Since(begun); took > time.Second || b.err != nil {
			t.Errorf("the take-over took %v: %v", took, b.err)
		}
		if got := w.take(); sortedWords(got) != "add:c/3@105 delete:b/2" {
			t.Errorf("delivered: %s", got)
		}
		b.end(t)
	})
}

func sortedWords(text string) string {
	all := strings.Fields(text)
	slices.Sort(all)
	return strings.Join(all, " ")
}

// Nothing is lost if it is killed, and what it did after it has published last comes again.
func TestAReplicaGoesOnWhereTheOneBeforeWasKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		for i, name := range []string{"a", "b", "c"} {
			w.pods.apply(name, fmt.Sprint(i+1), "")
		}
		a := w.start("a")
		<-a.led
		b := w.start("b")
		time.Sleep(5 * time.Second)
		w.take()
		writes := w.leases.Writes(theRecord)
		w.pods.apply("a", "1", "x")
		w.pods.remove("b")
		w.pods.apply("d", "4", "")
		if got := w.take(); got != "update:a/1@104 delete:b/2 add:d/4@106" {
			t.Errorf("delivered: %s", got)
		}
		a.kill()
		if w.leases.Writes(theRecord) != writes {
			t.Fatal("it has published that")
		}
		begun := time.Now()
		w.pods.remove("c")
		w.pods.remove("d")
		w.pods.apply("d", "5", "")
		<-b.led
		if took := time.Since(begun); took > 17*time.Second || b.err != nil {
			t.Errorf("the take-over took %v: %v", took, b.err)
		}
		got := sortedWords(w.take())
		want := "add:d/5@109 delete:b/2 delete:c/3 update:a/1@104"
		if got != want && got != strings.Replace(want, "delete:c/3", "delete:c/3 delete:d/4", 1) {
			t.Errorf("delivered: %s\nwant %s", got, want)
		}
		a.bury(t)
		b.end(t)
	})
}

// A standby that is elected does not wait for what it has asked for before.
func TestAStandbyThatIsElectedWhileItAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		a := w.start("a")
		<-a.led
		b := w.start("b")
		time.Sleep(5 * time.Second)
		w.silent.Store(true)
		time.Sleep(2 * keeper.PublishInterval)
		if w.silent.Load() {
			t.Fatal("it has not asked")
		}
		begun := time.Now()
		a.end(t)
		<-b.led
		if took := time.Since(begun); took > time.Second || b.err != nil {
			t.Errorf("the take-over took %v: %v", took, b.err)
		}
		b.end(t)
	})
}

// A standby says what it waits for.
func TestAStandbySaysWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		a := w.start("a")
		<-a.led
		time.Sleep(5 * time.Second)
		release := w.pods.hold()
		b := w.start("b")
		refuse := true
		b.line.Break(func(_ int, r *http.Request) (f leasetest.Fault) {
			if refuse && strings.HasSuffix(r.URL.Path, "-progress") {
				f.Answer = leasetest.Refusal(http.StatusForbidden, "Forbidden")
			}
			return f
		})
		for _, want := range []string{"it cannot be read what the leader has published: ",
			"the first list of pods is not complete", ""} {
			time.Sleep(3 * keeper.PublishInterval)
			synctest.Wait()
			if leads, starting := b.Leads(); leads || !strings.HasPrefix(starting, want) ||
				(starting == "") != (want == "") {
				t.Errorf("starting: %q, want %q", starting, want)
			}
			if !refuse {
				release()
			}
			b.line.Break(nil)
			refuse = false
		}
		b.end(t)
		a.end(t)
	})
}

// A standby that is stopped, or that cannot take part in the election, does not wait.
func TestLeadEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		a := w.start("a")
		<-a.led
		b := w.start("b")
		time.Sleep(5 * time.Second)
		b.end(t)
		if !errors.Is(b.err, context.Canceled) {
			t.Errorf("Lead: %v", b.err)
		}
		a.end(t)

		impossible := Begin(Config{Lease: lease.Config{Log: quiet}, Client: a.line.Client(),
			Log: quiet, Cluster: w.pods, Targets: func(context.Context) ([]informer.Target, error) {
				return nil, nil
			}})
		if _, err := impossible.Lead(t.Context()); err == nil ||
			!strings.HasPrefix(err.Error(), "the election: ") {
			t.Errorf("Lead: %v", err)
		}
		if err := impossible.Close(); err == nil {
			t.Error("Close does not return why there was no election")
		}
	})
}

// A leader whose record another one has claimed publishes nothing any more.
func TestTheRecordOfAnotherLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		a := w.start("a")
		<-a.led
		time.Sleep(5 * time.Second)
		other := lease.NewRecord(w.leases.NewLine().Client(),
			lease.Config{Namespace: "ns", Name: "name", Identity: "other"})
		if _, err := other.Claim(t.Context()); err != nil {
			t.Fatal(err)
		}
		writes := w.leases.Writes(theRecord)
		w.pods.apply("a", "1", "")
		time.Sleep(5 * time.Second)
		if got := w.leases.Writes(theRecord); got != writes {
			t.Errorf("it was written %d times", got-writes)
		}
		a.end(t)
	})
}
