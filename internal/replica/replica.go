package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Config is what a replica needs.
type Config struct {
	Lease   lease.Config
	Client  *lease.Client
	Cluster informer.Cluster // in which the standby's informers list and watch
	// Targets returns what the listeners watch, as far as it is there. It may be called again.
	Targets func(context.Context) ([]informer.Target, error)
	// Listeners are the names of those that there are.
	Listeners []string
	Log       *slog.Logger
}

// Replica is one of several daemons. Make one with Begin.
type Replica struct {
	cfg       Config
	candidate *lease.Candidate
	record    *lease.Record

	running sync.WaitGroup
	resign  context.CancelFunc
	lost    context.Context // ends when the candidate may not lead any more, or has resigned

	mu   sync.Mutex // guards what follows
	warm *warm      // nil if there is none, or none any more
	at   string     // what a standby does, "" if it leads
}

// Begin has a replica take part in the election, until it is closed.
func Begin(cfg Config) *Replica {
	r := &Replica{cfg: cfg, candidate: lease.NewCandidate(cfg.Client, cfg.Lease),
		record: lease.NewRecord(cfg.Client, cfg.Lease), at: "it is starting"}
	ctx, resign := context.WithCancel(context.Background())
	lost, end := context.WithCancelCause(context.Background())
	r.resign, r.lost = resign, lost
	r.running.Go(func() { end(r.candidate.Run(ctx)) })
	r.running.Go(func() {
		select {
		case <-r.candidate.Lost():
			end(lease.ErrLost)
		case <-lost.Done():
		}
	})
	return r
}

// TakeOver returns the keeper of what another replica has left of what this one holds already. Lost
// ends when it does not any more. Nothing was kept warm: what there is is listed as it was when the
// other one published last.
func TakeOver(ctx, lost context.Context, cfg Config) (*keeper.Keeper, error) {
	r := &Replica{cfg: cfg, record: lease.NewRecord(cfg.Client, cfg.Lease), lost: lost}
	defer r.endWarm(nil, false)
	return r.takeOver(ctx)
}

// Close releases the Lease, and waits until that is done. It returns the cause of Lost if that has
// ended before.
func (r *Replica) Close() error {
	r.resign()
	r.running.Wait()
	if err := context.Cause(r.lost); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// Lost returns a context that ends when the replica does not lead any more. Its cause is
// lease.ErrLost, or what was wrong with the election.
func (r *Replica) Lost() context.Context { return r.lost }

// Check returns nil if no other replica can be the leader at this moment.
func (r *Replica) Check() error { return r.candidate.Check() }

// Leads reports whether the replica leads. If not, it is ready to, or starting says what is
// missing.
func (r *Replica) Leads() (leads bool, starting string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.candidate.Elected():
		return true, ""
	default:
		return false, r.at
	}
}

const (
	// readTime bounds a request for what the leader has published.
	readTime = 10 * time.Second
	// catchUpTime is how long a successor waits for what the leader had.
	catchUpTime = time.Minute
)

// Lead blocks until the replica leads, with its caches warm meanwhile. It returns the keeper of
// what the leader before has left, with which the listeners go on. The error is ctx's, or that of
// Lost.
func (r *Replica) Lead(ctx context.Context) (*keeper.Keeper, error) {
	defer r.endWarm(nil, false)
	look := time.NewTicker(keeper.PublishInterval)
	defer look.Stop()
	for {
		r.look(ctx)
		select {
		case <-look.C:
			continue
		case <-r.candidate.Elected():
		case <-r.lost.Done():
			return nil, context.Cause(r.lost)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return r.takeOver(ctx)
	}
}

// look has the replica stand by once more, until it is elected or cannot be any more: no answer is
// waited for then.
func (r *Replica) look(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	defer waiting.Wait()
	defer cancel()
	waiting.Go(func() {
		select {
		case <-r.candidate.Elected():
		case <-r.lost.Done():
		case <-ctx.Done():
		}
		cancel()
	})
	r.standBy(ctx)
}

// standBy notes what a standby does once more.
func (r *Replica) standBy(ctx context.Context) {
	at := ""
	if err := r.prepare(ctx); err != nil {
		at = err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = at
}

// prepare looks at what the leader has published, and watches what it watches. The error says why
// the replica is not ready to lead.
func (r *Replica) prepare(ctx context.Context) error {
	reading, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	content, err := r.record.Read(reading)
	if err != nil {
		return fmt.Errorf("it cannot be read what the leader has published: %w", err)
	}
	if content.Holder == "" {
		return nil // there is nothing that the leader could hand over
	}
	_, listeners, err := unpack(content.Data)
	if err != nil {
		r.cfg.Log.Warn("what the leader has published of a listener cannot be read", "error", err)
	}
	w, err := r.watch(ctx, listeners)
	if err != nil {
		return err
	}
	if err = w.reach(oldest(listeners)); err != nil {
		return err
	}
	w.forget(oldest(listeners))
	return w.synced()
}

// watch begins to watch what is not watched yet. The first lists have the objects as they were at
// the oldest version that a listener has come to.
func (r *Replica) watch(ctx context.Context, listeners map[string]*keeper.Progress) (*warm, error) {
	r.mu.Lock()
	w := r.warm
	if w == nil {
		w = newWarm(context.WithoutCancel(ctx), r.cfg.Cluster, r.cfg.Log)
		r.warm = w
	}
	r.mu.Unlock()
	versions := map[place]string{}
	for at, version := range oldest(listeners) {
		versions[at] = fmt.Sprint(version)
	}
	w.cluster.pin(versions)
	targets, err := r.cfg.Targets(ctx)
	for _, t := range targets {
		err = errors.Join(err, w.watch(t))
	}
	return w, err
}

// oldest returns the oldest version that a listener has come to.
func oldest(listeners map[string]*keeper.Progress) map[place]uint64 {
	versions := map[place]uint64{}
	for _, l := range listeners {
		for id, part := range l.Informers {
			version := object.ParseVersion(part.Version)
			if before, known := versions[placeOf(id)]; !known || version < before {
				versions[placeOf(id)] = version
			}
		}
	}
	return versions
}

// newest returns the newest version that an informer of the leader has had.
func newest(listeners map[string]*keeper.Progress) map[place]uint64 {
	versions := map[place]uint64{}
	for _, l := range listeners {
		for id, part := range l.Informers {
			versions[placeOf(id)] = max(versions[placeOf(id)], part.Newest)
		}
	}
	return versions
}

// takeOver claims what the leader before has published, and goes on with it.
func (r *Replica) takeOver(ctx context.Context) (*keeper.Keeper, error) {
	begun := time.Now()
	claiming, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.lost, cancel)()
	content, err := r.claim(claiming)
	if err != nil {
		return nil, err
	}
	segments, listeners, err := unpack(content.Data)
	if err != nil {
		r.cfg.Log.Error("what the leader before has published of a listener cannot be read, so the listener gets all objects again",
			"error", err)
	}
	for name := range listeners {
		if !slices.Contains(r.cfg.Listeners, name) {
			delete(listeners, name)
			delete(segments, name)
		}
	}
	var stored map[informer.InformerID]*informer.Stored
	if len(listeners) > 0 {
		if stored, err = r.catchUp(claiming, listeners, content.Final); err != nil {
			return nil, err
		}
	}
	maps.DeleteFunc(content.Data, func(name string, _ []byte) bool { return segments[name] == nil })
	p := newPublisher(r.lost, r.record, content.Data, r.cfg.Log)
	k, err := keeper.Publish(stored, segments, p.publish, r.cfg.Log)
	if err == nil {
		r.cfg.Log.Info("this replica leads", "before", content.Holder, "listeners", len(listeners),
			"in", time.Since(begun).Round(time.Millisecond))
	}
	return k, err
}

// claim claims the record, and tries until it has.
func (r *Replica) claim(ctx context.Context) (lease.Content, error) {
	for logged := false; ; logged = true {
		content, err := r.record.Claim(ctx)
		if err == nil {
			return content, nil
		}
		if ctx.Err() != nil {
			return content, cmp.Or(context.Cause(r.lost), ctx.Err())
		}
		if !logged {
			r.cfg.Log.Error("this replica leads, and cannot claim what the leader before has published; will try again",
				"error", err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
		}
	}
}

// catchUp returns what there is, with what each listener has to learn of it.
func (r *Replica) catchUp(ctx context.Context, listeners map[string]*keeper.Progress,
	final bool) (map[informer.InformerID]*informer.Stored, error) {
	w, err := r.watch(ctx, listeners)
	if err = errors.Join(err, w.reach(oldest(listeners))); err != nil {
		r.cfg.Log.Error("what listeners watch is not all there, so some get all objects again",
			"error", err)
	}
	waiting, cancel := context.WithTimeout(ctx, catchUpTime)
	defer cancel()
	if err := w.catchUp(waiting, newest(listeners)); err != nil {
		if ctx.Err() != nil {
			return nil, cmp.Or(context.Cause(r.lost), ctx.Err())
		}
		r.cfg.Log.Error("not everything is as new as the leader before had it", "error", err)
	}
	return r.endWarm(listeners, final), nil
}

// endWarm ends the standby's informers, and returns what they have.
func (r *Replica) endWarm(listeners map[string]*keeper.Progress,
	final bool) map[informer.InformerID]*informer.Stored {
	r.mu.Lock()
	w := r.warm
	r.warm = nil
	r.mu.Unlock()
	if w == nil {
		return nil
	}
	return w.end(listeners, final)
}
