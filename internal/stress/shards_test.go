package stress

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/sharding"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/pkg/informer"
)

// sharded is the feature gate with which an API server selects shards itself.
const sharded = "ShardedListAndWatch=true"

// view is an informer of a shard, or of everything, with a listener.
type view struct {
	shard    informer.Shard
	factory  *informer.Factory
	listener *informer.Subscription
	reg      *informer.Registration
	ledger   *ledger
}

func newView(t *testing.T, config *rest.Config, shard informer.Shard) *view {
	t.Helper()
	client, err := informer.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	v := &view{shard: shard, ledger: newLedger(false), factory: informer.NewFactory(client,
		slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})))}
	v.listener, err = informer.NewSubscription(informer.SubscriptionConfig{Name: v.String(),
		Capacity: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	v.reg, err = v.factory.Subscribe(configMaps, informer.Scope{Shard: shard}, informer.Shape{},
		v.listener)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *view) String() string {
	if v.shard == (informer.Shard{}) {
		return "all objects"
	}
	return "shard " + v.shard.String()
}

// has says in Kubernetes' words whether an object is in the shard.
func (v *view) has(uid string) bool {
	if v.shard == (informer.Shard{}) {
		return true
	}
	hash, err := strconv.ParseUint(sharding.HashField(uid), 16, 64)
	if err != nil {
		panic(err) // it is written so
	}
	return hash/(1<<64/parts) == uint64(v.shard.Index)
}

const parts = 4

// work takes events until the context ends.
func (v *view) work(ctx context.Context) error {
	for {
		d, err := v.listener.Next(ctx)
		if err != nil {
			return nil // the context's
		}
		v.ledger.begin(&d, time.Now())
		v.ledger.end(&d, false)
		d.Done()
	}
}

// part returns what of the objects is in the shard.
func (v *view) part(all final) final {
	f := final{}
	for key, id := range all {
		if v.has(id.uid) {
			f[key] = id
		}
	}
	return f
}

// lag returns in what the informer or its listener differ from the API server, "" if in nothing.
func (v *view) lag(end final) string {
	have, err := stored(v.reg.Lister())
	if err != nil {
		return fmt.Sprintf("%s: %v", v, err)
	}
	for what, have := range map[string]final{"store": have, "listener": v.ledger.known()} {
		if key, want, have, differ := v.part(end).differs(have); differ {
			return fmt.Sprintf("%s: the %s has %s as %s, but the server has %s\n%s", v, what, key,
				want, have, v.ledger.of(key))
		}
	}
	return ""
}

// problems checks the ledger at the end.
func (v *view) problems(tr *truth, end final) (found []string) {
	for key, all := range tr.lives {
		var own lives
		for _, l := range all {
			if v.has(l.uid) {
				own = append(own, l)
			}
		}
		if err := v.ledger.check(v.ledger.of(key), own, v.part(end)[key]); err != nil {
			found = append(found, fmt.Sprintf("%s: %s: %v\n%s", v, key, err, v.ledger.of(key)))
		}
	}
	for key := range v.ledger.keys {
		if tr.lives[key] == nil {
			found = append(found, fmt.Sprintf("%s got %s, which was never written", v, key))
		}
	}
	return found
}

// TestShardsTogetherHaveEachObjectOnce has informers of all shards, and one of everything, while the
// API server selects shards, ceases to, and begins again.
func TestShardsTogetherHaveEachObjectOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("the shards need a control plane; skipped with -short")
	}
	s := size{objects: 200, writers: 4, seed: rand.Uint64()}
	t.Logf("seed %d", s.seed)
	ctx, cancel := context.WithTimeoutCause(untilInterrupted(t), patience,
		fmt.Errorf("not done after %v", patience))
	defer cancel()
	r := &shardRun{t: t, cluster: startCluster(ctx, t, "--feature-gates", sharded), truth: newTruth()}
	r.writers = newWriters(r.cluster.writers, r.truth, s)
	config := rest.CopyConfig(r.cluster.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return patient{next, &r.away} })
	for i := range parts {
		r.views = append(r.views, newView(t, config, informer.Shard{By: informer.ByObject, Index: i,
			Count: parts}))
	}
	r.views = append(r.views, newView(t, config, informer.Shard{}))
	if err := r.play(ctx); err != nil {
		t.Fatal(err)
	}
}

type shardRun struct {
	t       *testing.T
	cluster *cluster
	truth   *truth
	writers []*writer
	views   []*view      // the last one is of everything
	away    sync.RWMutex // held while the API server restarts
}

// patient has requests wait for the API server, so that informers do not back off for long.
type patient struct {
	next http.RoundTripper
	away *sync.RWMutex
}

func (p patient) RoundTrip(r *http.Request) (*http.Response, error) {
	p.away.RLock()
	defer p.away.RUnlock()
	return p.next.RoundTrip(r)
}

func (r *shardRun) shards() []*view { return r.views[:parts] }

func (r *shardRun) play(ctx context.Context) (err error) {
	if err := createNamespaces(ctx, r.cluster.writers); err != nil {
		return err
	}
	group, running := newGroup(ctx)
	defer group.stop()
	for _, v := range r.views {
		group.start(func() error { _ = v.factory.Run(running); return nil }) // the error is the context's
		group.start(func() error { return v.work(running) })
	}
	if err := r.writeMore(ctx); err != nil {
		return err
	}
	if _, err := r.converge(ctx); err != nil {
		return err
	}

	before := r.received()
	if err := r.writeMore(ctx); err != nil {
		return err
	}
	if _, err := r.converge(ctx); err != nil {
		return err
	}
	r.checkReceived(before)
	r.checkForeign(make([]uint64, parts))

	if err := r.restart(ctx, "", func(before, s informer.Status) bool {
		return s.Foreign > before.Foreign+20 // more than a list of one object
	}); err != nil {
		return err
	}
	if err := r.restart(ctx, sharded, func(before, s informer.Status) bool {
		return s.Events > before.Events
	}); err != nil {
		return err
	}
	var foreign []uint64
	for _, v := range r.shards() {
		foreign = append(foreign, v.reg.Status().Foreign)
	}
	if err := r.writeMore(ctx); err != nil {
		return err
	}
	end, err := r.converge(ctx)
	if err != nil {
		return err
	}
	r.checkForeign(foreign)
	group.stop()
	for _, v := range r.views {
		for _, problem := range v.problems(r.truth, end) {
			r.t.Error(problem)
		}
		counts, _ := v.ledger.snapshot()
		status := v.reg.Status()
		r.t.Logf("%s: %d objects, %d deletes, %d of them found by a list; %d lists, %d events, %d foreign",
			v, len(v.part(end)), counts.deletes, counts.tombstones, status.Lists, status.Events,
			status.Foreign)
	}
	return nil
}

// during has the writers change objects until f returns.
func (r *shardRun) during(ctx context.Context, f func(context.Context) error) error {
	group, ctx := newGroup(ctx)
	over := make(chan struct{})
	for _, w := range r.writers {
		group.start(func() error { return w.change(ctx, over) })
	}
	group.start(func() error {
		defer close(over)
		return f(ctx)
	})
	return group.wait()
}

func (r *shardRun) writeMore(ctx context.Context) error {
	enough := r.truth.count() + 600
	return r.during(ctx, func(ctx context.Context) error {
		return until(ctx, func() bool { return r.truth.count() >= enough })
	})
}

// restart has the API server begin again with feature gates, under changes that go on until each
// shard's informer has noticed: by what its status was when the server was there again, and is now.
func (r *shardRun) restart(ctx context.Context, gates string,
	noticed func(before, now informer.Status) bool) error {
	begun := time.Now()
	err := r.during(ctx, func(ctx context.Context) error {
		r.away.Lock()
		_, err := r.cluster.run(ctx, "restart-apiserver", "--feature-gates", gates)
		r.away.Unlock()
		if err != nil {
			return err
		}
		var before []informer.Status
		for _, v := range r.shards() {
			before = append(before, v.reg.Status())
		}
		for i, v := range r.shards() {
			if err := until(ctx, func() bool { return noticed(before[i], v.reg.Status()) }); err != nil {
				return fmt.Errorf("%s has not noticed the feature gates %q: %w", v, gates, err)
			}
		}
		return nil
	})
	r.t.Logf("restarted with the feature gates %q in %v", gates, time.Since(begun).Round(time.Millisecond))
	return err
}

// converge waits until all have what the API server has, which it returns.
func (r *shardRun) converge(ctx context.Context) (final, error) {
	end, err := list(ctx, r.cluster.writers)
	if err != nil {
		return nil, err
	}
	for _, v := range r.views {
		if err := until(ctx, func() bool { return v.lag(end) == "" }); err != nil {
			return nil, fmt.Errorf("%w: %s", context.Cause(ctx), v.lag(end))
		}
	}
	return end, nil
}

func (r *shardRun) received() (bytes []uint64) {
	for _, v := range r.views {
		bytes = append(bytes, v.reg.Status().Received)
	}
	return bytes
}

// checkReceived: what the shards have received since then is hardly more than it all is.
func (r *shardRun) checkReceived(before []uint64) {
	after := r.received()
	all, sum := float64(after[parts]-before[parts]), 0.0
	var shares []string
	for i := range parts {
		n := float64(after[i] - before[i])
		sum += n
		shares = append(shares, fmt.Sprintf("%.3f", n/all))
	}
	r.t.Logf("the shards received %s of the %.0f bytes that it all is, together %.3f",
		strings.Join(shares, ", "), all, sum/all)
	if sum > 1.1*all {
		r.t.Errorf("the shards received %.0f bytes, %.2f times as much as it all is", sum, sum/all)
	}
}

// checkForeign: nothing foreign came since then.
func (r *shardRun) checkForeign(before []uint64) {
	for i, v := range r.shards() {
		if n := v.reg.Status().Foreign - before[i]; n > 0 {
			r.t.Errorf("%s: %d foreign objects came, although the API server selects", v, n)
		}
	}
}
