package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/informerd/informerd/internal/backoff"
)

// ErrLost is the error of a leader that could not renew its Lease.
var ErrLost = errors.New("the Lease could not be renewed, so another replica leads")

// errNotLeading is the error of Check.
var errNotLeading = errors.New("this replica does not lead, or may not any more")

// Config is what replicas have in common, but for their Identity.
type Config struct {
	Namespace, Name string
	Identity        string // that no other replica has
	// Duration is how long a Lease is valid that nobody renews, and RenewDeadline how long its
	// holder tries to. RetryPeriod is at least twice as long as the longest time between two tries.
	Duration, RenewDeadline, RetryPeriod time.Duration
	// Owners own the Lease and the Record, if these are made here: they go with them.
	Owners []metav1.OwnerReference
	Log    *slog.Logger
}

// Candidate wants to be the leader. Make one with NewCandidate.
type Candidate struct {
	cfg    Config
	leases coordination.LeasesGetter
	// elected is closed when the candidate leads for the first and only time, and lost when it has
	// led and may not any more.
	elected, lost chan struct{}

	mu      sync.Mutex         // guards what follows
	leads   bool               // or has led, until Run ends
	gone    bool               // the Lease is given up, another one's, or not renewed in time
	renewed time.Time          // when the request began that renewed the Lease last
	end     context.CancelFunc // of the attempt in which the candidate leads
	timer   *time.Timer        // that ends its lead unless the Lease is renewed
}

// NewCandidate returns a candidate that does not run yet.
func NewCandidate(leases coordination.LeasesGetter, cfg Config) *Candidate {
	return &Candidate{cfg: cfg, leases: leases, elected: make(chan struct{}),
		lost: make(chan struct{})}
}

// Elected returns a channel that is closed once the candidate leads.
func (c *Candidate) Elected() <-chan struct{} { return c.elected }

// Lost returns a channel that is closed once the candidate has led and may not any more, at the
// moment from which Check fails. What Run still has to do, such as a request that nobody answers,
// does not delay that. It stays open if the candidate resigns.
func (c *Candidate) Lost() <-chan struct{} { return c.lost }

// Check returns nil if nobody else can be the leader at this moment.
func (c *Candidate) Check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.leads || c.gone || c.remaining() <= 0 {
		return errNotLeading
	}
	return nil
}

// remaining returns for how long the candidate may lead without another renewal. The lock is held.
func (c *Candidate) remaining() time.Duration {
	return c.cfg.RenewDeadline - time.Since(c.renewed)
}

// jitter is by how much client-go makes the time between two tries longer at random.
const jitter = leaderelection.JitterFactor

// Run takes part in the election until ctx is done, then releases the Lease, and returns nil. It
// returns ErrLost if the candidate has led and does not any more.
func (c *Candidate) Run(ctx context.Context) error {
	defer c.retire()
	for ctx.Err() == nil {
		attempt, end := context.WithCancel(ctx)
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &lock{candidate: c, end: end, LeaseLock: &resourcelock.LeaseLock{
				LeaseMeta: metav1.ObjectMeta{Namespace: c.cfg.Namespace, Name: c.cfg.Name},
				Client:    owned{c.leases, c.cfg.Owners},
				LockConfig: resourcelock.ResourceLockConfig{
					Identity: c.cfg.Identity}}},
			LeaseDuration: c.cfg.Duration, RenewDeadline: c.cfg.RenewDeadline,
			RetryPeriod:     time.Duration(float64(c.cfg.RetryPeriod) / 2 / (1 + jitter)),
			ReleaseOnCancel: true, Name: c.cfg.Name,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { c.lead(attempt, end) },
				OnStoppedLeading: func() {},
				OnNewLeader:      c.observe,
			},
		})
		if err != nil {
			end()
			return fmt.Errorf("the election: %w", err)
		}
		var watching sync.WaitGroup
		watching.Go(func() { c.watch(attempt, end) })
		elector.Run(attempt)
		end()
		watching.Wait()
		if c.hasLed() && ctx.Err() == nil {
			return ErrLost
		}
	}
	return nil
}

// lead notes that the candidate leads, unless its attempt has ended already.
func (c *Candidate) lead(attempt context.Context, end context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if attempt.Err() == nil && !c.leads {
		c.leads, c.end = true, end
		c.timer = time.AfterFunc(c.remaining(), c.expire)
		close(c.elected)
	}
}

// expire ends a lead that was not renewed in time.
func (c *Candidate) expire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.leads || c.gone {
		return
	}
	if left := c.remaining(); left > 0 { // it was renewed meanwhile
		c.timer.Reset(left)
		return
	}
	c.gone = true
	close(c.lost)
	c.end()
}

// retire notes that the candidate does not lead any more.
func (c *Candidate) retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leads = false
	if c.timer != nil {
		c.timer.Stop()
	}
}

// release notes that another one may hold the Lease from now on.
func (c *Candidate) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = c.leads
}

// lose notes that another one holds the Lease. It reports whether the candidate has led.
func (c *Candidate) lose() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leads && !c.gone {
		c.gone = true
		close(c.lost)
	}
	return c.leads
}

func (c *Candidate) hasLed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leads
}

// renew notes that a request which began at a time has renewed the Lease.
func (c *Candidate) renew(begun time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.renewed = begun
}

func (c *Candidate) observe(leader string) {
	if leader != "" && leader != c.cfg.Identity {
		c.cfg.Log.Info("another replica leads", "leader", leader)
	}
}

// watch ends an attempt when the holder releases the Lease, so that the next one begins at once.
func (c *Candidate) watch(ctx context.Context, end context.CancelFunc) {
	for ctx.Err() == nil {
		if err := c.watchOnce(ctx, end); err != nil {
			c.cfg.Log.Debug("the Lease cannot be watched; it is asked for from time to time",
				"error", err)
		}
		if backoff.Sleep(ctx, c.cfg.RetryPeriod) != nil {
			return
		}
	}
}

func (c *Candidate) watchOnce(ctx context.Context, end context.CancelFunc) error {
	one := fields.OneTermEqualSelector(metav1.ObjectNameField, c.cfg.Name).String()
	leases := c.leases.Leases(c.cfg.Namespace)
	// Only what happens from now on: as it is, the attempt sees it itself.
	list, err := leases.List(ctx, metav1.ListOptions{FieldSelector: one})
	if err != nil {
		return err
	}
	w, err := leases.Watch(ctx, metav1.ListOptions{FieldSelector: one,
		ResourceVersion: list.ResourceVersion})
	if err != nil {
		return err
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		l, ok := e.Object.(*coordinationv1.Lease)
		if ok && (l.Spec.HolderIdentity == nil || *l.Spec.HolderIdentity == "") {
			c.endUnlessLeading(end)
		}
	}
	return nil
}

func (c *Candidate) endUnlessLeading(end context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.leads {
		end()
	}
}
