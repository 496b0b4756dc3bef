package lease

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/informerd/informerd/internal/backoff"
)

// ErrReleased is the cause with which the context of a shard ends that is to be handed over.
var ErrReleased = errors.New("another replica is to have the shard")

const (
	nameLabel          = Label                    // on each Lease: the Name of the configuration
	shardsAnnotation   = "informerd.dev/shards"   // on that of a replica: how many it knows of
	drainingAnnotation = "informerd.dev/draining" // on that of a replica which takes none any more
)

const (
	// longestPoll is the longest time between two looks at the Leases.
	longestPoll = 500 * time.Millisecond
	// writesAtOnce bounds the requests of one replica, so that they do not delay its renewals.
	writesAtOnce = 16
	// garbage is for how many times as long as it is valid the Lease of a dead replica is kept.
	garbage = 10
)

// SharesConfig is what replicas have in common that divide work, but for their Identity. Its Name
// is a DNS label.
type SharesConfig struct {
	Config
	Shards int
	// Starting is why this replica takes no shards before Run is called; "": it has no Lease.
	Starting string
}

// Shares is the part of divided work that this replica has. Make one with NewShares.
type Shares struct {
	cfg    SharesConfig
	client *Client
	own    *Candidate // for the Lease that announces this replica
	wake   chan struct{}

	// These are Run's alone: the Leases of other replicas by name, and whose number of shards was
	// logged to be another one.
	seen    map[string]sighting
	differs string
	holding sync.WaitGroup

	mu       sync.Mutex // guards what follows
	draining bool
	alive    []string
	shards   []shard
	idle     string
}

// sighting is the Lease of another replica, the zero Lease if a shard names one that has none.
type sighting struct {
	lease coordinationv1.Lease
	since time.Time // when it was seen first as it is
}

// shard is what is known of a shard. The Lease is as it was listed or written last, without a
// version if there is none. Run's turns alone change it, with the lock that others read it with.
type shard struct {
	lease  coordinationv1.Lease
	end    context.CancelCauseFunc // of the hold, nil if this replica has none
	ending bool
	rest   time.Time // before which this replica does not take it again
}

// Claim is the hold of a replica on a shard.
type Claim struct {
	Shard int
	Epoch int64 // grows with each claim of the shard, from 1
	Since time.Time
	// Config is that of the shard, for its Record.
	Config Config
}

// SharesStatus is who has which shard, as this replica saw it last.
type SharesStatus struct {
	Replicas []string // that are alive, in order
	Shards   []ShardStatus
	Idle     string // why this replica takes no shards, "" if it does
}

// ShardStatus is who has a shard. A Holder that is not alive is who had it last, and Own says that
// it is this replica.
type ShardStatus struct {
	Index  int
	Holder string
	Since  time.Time
	Epoch  int64
	Own    bool
}

// NewShares returns shares of a replica that does not run yet.
func NewShares(client *Client, cfg SharesConfig) *Shares {
	s := &Shares{cfg: cfg, client: client, wake: make(chan struct{}, 1),
		shards: make([]shard, cfg.Shards),
		idle:   cmp.Or(cfg.Starting, "it has no Lease that announces it")}
	own := cfg.Config
	own.Name = s.replicaName(cfg.Identity)
	s.own = NewCandidate(client, own)
	s.own.announce = s.announce
	return s
}

// Check returns nil if no other replica can hold a shard at this moment that this one holds.
func (s *Shares) Check() error { return s.own.Check() }

// Lost returns a channel that is closed once this replica has lost its shards, at the moment from
// which Check fails, though Run goes on. It stays open if all are handed over.
func (s *Shares) Lost() <-chan struct{} { return s.own.Lost() }

// Drain has the replica hand over all shards, and take none from now on. Run goes on.
func (s *Shares) Drain() {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	poke(s.own.again) // others know from its Lease that they may hold more
	poke(s.wake)
}

// Status returns who has which shard.
func (s *Shares) Status() SharesStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := SharesStatus{Replicas: slices.Clone(s.alive), Idle: s.idle}
	for i := range s.shards {
		sh := &s.shards[i]
		now := ShardStatus{Index: i, Holder: holderOf(&sh.lease),
			Epoch: int64(deref(sh.lease.Spec.LeaseTransitions)), Own: sh.end != nil}
		if now.Holder != "" {
			now.Since = deref(sh.lease.Spec.AcquireTime).Time
		}
		status.Shards = append(status.Shards, now)
	}
	return status
}

// Run calls hold, in a goroutine of its own, for each shard that this replica gets. hold blocks
// while it works on the shard. Its context ends when the shard is to be handed over, with the cause
// ErrReleased, when ctx does, and with the cause ErrLost when this replica has lost the shard.
//
// A shard is released when hold has returned, unless it was lost. If hold has returned before its
// context was done, this replica does not take the shard again before RetryPeriod is over.
//
// Run returns when all have returned: nil when ctx is done, and ErrLost if that has not ended them.
func (s *Shares) Run(ctx context.Context, hold func(context.Context, Claim)) error {
	defer context.AfterFunc(ctx, s.Drain)()
	background := context.WithoutCancel(ctx)
	announced, withdraw := context.WithCancel(background)
	lost, lose := context.WithCancelCause(background)
	work, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(lost, func() { end(context.Cause(lost)) })()
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.own.Run(announced); !errors.Is(err, ErrLost) { // Lost says that sooner
			lose(err)
		}
	})
	running.Go(func() {
		select {
		case <-s.own.Lost():
			if ctx.Err() == nil || s.holds() {
				lose(ErrLost)
			}
			lose(nil)
		case <-lost.Done():
		}
	})
	select {
	case <-s.own.Elected():
		s.divide(lost, work, hold)
	case <-lost.Done():
	case <-ctx.Done():
	}
	s.holding.Wait()
	withdraw()
	running.Wait()
	if err := context.Cause(lost); !errors.Is(err, context.Canceled) {
		return err
	}
	s.leave()
	return nil
}

// leave deletes the Lease that has announced this replica, which has released it.
func (s *Shares) leave() {
	l := &s.own.lease
	if l.ResourceVersion == "" || s.own.isLost() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.cfg.RenewDeadline/2)
	defer cancel()
	if err := s.client.deleteLease(ctx, l); err != nil {
		s.cfg.Log.Debug("the Lease of this replica cannot be deleted", "error", err)
	}
}

// divide takes and hands over shards until work is done and nothing is left to release, or all is
// lost.
func (s *Shares) divide(lost, work context.Context, hold func(context.Context, Claim)) {
	poll := min(s.cfg.RetryPeriod/4, longestPoll)
	failing, conflicts := false, 0
	for {
		begun := time.Now()
		conflict, err := s.turn(lost, work, begun, hold)
		switch {
		case lost.Err() != nil || err == nil && work.Err() != nil && s.released():
			return
		case (err != nil) != failing:
			failing = !failing
			s.logFailing(err)
		}
		pause := backoff.Early(poll) // not in step with other replicas
		if conflicts++; conflict {
			pause = backoff.Early(backoff.Backoff{Min: poll / 8, Max: poll}.Delay(conflicts))
		} else {
			conflicts = 0
		}
		timer := time.NewTimer(min(pause, s.nextExpiry(begun)))
		select {
		case <-lost.Done():
		case <-s.wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (s *Shares) logFailing(err error) {
	if err == nil {
		s.cfg.Log.Info("the Leases of replicas and shards can be listed again")
		return
	}
	s.cfg.Log.Warn("the Leases of replicas and shards cannot be listed, so this replica takes no shards; will try again",
		"error", err)
}

// turn looks at all Leases, and does what follows from them. It reports whether another replica was
// quicker.
func (s *Shares) turn(lost, work context.Context, begun time.Time,
	hold func(context.Context, Claim)) (conflict bool, err error) {
	ctx, cancel := context.WithTimeout(lost, s.cfg.RenewDeadline/2)
	defer cancel()
	leases, err := s.client.leases(ctx, s.cfg.Namespace, labels.Set{nameLabel: s.cfg.Name})
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.idle = err.Error()
		return false, err
	}
	take, release, dead := s.decide(leases, begun, work.Err() != nil)
	var writing sync.WaitGroup
	slots := make(chan struct{}, writesAtOnce)
	errs := make([]error, len(s.shards))
	write := func(f func()) {
		writing.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			f()
		})
	}
	for _, i := range take {
		write(func() { errs[i] = s.claim(ctx, work, i, hold) })
	}
	for _, i := range release {
		write(func() { errs[i] = s.release(ctx, i) })
	}
	for _, l := range dead {
		write(func() { _ = s.client.deleteLease(ctx, &l) }) // another one may have done it
	}
	writing.Wait()
	for i, err := range errs {
		if err != nil {
			s.cfg.Log.Debug("the Lease of a shard cannot be written", "shard", i, "error", err)
			conflict = conflict || apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err)
		}
	}
	take = slices.DeleteFunc(take, func(i int) bool { return errs[i] != nil })
	if len(take) > 0 {
		s.cfg.Log.Info("this replica has taken shards", "shards", take)
	}
	return conflict, nil
}

// decide returns which shards this replica takes, which it releases, and which Leases of dead
// replicas it deletes, as all Leases are that were asked for at a time. It ends holds on shards that
// are to be handed over.
func (s *Shares) decide(leases []coordinationv1.Lease, begun time.Time, over bool) (
	take, release []int, dead []coordinationv1.Lease) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining = s.draining || over // holds may have noticed that before Drain is called
	named := s.observe(leases)
	others, differs := s.count(begun)
	held, free := s.sort(begun)
	most := len(held)
	switch {
	case s.draining:
		most, s.idle = 0, "it hands over its shards"
	case differs != "":
		s.idle = differs
	default:
		most, s.idle = limit(s.cfg.Shards, len(others)+1), ""
	}
	if held = preferred(s.cfg.Identity, others, held); len(held) > most {
		for _, i := range held[most:] {
			s.shards[i].stop(ErrReleased)
		}
		s.cfg.Log.Info("this replica hands over shards", "shards", held[most:])
	}
	room := most - len(held)
	for _, i := range preferred(s.cfg.Identity, others, free) {
		switch sh := &s.shards[i]; {
		case room > 0 && !time.Now().Before(sh.rest):
			take = append(take, i)
			room--
		case holderOf(&sh.lease) == s.cfg.Identity: // of an end, or of a claim that was not answered
			release = append(release, i)
		}
	}
	for _, a := range s.seen {
		if l := a.lease; l.ResourceVersion != "" && !named[holderOf(&l)] &&
			begun.Sub(a.since) >= garbage*s.cfg.validity(&l) {
			dead = append(dead, l)
		}
	}
	return take, release, dead
}

// observe notes the Leases that there are, and returns whom those of shards name. The lock is held.
func (s *Shares) observe(leases []coordinationv1.Lease) (named map[string]bool) {
	now, byName := time.Now(), map[string]coordinationv1.Lease{}
	seen, named := map[string]sighting{}, map[string]bool{}
	sight := func(name string) {
		l, before := byName[name], s.seen[name]
		if before.since.IsZero() || before.lease.ResourceVersion != l.ResourceVersion {
			before = sighting{l, now}
		}
		seen[name] = before
	}
	own := s.own.cfg.Name
	for _, l := range leases {
		byName[l.Name] = l
		if strings.HasPrefix(l.Name, s.replicaPrefix()) && l.Name != own {
			sight(l.Name)
		}
	}
	for i := range s.shards {
		sh := &s.shards[i]
		l, there := byName[s.shardName(i)]
		if !there { // somebody may have deleted it, so that its epoch would begin again
			l.ObjectMeta = metav1.ObjectMeta{Namespace: s.cfg.Namespace, Name: s.shardName(i),
				OwnerReferences: s.cfg.Owners, Labels: map[string]string{nameLabel: s.cfg.Name}}
			l.Spec.LeaseTransitions = sh.lease.Spec.LeaseTransitions
		}
		sh.lease = l
		if holder := holderOf(&l); holder != "" {
			named[holder] = true
			if name := s.replicaName(holder); name != own {
				sight(name)
			}
		}
	}
	s.seen = seen
	return named
}

// count notes which replicas are alive, and returns the others among them that take shards. If one
// knows of another number of shards, differs says so. The lock is held.
func (s *Shares) count(begun time.Time) (others []string, differs string) {
	s.alive = []string{s.cfg.Identity}
	odd, shards := "", 0
	for _, a := range s.seen {
		holder := holderOf(&a.lease)
		if holder == "" || s.expired(a, begun) {
			continue
		}
		s.alive = append(s.alive, holder)
		notes := a.lease.Annotations
		if n, _ := strconv.Atoi(notes[shardsAnnotation]); n != s.cfg.Shards && holder > odd {
			odd, shards = holder, n
		}
		if notes[drainingAnnotation] == "" {
			others = append(others, holder)
		}
	}
	slices.Sort(s.alive)
	if odd != "" {
		differs = fmt.Sprintf("replica %s divides the work into %d shards, and this one into %d", odd,
			shards, s.cfg.Shards)
		if odd != s.differs {
			s.cfg.Log.Error("another replica divides the work into another number of shards, so this one takes none until that is gone",
				"replica", odd, "shards", shards, "here", s.cfg.Shards)
		}
	}
	s.differs = odd
	return others, differs
}

// sort returns the shards that this replica holds and is not to hand over, and those that it can
// take, among which are such that name it though it does not hold them. The lock is held.
func (s *Shares) sort(begun time.Time) (held, free []int) {
	for i := range s.shards {
		sh := &s.shards[i]
		holder := holderOf(&sh.lease)
		switch own := holder == s.cfg.Identity; {
		case sh.end == nil && (own || holder == "" || s.gone(holder, begun)):
			free = append(free, i)
		case sh.end == nil || sh.ending:
		case own:
			held = append(held, i)
		default:
			s.cfg.Log.Error("somebody has changed the Lease of a shard, so this replica does not hold it any more",
				"shard", i)
			sh.stop(ErrLost)
		}
	}
	return held, free
}

// gone reports whether another replica, which the Lease of a shard names, holds none any more.
func (s *Shares) gone(holder string, begun time.Time) bool {
	a := s.seen[s.replicaName(holder)]
	ended := a.lease.ResourceVersion != "" && holderOf(&a.lease) != holder
	return ended || s.expired(a, begun)
}

// expired reports whether a Lease was not renewed in time. begun is when it was asked for: what was
// seen to be as it is until then, the holder has not renewed when it stopped.
func (s *Shares) expired(a sighting, begun time.Time) bool {
	return begun.Sub(a.since) >= s.cfg.validity(&a.lease)
}

// nextExpiry returns how long it takes until the next Lease of another replica expires that had not
// at a time.
func (s *Shares) nextExpiry(begun time.Time) time.Duration {
	next := longestDuration
	for _, a := range s.seen {
		if !s.expired(a, begun) {
			next = min(next, time.Until(a.since.Add(s.cfg.validity(&a.lease))))
		}
	}
	return next
}

// stop ends the hold on a shard. The lock is held.
func (sh *shard) stop(cause error) {
	sh.ending = true
	sh.end(cause)
}

// claim writes this replica into the Lease of a shard. What names it already is written again: a
// request that would release it, and whose end is not known, cannot do so any more.
func (s *Shares) claim(ctx, work context.Context, i int, hold func(context.Context, Claim)) error {
	next, now := s.shards[i].lease.DeepCopy(), metav1.NowMicro()
	next.Spec.HolderIdentity, next.Spec.AcquireTime = &s.cfg.Identity, &now
	next.Spec.LeaseTransitions = oneMore(next.Spec.LeaseTransitions)
	if err := s.write(ctx, i, next); err != nil {
		return err
	}
	c := Claim{Shard: i, Epoch: int64(*next.Spec.LeaseTransitions), Since: now.Time,
		Config: s.cfg.Config}
	c.Config.Name = next.Name
	held, end := context.WithCancelCause(work)
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := &s.shards[i]
	sh.end, sh.ending = end, false
	s.holding.Go(func() {
		hold(held, c)
		s.mu.Lock()
		defer s.mu.Unlock()
		if held.Err() == nil {
			sh.rest = time.Now().Add(s.cfg.RetryPeriod)
		}
		end(nil)
		sh.end = nil
		poke(s.wake)
	})
	return nil
}

// release writes into the Lease of a shard that nobody holds it.
func (s *Shares) release(ctx context.Context, i int) error {
	next := s.shards[i].lease.DeepCopy()
	next.Spec.HolderIdentity = new("")
	return s.write(ctx, i, next)
}

func (s *Shares) write(ctx context.Context, i int, next *coordinationv1.Lease) error {
	written, err := s.client.writeLease(ctx, next)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shards[i].lease = written
	return nil
}

// holds reports whether this replica works on a shard.
func (s *Shares) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.shards, func(sh shard) bool { return sh.end != nil })
}

// released reports whether no shard names this replica any more.
func (s *Shares) released() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !slices.ContainsFunc(s.shards, func(sh shard) bool {
		return sh.end != nil || holderOf(&sh.lease) == s.cfg.Identity
	})
}

// announce adds what others read of this replica to its Lease.
func (s *Shares) announce(m *metav1.ObjectMeta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	metav1.SetMetaDataLabel(m, nameLabel, s.cfg.Name)
	metav1.SetMetaDataAnnotation(m, shardsAnnotation, strconv.Itoa(s.cfg.Shards))
	if s.draining {
		metav1.SetMetaDataAnnotation(m, drainingAnnotation, "true")
	}
}

func (s *Shares) replicaPrefix() string { return s.cfg.Name + "-replica-" }

// replicaName returns the name of the Lease that announces a replica. An identity can have letters
// that a name cannot.
func (s *Shares) replicaName(identity string) string {
	return fmt.Sprintf("%s%016x", s.replicaPrefix(), hash(identity))
}

func (s *Shares) shardName(i int) string { return ShardName(s.cfg.Name, i) }

// ShardName returns the name of the Lease of a shard. The Record of a shard is that of this Lease.
func ShardName(lease string, shard int) string { return fmt.Sprintf("%s-shard-%d", lease, shard) }
