package keeper

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"testing"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// oneCut is a source of informers with a cut that is the same each time.
type oneCut []informer.InformerCut

func (oneCut) Kept([]string) (waiting bool) { return false }

func (c oneCut) Cut() []informer.InformerCut                       { return c }
func (c oneCut) CutAndWhole() (last, whole []informer.InformerCut) { return c, c }

// life is a keeper that runs with a cut.
type life struct {
	t      *testing.T
	dir    string
	keeper *Keeper
	cancel context.CancelFunc
	ended  chan error
}

func live(t *testing.T, dir string, cuts ...informer.InformerCut) *life {
	t.Helper()
	k, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	l := &life{t: t, dir: dir, keeper: k, cancel: cancel, ended: make(chan error, 1)}
	go func() {
		l.ended <- k.Run(ctx, Source{Informers: oneCut(cuts),
			Listeners: func() []Cutter { return nil }, Flush: func() error { return nil }})
	}()
	if err := k.Await(ctx); err != nil {
		t.Fatal(err)
	}
	return l
}

// stop ends it in order, and returns the folder.
func (l *life) stop() string {
	l.t.Helper()
	l.cancel()
	if err := errors.Join(<-l.ended, l.keeper.Close()); err != nil {
		l.t.Fatal(err)
	}
	return l.dir
}

// kill returns a folder as it is when the process is killed.
func (l *life) kill() string {
	l.t.Helper()
	dir := l.t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(l.dir)); err != nil {
		l.t.Fatal(err)
	}
	l.stop()
	return dir
}

// stored returns what a folder has of an informer.
func stored(t *testing.T, dir string, id informer.InformerID) *informer.Stored {
	t.Helper()
	k, err := Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	}()
	return k.Stored(id)
}

// Whoever goes on after a process that was killed learns that something may have been delivered
// after the last cut; after one that ended in order, that nothing was. It does not matter how many
// processes have not asked for the informer between the two.
func TestAKillIsKnown(t *testing.T) {
	id := informer.InformerID{Resource: informer.Resource{Kind: "Pod"}}
	empty := func(func(*object.Object) bool) {}
	cut := informer.InformerCut{Informer: id, Whole: true, Version: "1", Objects: empty,
		Unfinished: []informer.UnfinishedCut{{Subscription: "l", Whole: true}}}
	killed := cut
	killed.Killed = true // by a process before
	asked := func(t *testing.T, dir string, cut informer.InformerCut) *life {
		l := live(t, dir, cut)
		l.keeper.Stored(id)
		return l
	}
	for name, tt := range map[string]struct {
		dir    func(*testing.T) string
		killed bool
	}{
		"stopped": {func(t *testing.T) string { return asked(t, t.TempDir(), cut).stop() }, false},
		"killed":  {func(t *testing.T) string { return asked(t, t.TempDir(), cut).kill() }, true},
		"killed at once, after a stop": {func(t *testing.T) string {
			l := live(t, asked(t, t.TempDir(), cut).stop())
			return l.kill()
		}, true},
		"stopped, and nobody has asked": {func(t *testing.T) string {
			return live(t, asked(t, t.TempDir(), cut).stop()).stop()
		}, false},
		"killed, and nobody has asked": {func(t *testing.T) string {
			return live(t, asked(t, t.TempDir(), cut).kill()).stop()
		}, true},
		"stopped before it has caught up": {func(t *testing.T) string {
			return asked(t, t.TempDir(), killed).stop()
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := stored(t, tt.dir(t), id)
			if s == nil || s.Killed != tt.killed {
				t.Errorf("got %+v, want killed: %t", s, tt.killed)
			}
		})
	}
}

// What a listener may know of an object, on top of what it has finished, comes back as it was.
func TestWhatMayBeKnownComesBack(t *testing.T) {
	parse := func(uid string) *object.Object {
		o, err := (&object.Parser{}).Parse([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":` +
			`{"name":"a","namespace":"shop","uid":"` + uid + `","resourceVersion":"1"}}`))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	id := informer.InformerID{Resource: informer.Resource{Kind: "Pod"}}
	one, two, three := parse("1"), parse("2"), parse("3")
	dir := live(t, t.TempDir(), informer.InformerCut{Informer: id, Whole: true, Version: "1",
		Objects: slices.Values([]*object.Object{three}),
		Unfinished: []informer.UnfinishedCut{{Subscription: "l", Whole: true,
			Entries: []informer.Unfinished{
				{Key: one.Key(), State: one, Present: true, Gone: []*object.Object{two}},
				{Key: event.Key{Name: "b"}, Gone: []*object.Object{two, three}},
			}}}}).stop()
	told := stored(t, dir, id).Unfinished["l"]
	slices.SortFunc(told, func(a, b informer.Unfinished) int { return len(a.Gone) - len(b.Gone) })
	if len(told) != 2 || told[0].State.JSON() != one.JSON() || !told[0].Present ||
		told[0].Gone[0].JSON() != two.JSON() || told[1].State != nil || told[1].Present ||
		told[1].Gone[0].JSON() != two.JSON() || told[1].Gone[1].JSON() != three.JSON() {
		t.Errorf("%+v", told)
	}
}
