package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// warm is the informers of a standby.
type warm struct {
	cluster *pinned
	factory *informer.Factory
	log     *slog.Logger
	begun   int // informers

	stop    context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex // guards what follows
	targets []*watched
}

// watched is an informer with its history.
type watched struct {
	target       informer.Target
	first        *firstAt // nil if its first list is that of the moment
	base         uint64   // from which version on there is a history, 0 if that is unknown
	asked        uint64   // from which one it was asked for
	subscription *informer.Subscription
	registration *informer.Registration
	history      history
	looks        []uint64 // its versions, when nobody had published anything of it
}

// version returns that of the last event, or of the list, that the informer has seen.
func (x *watched) version() uint64 {
	return object.ParseVersion(x.registration.Status().ResourceVersion)
}

// hasRewound reports whether the server is behind what it had. What a leader has published may have
// versions from before that, which mean nothing.
func (x *watched) hasRewound() bool { return x.registration.Status().Relists["rewound"] > 0 }

// newWarm begins to run informers, none so far.
func newWarm(ctx context.Context, cluster informer.Cluster, log *slog.Logger) *warm {
	w := &warm{cluster: &pinned{Cluster: cluster, log: log}, log: log}
	w.factory = informer.NewFactory(w.cluster, log)
	ctx, w.stop = context.WithCancel(ctx)
	w.running.Go(func() { _ = w.factory.Run(ctx) })
	return w
}

// watch begins to watch a target, unless it does so.
func (w *warm) watch(t informer.Target) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if slices.ContainsFunc(w.targets, func(x *watched) bool { return x.target.ID() == t.ID() }) {
		return nil
	}
	x, err := w.begin(t)
	if err == nil {
		w.targets = append(w.targets, x)
	}
	return err
}

// unbounded is the capacity of a buffer whose worker waits for nothing. If the informer had to wait
// for room, its store would be ahead of the history.
const unbounded = math.MaxInt32

// begin begins to watch a target. The caller holds mu.
func (w *warm) begin(t informer.Target) (*watched, error) {
	s, err := informer.NewSubscription(informer.SubscriptionConfig{
		Name: "standby " + strconv.Itoa(w.begun), Track: true, Transitions: true,
		Capacity: unbounded, Overflow: informer.OverflowBlock})
	if err != nil {
		return nil, err
	}
	w.begun++
	x := &watched{target: t, subscription: s}
	if x.registration, err = w.factory.Subscribe(t.Resource, t.Scope, t.Shape, s); err != nil {
		return nil, err
	}
	x.first = w.cluster.made()
	w.running.Go(x.follow)
	return x, nil
}

// reach begins again to watch what has no history from where a listener needs it: the leader
// published nothing of it when the standby began. The first list has the objects of that version.
func (w *warm) reach(needed map[place]uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.complete()
	var errs []error
	for i, x := range w.targets {
		from, known := needed[placeOf(x.target.ID())]
		if !known || x.base <= from || x.asked == from {
			continue
		}
		x.subscription.Stop()
		x.registration.Remove()
		again, err := w.begin(x.target)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		again.asked = from
		w.targets[i] = again
	}
	return errors.Join(errs...)
}

// complete returns up to what versions informers are complete, "" if that is unknown. The caller
// holds mu.
func (w *warm) complete() map[informer.InformerID]string {
	complete := map[informer.InformerID]string{}
	for _, cut := range w.factory.Cut() {
		complete[cut.Informer] = cut.Version
	}
	for _, x := range w.targets {
		if version := complete[x.target.ID()]; x.base == 0 && version != "" {
			x.base = cmp.Or(x.first.at(), object.ParseVersion(version))
		}
	}
	return complete
}

// follow notes what happens, until the subscription has stopped and all of it is noted.
func (x *watched) follow() {
	for {
		d, err := x.subscription.Next(context.Background())
		if err != nil {
			return
		}
		if !d.Initial {
			x.history.note(&d, x.version())
		}
		d.Done()
	}
}

// keptLooks is for how many looks at the leader there is a history of what no listener has
// published anything of: a listener may begin, but nobody does with what is only looked up.
const keptLooks = 30

// look returns up to what version nobody will need the history, although nobody has published how
// far it needs it.
func (x *watched) look() (upTo uint64) {
	x.looks = append(x.looks, x.version())
	if len(x.looks) > keptLooks {
		upTo, x.looks = x.looks[0], x.looks[1:]
	}
	return upTo
}

// forget forgets what no listener needs any more.
func (w *warm) forget(needed map[place]uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.complete() // so that versions go on
	for _, x := range w.targets {
		upTo, known := needed[placeOf(x.target.ID())]
		if !known {
			upTo = x.look()
		}
		x.history.forget(upTo, x.version())
	}
}

// synced returns an error that says which informer has no first list, nil if all have.
func (w *warm) synced() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, x := range w.targets {
		select {
		case <-x.registration.Synced():
		default:
			return fmt.Errorf("the first list of %s is not complete", x.target.Resource)
		}
	}
	return nil
}

// catchUp waits until the informers have all that a leader has had.
func (w *warm) catchUp(ctx context.Context, newest map[place]uint64) error {
	for {
		err := w.behind(newest)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(catchUpPause):
		case <-ctx.Done():
			return err
		}
	}
}

// catchUpPause is the time between two looks at how far informers have come.
const catchUpPause = 5 * time.Millisecond

// behind returns an error that says which informer does not have all that a leader has had.
func (w *warm) behind(newest map[place]uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	complete := w.complete()
	for _, x := range w.targets {
		at, leader := complete[x.target.ID()], newest[placeOf(x.target.ID())]
		if at == "" || object.ParseVersion(at) < leader && !x.hasRewound() {
			return fmt.Errorf("%s is at version %q, and the leader has had %d", x.target.Resource,
				at, leader)
		}
	}
	return nil
}

// end stops the informers, and returns what they have with what each listener has to learn of it.
func (w *warm) end(listeners map[string]*keeper.Progress,
	final bool) map[informer.InformerID]*informer.Stored {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, whole := w.factory.CutAndWhole()
	for _, x := range w.targets {
		x.subscription.Stop()
	}
	w.stop()
	w.running.Wait() // what was offered before the cut is in the histories
	stored := map[informer.InformerID]*informer.Stored{}
	for _, cut := range whole {
		i := slices.IndexFunc(w.targets, func(x *watched) bool {
			return x.target.ID() == cut.Informer
		})
		if i < 0 || cut.Version == "" {
			continue
		}
		s := &informer.Stored{Version: cut.Version, Objects: slices.Collect(cut.Objects),
			Gone: cut.Gone, Unfinished: map[string][]informer.Unfinished{}, Due: map[string]time.Time{},
			Killed: !final}
		for name, l := range listeners {
			if part := l.Informers[cut.Informer]; part != nil {
				if w.targets[i].hasRewound() &&
					object.ParseVersion(cut.Version) < object.ParseVersion(part.Version) {
					part = &keeper.Part{Killed: true, Due: part.Due} // all objects come again
				}
				s.Killed = s.Killed || part.Killed
				s.Unfinished[name] = w.targets[i].history.unfinished(part, s, final && !part.Killed)
				s.Due[name] = part.Due
				if part.Begins {
					s.Begins = append(s.Begins, name)
				}
			}
		}
		stored[cut.Informer] = s
	}
	return stored
}

// place is what is watched, whatever is kept of it.
type place struct {
	resource informer.Resource
	scope    informer.Scope
}

func placeOf(id informer.InformerID) place { return place{id.Resource, id.Scope} }

// pinned is a cluster in which the first list of an informer has the objects as they were at a
// version.
type pinned struct {
	informer.Cluster
	log *slog.Logger

	mu       sync.Mutex
	versions map[place]string
	last     *firstAt // that was made, until somebody has asked for it
}

// pin sets the versions of lists that have not begun.
func (p *pinned) pin(versions map[place]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.versions = versions
}

// ListWatcher implements informer.Cluster.
func (p *pinned) ListWatcher(r informer.Resource, s informer.Scope) informer.ListWatcher {
	p.mu.Lock()
	defer p.mu.Unlock()
	lw := p.Cluster.ListWatcher(r, s)
	if version := p.versions[place{r, s}]; version != "" && version != "0" {
		p.last = &firstAt{ListWatcher: lw, version: version,
			log: p.log.With("resource", r.String())}
		return p.last
	}
	return lw
}

// made returns what was made since it was called last, nil if nothing.
func (p *pinned) made() *firstAt {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := p.last
	p.last = nil
	return last
}

// firstAt lists the objects as they were at a version, if the server has that still, and after that
// as everybody does.
type firstAt struct {
	informer.ListWatcher
	version string // "" once it is listed, or known to be too old
	log     *slog.Logger
	listed  atomic.Uint64 // the version, once it is listed
}

// at returns the version of the list, 0 if there is none or it was another one.
func (f *firstAt) at() uint64 {
	if f == nil {
		return 0
	}
	return f.listed.Load()
}

// errNotStreamed has the informer ask for pages.
var errNotStreamed = errors.New("a list of an earlier version is not streamed")

// Watch implements informer.ListWatcher.
func (f *firstAt) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	if f.version != "" && opts.SendInitialEvents != nil && *opts.SendInitialEvents {
		return nil, errNotStreamed
	}
	f.listed.CompareAndSwap(0, object.ParseVersion(f.version))
	f.version = ""
	return f.ListWatcher.Watch(ctx, opts)
}

// List implements informer.ListWatcher.
func (f *firstAt) List(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	if f.version == "" || opts.Continue != "" {
		return f.ListWatcher.List(ctx, opts)
	}
	opts.ResourceVersion, opts.ResourceVersionMatch = f.version, metav1.ResourceVersionMatchExact
	body, err := f.ListWatcher.List(ctx, opts)
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsInvalid(err) ||
		apierrors.IsBadRequest(err) {
		f.log.Warn("the API server does not have the objects any more as they were when the leader published last: what was deleted since then is missed, and what was changed comes as add",
			"version", f.version, "error", err)
		f.version = ""
	}
	return body, err
}
