package lease_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/kube/lease/leasetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const theLease = "/apis/coordination.k8s.io/v1/namespaces/ns/leases/name"

const (
	duration = 15 * time.Second
	deadline = 10 * time.Second
	retry    = 2 * time.Second
)

func config(identity string) lease.Config {
	return lease.Config{Namespace: "ns", Name: "name", Identity: identity, Duration: duration,
		RenewDeadline: deadline, RetryPeriod: retry, Log: slog.New(slog.DiscardHandler)}
}

// replica is a candidate that runs.
type replica struct {
	*lease.Candidate
	line   *leasetest.Line
	resign context.CancelFunc
	ended  chan error
}

func run(s *leasetest.Server, identity string) *replica { return runWith(s, config(identity)) }

func runWith(s *leasetest.Server, cfg lease.Config) *replica {
	r := &replica{line: s.NewLine(), ended: make(chan error, 1)}
	r.Candidate = lease.NewCandidate(r.line.Client(), cfg)
	ctx, cancel := context.WithCancel(context.Background())
	r.resign = cancel
	go func() { r.ended <- r.Run(ctx) }()
	return r
}

func (r *replica) elected() bool {
	select {
	case <-r.Elected():
		return true
	default:
		return false
	}
}

// end ends the candidate, which must not have led in vain.
func (r *replica) end(t *testing.T) {
	t.Helper()
	r.resign()
	if err := <-r.ended; err != nil {
		t.Errorf("Run: %v", err)
	}
	if r.Check() == nil {
		t.Error("it may still deliver after Run")
	}
}

func TestAtMostOneHoldsTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leasetest.New()
		a := run(s, "a")
		<-a.Elected()
		b := run(s, "b")
		time.Sleep(10 * duration)
		if a.Check() != nil || b.elected() || b.Check() == nil {
			t.Errorf("a: %v; b: elected %v, %v", a.Check(), b.elected(), b.Check())
		}
		b.end(t)
		if a.Check() != nil {
			t.Errorf("another one has gone, and the leader with it: %v", a.Check())
		}
		a.end(t)
	})
}

func TestRunHandsTheLeaseOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leasetest.New()
		a := run(s, "a")
		<-a.Elected()
		b := run(s, "b")
		time.Sleep(duration)
		begun := time.Now()
		a.end(t)
		<-b.Elected()
		if took := time.Since(begun); took > 100*time.Millisecond {
			t.Errorf("the other one has waited for %v", took)
		}
		if b.Check() != nil {
			t.Error(b.Check())
		}
		b.end(t)
	})
}

// Without a watch it takes no longer than half of RetryPeriod.
func TestRunHandsTheLeaseOverWithoutAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leasetest.New()
		a := run(s, "a")
		<-a.Elected()
		b := run(s, "b")
		b.line.Break(func(_ int, r *http.Request) (f leasetest.Fault) {
			if r.URL.Query().Has("fieldSelector") {
				f.Answer = leasetest.Refusal(http.StatusForbidden, "Forbidden")
			}
			return f
		})
		s.Drop()
		time.Sleep(duration)
		begun := time.Now()
		a.end(t)
		<-b.Elected()
		if took := time.Since(begun); took > retry/2 {
			t.Errorf("the other one has waited for %v", took)
		}
		b.end(t)
	})
}

// A leader that is cut off stops before another one begins.
func TestALeaderThatCannotRenew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leasetest.New()
		a := run(s, "a")
		<-a.Elected()
		b := run(s, "b")
		time.Sleep(duration)
		a.line.Cut()
		cut := time.Now()
		for a.Check() == nil {
			if b.elected() {
				t.Fatal("two may deliver")
			}
			time.Sleep(time.Millisecond)
		}
		failed := time.Since(cut)
		if failed > deadline || failed < deadline-retry/2 {
			t.Errorf("Check has failed after %v", failed)
		}
		<-b.Elected()
		// It looks twice: after the last renewal, and when the Lease is over.
		if took := time.Since(cut); took > duration+retry {
			t.Errorf("the other one has waited for %v", took)
		}
		if err := <-a.ended; !errors.Is(err, lease.ErrLost) {
			t.Errorf("Run: %v", err)
		}
		if b.Check() != nil || a.Check() == nil {
			t.Errorf("b: %v; a: %v", b.Check(), a.Check())
		}
		b.end(t)
	})
}

// Nobody waits for a request that the API server does not answer, such as the one that would
// release the Lease.
func TestLostIsClosedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leasetest.New()
		a := run(s, "a")
		<-a.Elected()
		time.Sleep(10 * duration)
		select {
		case <-a.Lost():
			t.Fatal("it leads")
		default:
		}
		var renewed time.Time
		a.line.Break(func(_ int, r *http.Request) (f leasetest.Fault) {
			if r.Method == http.MethodPut {
				renewed = time.Now()
			}
			return f
		})
		time.Sleep(duration)
		a.line.Cut()
		<-a.Lost()
		if took := time.Since(renewed); took != deadline {
			t.Errorf("it was lost %v after the last renewal", took)
		}
		if a.Check() == nil {
			t.Error("it may still deliver")
		}
		if err := <-a.ended; !errors.Is(err, lease.ErrLost) {
			t.Errorf("Run: %v", err)
		}
		if took := time.Since(renewed); took != deadline {
			t.Errorf("Run has ended %v after the last renewal", took)
		}
	})
}

// A leader whose renewal comes too late does not lead any more, although it holds the Lease.
func TestARenewalThatIsTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leasetest.New()
		a := run(s, "a")
		<-a.Elected()
		a.line.Cut()
		<-a.Lost()
		a.line.Mend()
		for range 100 {
			if a.Check() == nil {
				t.Fatal("it may deliver again")
			}
			time.Sleep(retry / 10)
		}
		if err := <-a.ended; !errors.Is(err, lease.ErrLost) {
			t.Errorf("Run: %v", err)
		}
	})
}

// A replica that resigns has lost nothing.
func TestNothingIsLostByRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := run(leasetest.New(), "a")
		<-a.Elected()
		time.Sleep(duration)
		a.end(t)
		time.Sleep(duration)
		select {
		case <-a.Lost():
			t.Error("it has resigned")
		default:
		}
	})
}

// A leader that cannot renew the Lease does not release it for whoever has it by then.
func TestALeaderThatWasCutOffLeavesTheLeaseToItsSuccessor(t *testing.T) {
	for range 20 { // when it asks for the last time is chance
		synctest.Test(t, testSuccessor)
	}
}

func testSuccessor(t *testing.T) {
	s := leasetest.New()
	a := run(s, "a")
	<-a.Elected()
	b, c := run(s, "b"), run(s, "c")
	time.Sleep(duration)
	a.line.Cut()
	time.Sleep(deadline - retry/2) // it asks for the last time
	var successor, other *replica
	select {
	case <-b.Elected():
		successor, other = b, c
	case <-c.Elected():
		successor, other = c, b
	}
	a.line.Mend()
	<-a.ended
	for range 100 {
		time.Sleep(retry / 10)
		if successor.Check() != nil || other.elected() {
			t.Fatalf("the successor: %v; another one is elected: %v", successor.Check(),
				other.elected())
		}
	}
	other.end(t)
	successor.end(t)
}

// A Lease that somebody has deleted is another one's at once.
func TestALeaderThatSeesAnotherHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leasetest.New()
		a := run(s, "a")
		<-a.Elected()
		b := run(s, "b")
		time.Sleep(duration)
		a.line.Cut()
		s.Delete(theLease)
		<-b.Elected()
		a.line.Mend()
		begun := time.Now()
		if err := <-a.ended; !errors.Is(err, lease.ErrLost) {
			t.Errorf("Run: %v", err)
		}
		if took := time.Since(begun); took > retry/2 {
			t.Errorf("Run has ended after %v", took)
		}
		if b.Check() != nil {
			t.Error(b.Check())
		}
		b.end(t)
	})
}

// How long a Lease is valid depends on when it was seen, not on what its holder's clock says, nor on
// what no holder writes.
func TestClocksOfOthersDoNotMatter(t *testing.T) {
	for _, spec := range []string{
		`"leaseDurationSeconds":15,"renewTime":"1999-01-01T00:00:00.000000Z"`,
		`"leaseDurationSeconds":15,"renewTime":"2999-01-01T00:00:00.000000Z"`,
		`"leaseDurationSeconds":2147483647`, `"leaseDurationSeconds":3601`, `"leaseDurationSeconds":0`,
		`"leaseDurationSeconds":-1`, `"leaseDurationSeconds":null`,
		`"leaseDurationSeconds":15,"leaseTransitions":2147483647`,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := leasetest.New()
			s.Put(theLease, `{"metadata":{"name":"name","namespace":"ns"},"spec":{
				"holderIdentity":"killed",`+spec+`}}`)
			begun := time.Now()
			a := run(s, "a")
			<-a.Elected()
			if took := time.Since(begun); took < duration || took > duration+retry/2 {
				t.Errorf("%s: it leads after %v", spec, took)
			}
			if lease := s.Object(theLease); strings.Contains(lease, `"leaseTransitions":-`) {
				t.Errorf("%s: the API server refuses %s", spec, lease)
			}
			a.end(t)
		})
	}
}

// A request that is not answered leaves time for another one.
func TestAnAnswerThatDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leasetest.New()
		a := run(s, "a")
		<-a.Elected()
		time.Sleep(duration)
		a.line.Break(func(n int, r *http.Request) (f leasetest.Fault) {
			if n == 1 {
				<-r.Context().Done()
				f.Lost = r.Context().Err()
			}
			return f
		})
		time.Sleep(duration)
		if a.Check() != nil || len(a.ended) > 0 {
			t.Errorf("it does not lead any more: %v", a.Check())
		}
		a.end(t)
	})
}

// Check fails while the Lease is given up, since another one may have it by then.
func TestCheckFailsBeforeTheLeaseIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := leasetest.New()
		a := run(s, "a")
		<-a.Elected()
		time.Sleep(duration)
		checked := make(chan error, 1)
		a.line.Break(func(_ int, r *http.Request) (f leasetest.Fault) {
			if r.Method == http.MethodPut {
				checked <- a.Check()
			}
			return f
		})
		a.end(t)
		if <-checked == nil {
			t.Error("it might deliver while it releases the Lease")
		}
	})
}

func TestRunRefusesImpossibleTimes(t *testing.T) {
	cfg := config("a")
	cfg.Duration = cfg.RenewDeadline
	c := lease.NewCandidate(leasetest.New().NewLine().Client(), cfg)
	if err := c.Run(t.Context()); err == nil || errors.Is(err, lease.ErrLost) {
		t.Errorf("Run: %v", err)
	}
}
