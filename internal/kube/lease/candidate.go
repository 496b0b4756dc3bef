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
	Log                                  *slog.Logger
}

// Candidate wants to be the leader. Make one with NewCandidate.
type Candidate struct {
	cfg    Config
	leases coordination.LeasesGetter
	// elected is closed when the candidate leads for the first and only time.
	elected chan struct{}

	mu      sync.Mutex // guards what follows
	leads   bool       // or has led, until Run ends
	gone    bool       // the Lease is given up, or another one's
	renewed time.Time  // when the request began that renewed the Lease last
}

// NewCandidate returns a candidate that does not run yet.
func NewCandidate(leases coordination.LeasesGetter, cfg Config) *Candidate {
	return &Candidate{cfg: cfg, leases: leases, elected: make(chan struct{})}
}

// Elected returns a channel that is closed once the candidate leads.
func (c *Candidate) Elected() <-chan struct{} { return c.elected }

// Check returns nil if nobody else can be the leader at this moment.
func (c *Candidate) Check() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.leads || c.gone || time.Since(c.renewed) >= c.cfg.RenewDeadline {
		return errNotLeading
	}
	return nil
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
				Client:    c.leases, LockConfig: resourcelock.ResourceLockConfig{
					Identity: c.cfg.Identity}}},
			LeaseDuration: c.cfg.Duration, RenewDeadline: c.cfg.RenewDeadline,
			RetryPeriod:     time.Duration(float64(c.cfg.RetryPeriod) / 2 / (1 + jitter)),
			ReleaseOnCancel: true, Name: c.cfg.Name,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { c.lead(attempt) },
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
func (c *Candidate) lead(attempt context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if attempt.Err() == nil && !c.leads {
		c.leads = true
		close(c.elected)
	}
}

// retire notes that the candidate does not lead any more.
func (c *Candidate) retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leads = false
}

// lose notes that another one may hold the Lease from now on. It reports whether the candidate has
// led.
func (c *Candidate) lose() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = c.leads
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
