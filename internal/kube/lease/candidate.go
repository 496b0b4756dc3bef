package lease

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/backoff"
)

// ErrLost is the error of a leader that could not renew its Lease.
var ErrLost = errors.New("the Lease could not be renewed, so another replica leads")

// errNotLeading is the error of Check.
var errNotLeading = errors.New("this replica does not lead, or may not any more")

// longestDuration is the longest leaseDuration that a configuration may have.
const longestDuration = time.Hour

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
	client *Client
	// lease is the Lease as it was read or written last, observed what it said when it was seen to
	// change last. They are Run's alone.
	lease    coordinationv1.Lease
	observed coordinationv1.LeaseSpec
	seen     time.Time
	// elected is closed when the candidate leads for the first and only time, and lost when it has
	// led and may not any more.
	elected, lost chan struct{}
	// announce, if there is one, adds to a Lease that nobody else wants, and so nobody watches, what
	// others read there.
	announce func(*metav1.ObjectMeta)
	again    chan struct{} // asks for another try at once

	mu      sync.Mutex         // guards what follows
	leads   bool               // or has led, until Run ends
	gone    bool               // the Lease is given up, another one's, or not renewed in time
	renewed time.Time          // when the request began that renewed the Lease last
	end     context.CancelFunc // of what Run asks the server
	timer   *time.Timer        // that ends its lead unless the Lease is renewed
}

// NewCandidate returns a candidate that does not run yet.
func NewCandidate(client *Client, cfg Config) *Candidate {
	return &Candidate{cfg: cfg, client: client, elected: make(chan struct{}),
		lost: make(chan struct{}), again: make(chan struct{}, 1)}
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

// Run takes part in the election until ctx is done, then releases the Lease, and returns nil. It
// returns ErrLost if the candidate has led and does not any more.
func (c *Candidate) Run(ctx context.Context) error {
	if c.cfg.Duration <= c.cfg.RenewDeadline || c.cfg.RenewDeadline <= c.cfg.RetryPeriod {
		return fmt.Errorf("the election: a Lease of %v cannot be renewed for %v, each %v",
			c.cfg.Duration, c.cfg.RenewDeadline, c.cfg.RetryPeriod)
	}
	tries, end := context.WithCancel(ctx)
	c.mu.Lock()
	c.end = end
	c.mu.Unlock()
	var watching sync.WaitGroup
	if c.announce == nil {
		watching.Go(func() { c.watch(tries) })
	}
	defer func() {
		end()
		watching.Wait()
		c.retire()
	}()
	for {
		if err := c.attempt(tries); err != nil && tries.Err() == nil {
			c.cfg.Log.Debug("the Lease cannot be had", "error", err)
		}
		// Two tries are at most half of RetryPeriod apart, so that one that is not answered leaves
		// time for others. They are not in step with those of other candidates.
		pause := time.NewTimer(c.cfg.RetryPeriod/4 + rand.N(c.cfg.RetryPeriod/4))
		select {
		case <-tries.Done():
		case <-c.lost:
		case <-c.again:
		case <-pause.C:
		}
		pause.Stop()
		switch {
		case c.isLost():
			return ErrLost
		case tries.Err() != nil:
			c.release()
			return nil
		}
	}
}

// attempt acquires or renews the Lease once, unless another candidate holds it.
func (c *Candidate) attempt(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.RenewDeadline/2)
	defer cancel()
	if c.hasLed() { // most likely nobody else has written it
		if err := c.hold(ctx); err == nil || ctx.Err() != nil {
			return err
		}
	}
	err := c.read(ctx)
	if apierrors.IsNotFound(err) {
		c.lease = coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: c.cfg.Namespace,
			Name: c.cfg.Name, OwnerReferences: c.cfg.Owners}}
		return c.hold(ctx)
	}
	if err != nil {
		return err
	}
	if c.taken() {
		c.lose()
		return nil
	}
	return c.hold(ctx)
}

func (c *Candidate) read(ctx context.Context) error {
	var l coordinationv1.Lease
	if err := c.client.get(ctx, c.path(), &l); err != nil {
		return err
	}
	c.observe(l)
	return nil
}

// observe notes when the Lease was seen first as it is: how long it is valid does not depend on the
// clock of its holder.
func (c *Candidate) observe(l coordinationv1.Lease) {
	c.lease = l
	if equality.Semantic.DeepEqual(c.observed, c.lease.Spec) {
		return
	}
	if holder := holderOf(&c.lease); holder != "" && holder != c.cfg.Identity &&
		holder != deref(c.observed.HolderIdentity) {
		c.cfg.Log.Info("another replica leads", "leader", holder)
	}
	c.lease.Spec.DeepCopyInto(&c.observed)
	c.seen = time.Now()
}

// taken reports whether another candidate holds the Lease. A leader does not take it from another
// one, however old it is.
func (c *Candidate) taken() bool {
	holder := holderOf(&c.lease)
	return holder != "" && holder != c.cfg.Identity &&
		(c.hasLed() || time.Since(c.seen) < c.cfg.validity(&c.lease))
}

// validity returns how long a Lease is valid that does not change. No candidate writes a duration
// out of the range: it would lock all of them out for good, or let two lead.
func (cfg *Config) validity(l *coordinationv1.Lease) time.Duration {
	valid := time.Duration(deref(l.Spec.LeaseDurationSeconds)) * time.Second
	if valid < time.Second || valid > longestDuration {
		return cfg.Duration
	}
	return valid
}

// hold writes this candidate into the Lease, as it was read or written last.
func (c *Candidate) hold(ctx context.Context) error {
	begun := time.Now()
	next, now := c.lease.DeepCopy(), metav1.NewMicroTime(begun)
	if s := &next.Spec; holderOf(next) != c.cfg.Identity {
		s.HolderIdentity, s.AcquireTime = &c.cfg.Identity, &now
		s.LeaseTransitions = new(deref(s.LeaseTransitions))
		if next.ResourceVersion != "" {
			s.LeaseTransitions = oneMore(s.LeaseTransitions)
		}
	}
	if c.announce != nil {
		c.announce(&next.ObjectMeta)
	}
	next.Spec.RenewTime = &now
	next.Spec.LeaseDurationSeconds = new(int32(c.cfg.Duration / time.Second))
	if err := c.write(ctx, next); err != nil {
		return err
	}
	c.lead(begun)
	return nil
}

// oneMore returns how often a Lease has changed hands after it did so once more. One more than the
// largest number would be negative, which the API server refuses.
func oneMore(transitions *int32) *int32 {
	n := deref(transitions)
	if n < math.MaxInt32 {
		n++
	}
	return &n
}

func (c *Candidate) write(ctx context.Context, next *coordinationv1.Lease) error {
	written, err := c.client.writeLease(ctx, next)
	if err == nil {
		c.observe(written)
	}
	return err
}

// release gives the Lease up, if this candidate has it, so that another one can have it at once.
func (c *Candidate) release() {
	if !c.giveUp() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.cfg.RenewDeadline)
	defer cancel()
	for range 2 { // the second time with what somebody else may have written
		if holderOf(&c.lease) != c.cfg.Identity {
			return
		}
		next := c.lease.DeepCopy()
		next.Spec.HolderIdentity, next.Spec.LeaseDurationSeconds = new(""), new(int32(1))
		err := c.write(ctx, next)
		if err == nil {
			return
		}
		c.cfg.Log.Debug("the Lease cannot be released", "error", err)
		if !apierrors.IsConflict(err) || c.read(ctx) != nil {
			return
		}
	}
}

func (c *Candidate) path() string { return leasesPath(c.cfg.Namespace) + "/" + c.cfg.Name }

func leasesPath(namespace string) string {
	return "/apis/coordination.k8s.io/v1/namespaces/" + namespace + "/leases"
}

func holderOf(l *coordinationv1.Lease) string { return deref(l.Spec.HolderIdentity) }

// deref returns what a field has, the zero value if it is not set.
func deref[T any](field *T) (value T) {
	if field != nil {
		value = *field
	}
	return value
}

// lead notes that a request which began at a time has acquired or renewed the Lease. An answer that
// is too late renews nothing: where a Lease only announces its holder, nobody has written to it who
// has taken over meanwhile. A machine that has slept may see it before the timer ends.
func (c *Candidate) lead(begun time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case !c.leads:
		c.leads, c.renewed = true, begun
		c.timer = time.AfterFunc(c.remaining(), c.expire)
		close(c.elected)
	case c.remaining() > 0:
		c.renewed = begun
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

// giveUp notes that another one may hold the Lease from now on. It reports whether the candidate
// has led until now.
func (c *Candidate) giveUp() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.leads && !c.gone
	c.gone = c.leads
	return was
}

// lose notes that another one holds the Lease.
func (c *Candidate) lose() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leads && !c.gone {
		c.gone = true
		close(c.lost)
	}
}

// poke asks for something that may be asked for already.
func poke(asked chan<- struct{}) {
	select {
	case asked <- struct{}{}:
	default:
	}
}

func (c *Candidate) isLost() bool {
	select {
	case <-c.lost:
		return true
	default:
		return false
	}
}

func (c *Candidate) hasLed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leads
}

// watch asks for another try when the holder releases the Lease.
func (c *Candidate) watch(ctx context.Context) {
	for ctx.Err() == nil {
		err := c.client.watch(ctx, leasesPath(c.cfg.Namespace), c.cfg.Name,
			func(l *coordinationv1.Lease) {
				if holderOf(l) == "" {
					poke(c.again)
				}
			})
		if err != nil {
			c.cfg.Log.Debug("the Lease cannot be watched; it is asked for from time to time",
				"error", err)
		}
		if backoff.Sleep(ctx, c.cfg.RetryPeriod) != nil {
			return
		}
	}
}
