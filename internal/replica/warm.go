package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/pkg/informer"
)

// warm is the informers of a standby.
type warm struct {
	cluster *pinned
	factory *informer.Factory
	log     *slog.Logger

	stop    context.CancelFunc
	running sync.WaitGroup

	mu      sync.Mutex // guards what follows
	targets []*watched
}

// watched is an informer with its history.
type watched struct {
	id           informer.InformerID
	subscription *informer.Subscription
	registration *informer.Registration
	history      history
	looks        []uint64 // its versions, when nobody had published anything of it
}

// version returns that of the last event, or of the list, that the informer has seen.
func (x *watched) version() uint64 {
	return parseVersion(x.registration.Status().ResourceVersion)
}

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
	if slices.ContainsFunc(w.targets, func(x *watched) bool { return x.id == t.ID() }) {
		return nil
	}
	s, err := informer.NewSubscription(informer.SubscriptionConfig{
		Name: "standby " + strconv.Itoa(len(w.targets)), Track: true, Transitions: true,
		Overflow: informer.OverflowBlock})
	if err != nil {
		return err
	}
	x := &watched{id: t.ID(), subscription: s}
	if x.registration, err = w.factory.Subscribe(t.Resource, t.Scope, t.Shape, s); err != nil {
		return err
	}
	w.targets = append(w.targets, x)
	w.running.Go(x.follow)
	return nil
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
	_ = w.factory.Cut() // so that versions go on
	for _, x := range w.targets {
		upTo, known := needed[placeOf(x.id)]
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
			return fmt.Errorf("the first list of %s is not complete", x.id.Resource)
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
	complete := map[informer.InformerID]string{}
	for _, cut := range w.factory.Cut() {
		complete[cut.Informer] = cut.Version
	}
	for _, x := range w.targets {
		if at := complete[x.id]; at == "" || parseVersion(at) < newest[placeOf(x.id)] {
			return fmt.Errorf("%s is at version %q, and the leader has had %d", x.id.Resource, at,
				newest[placeOf(x.id)])
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
			return x.id == cut.Informer
		})
		if i < 0 || cut.Version == "" {
			continue
		}
		s := &informer.Stored{Version: cut.Version, Objects: slices.Collect(cut.Objects),
			Gone: cut.Gone, Told: map[string][]informer.Told{}, Killed: !final}
		for name, l := range listeners {
			if part := l.Informers[cut.Informer]; part != nil {
				s.Killed = s.Killed || part.Killed
				s.Told[name] = w.targets[i].history.told(part, s.Objects, final)
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
		return &firstAt{ListWatcher: lw, version: version, log: p.log.With("resource", r.String())}
	}
	return lw
}

// firstAt lists the objects as they were at a version, if the server has that still, and after that
// as everybody does.
type firstAt struct {
	informer.ListWatcher
	version string // "" once it is listed, or known to be too old
	log     *slog.Logger
}

// errNotStreamed has the informer ask for pages.
var errNotStreamed = errors.New("a list of an earlier version is not streamed")

// Watch implements informer.ListWatcher.
func (f *firstAt) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	if f.version != "" && opts.SendInitialEvents != nil && *opts.SendInitialEvents {
		return nil, errNotStreamed
	}
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

// parseVersion returns a resourceVersion as a number, 0 if it is none.
func parseVersion(version string) uint64 {
	n, _ := strconv.ParseUint(cmp.Or(version, "0"), 10, 64)
	return n
}
