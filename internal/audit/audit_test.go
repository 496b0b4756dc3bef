package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// world is a cluster, and what those on the way of its events say.
type world struct {
	t       *testing.T
	cluster map[string]uint64 // the versions of its objects
	version uint64
	passed  map[uint64]informer.Passed
	held    bool
	buffer  map[string]bool
	outputs map[string]bool
	blocked bool
	queued  int
	ended   map[uint64]object.Key
	stored  []object.Key
	check   error
	ledger  *ledger.Ledger
	// later is called once, when the audit asks again.
	later func()
	asked int
	// page is called before each page, and may fail.
	page  func(page int) error
	pages int
}

func newWorld(t *testing.T) *world {
	return &world{t: t, cluster: map[string]uint64{}, version: 100, buffer: map[string]bool{},
		outputs: map[string]bool{}, passed: map[uint64]informer.Passed{},
		ended: map[uint64]object.Key{}, ledger: &ledger.Ledger{}}
}

func keyOf(name string) object.Key { return object.Key{Namespace: "shop", Name: name} }

func (w *world) object(name string, version uint64) *object.Object {
	w.t.Helper()
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":%q,"resourceVersion":"%d"}}`,
		name, version))
	if err != nil {
		w.t.Fatal(err)
	}
	return o
}

// is puts an object into the cluster, in a version that the informer has handed on.
func (w *world) is(name string, version uint64) *object.Object {
	w.cluster[name] = version
	w.passed[keyOf(name).Hash()] = informer.Passed{Version: version, Known: true}
	return w.object(name, version)
}

// ends notes how the event of an object ended.
func (w *world) ends(o *object.Object, s ledger.State) {
	w.ledger.Settle(ledger.MarkOf(o), event.Update, s)
}

// list answers with pages of two objects.
func (w *world) list(_ context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	w.pages++
	if w.page != nil {
		if err := w.page(w.pages); err != nil {
			return nil, err
		}
	}
	names := slices.Sorted(maps.Keys(w.cluster))
	from, _ := strconv.Atoi(opts.Continue)
	to := min(from+2, len(names))
	var items []string
	for _, name := range names[from:to] {
		items = append(items, fmt.Sprintf(
			`{"metadata":{"namespace":"shop","name":%q,"uid":"u-%s","resourceVersion":"%d"}}`, name,
			name, w.cluster[name]))
	}
	next := ""
	if to < len(names) {
		next = strconv.Itoa(to)
	}
	text := fmt.Sprintf(`{"metadata":{"resourceVersion":"%d","continue":%q},"items":[%s]}`,
		w.version, next, strings.Join(items, ","))
	return io.NopCloser(strings.NewReader(text)), nil
}

func (w *world) run(o Options) (Summary, []string, error) {
	add := func(from map[string]bool, to map[uint64]struct{}) {
		for name := range from {
			to[keyOf(name).Hash()] = struct{}{}
		}
	}
	part := Part{
		List: w.list,
		Passed: func(hashes []uint64) (all []informer.Passed, version uint64, held bool) {
			if w.asked++; w.asked == 5 && w.later != nil {
				w.later()
			}
			for _, hash := range hashes {
				all = append(all, w.passed[hash])
			}
			return all, w.version, w.held
		},
		Ended: func(hash uint64) (object.Key, bool) {
			key, known := w.ended[hash]
			return key, known
		},
		Stored: slices.Values(w.stored), Queued: func() int { return w.queued },
	}
	l := Listener{Name: "l", Ledger: w.ledger, Parts: []Part{part},
		Buffer: func(to map[uint64]struct{}) bool {
			add(w.buffer, to)
			return w.blocked
		},
		Outputs: func(to map[uint64]struct{}) { add(w.outputs, to) },
		Check:   func() error { return w.check }}
	var lines []string
	s, err := Run(w.t.Context(), l, o, func(o Object) {
		line := o.Name + " " + o.Outcome
		if o.Reason != "" {
			line += ": " + o.Reason
		}
		if o.Deleted {
			line += " (deleted)"
		}
		lines = append(lines, line)
	})
	slices.Sort(lines)
	return s, lines, err
}

// expect wants an audit to report these lines.
func (w *world) expect(o Options, want ...string) Summary {
	w.t.Helper()
	s, got, err := w.run(o)
	if err != nil || !slices.Equal(got, want) {
		w.t.Errorf("%v, got\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	return s
}

// Each outcome is reported or, if all is well, counted.
func TestOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for name, s := range map[string]ledger.State{"delivered": ledger.Delivered,
			"selected": ledger.Unselected, "matched": ledger.Unmatched, "own": ledger.Own,
			"judged": ledger.Judged, "letter": ledger.DeadLetter, "full": ledger.Dropped,
			"earlier": ledger.Earlier, "unwanted": ledger.Unwanted} {
			w.ends(w.is(name, 7), s)
		}
		w.is("refused", 8)
		w.passed[keyOf("refused").Hash()] = informer.Passed{Version: 8, Refused: true, Known: true}
		w.is("buffered", 9)
		w.buffer["buffered"] = true
		w.ledger.Pass(ledger.MarkOf(w.is("sent", 10)), event.Add, 2)
		w.ends(w.is("sent before", 10), ledger.Earlier)
		w.outputs["sent"], w.outputs["sent before"] = true, true
		w.ledger.Dropped(w.is("dropped", 11), false)
		s := w.expect(Options{}, "buffered waiting: buffer", "dropped dropped: buffer",
			"full dropped: output", "letter dead letter", "sent before waiting: output",
			"sent waiting: output")
		want := map[string]int{"delivered": 1, "filtered": 6, "earlier": 1, "dropped": 2,
			"dead letter": 1, "waiting": 3}
		if s.Objects != 14 || !maps.Equal(s.Counts, want) || s.Listener != "l" {
			t.Errorf("%+v", s)
		}
		looked := 0
		s = w.expect(Options{All: true, Progress: func(n int) { looked = n }},
			"buffered waiting: buffer", "delivered delivered", "dropped dropped: buffer",
			"earlier earlier", "full dropped: output", "judged filtered: only rules",
			"letter dead letter", "matched filtered: filter", "own filtered: own patch",
			"refused filtered: before the buffer", "selected filtered: select",
			"sent before waiting: output", "sent waiting: output", "unwanted filtered: outputs")
		if looked != 14 || s.Seconds != 0 {
			t.Errorf("%d objects, %v", looked, s.Seconds)
		}
	})
}

// What nobody has is never seen, and where it was lost is said. That takes the patience.
func TestHoles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.ends(w.is("lost", 7), ledger.Delivered)
		w.is("lost", 8)
		w.ledger.Pass(ledger.MarkOf(w.is("on its way", 8)), event.Update, 1)
		w.ends(w.is("behind", 7), ledger.Delivered)
		w.cluster["behind"] = 9
		w.cluster["unknown"] = 9
		w.is("never offered", 9)
		began := time.Now()
		w.expect(Options{Patience: time.Minute}, "behind never seen: "+behind,
			"lost never seen: "+lost, "never offered never seen: "+lost,
			"on its way never seen: "+lostOnWay, "unknown never seen: "+behind)
		if took := time.Since(began); took < time.Minute || took > 63*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// An object that the listener has, and that is not there any more, has an end that was not seen,
// unless that is under way or was given up.
func TestEndsOfObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		gone := func(name string, s ledger.State) *object.Object {
			o := w.object(name, 7)
			w.ends(o, s)
			w.ended[keyOf(name).Hash()] = keyOf(name)
			return o
		}
		gone("lost", ledger.Delivered)
		gone("filtered and lost", ledger.Unmatched)
		gone("buffered", ledger.Delivered)
		w.buffer["buffered"] = true
		w.ledger.Pass(ledger.MarkOf(gone("sent", ledger.Delivered)), event.Delete, 1)
		w.outputs["sent"] = true
		w.ledger.Pass(ledger.MarkOf(gone("lost on its way", ledger.Delivered)), event.Delete, 1)
		w.ledger.Dropped(gone("dropped", ledger.Delivered), true)
		w.ledger.Ended(gone("refused", ledger.Delivered), true)
		gone("again", ledger.Delivered)
		w.passed[keyOf("again").Hash()] = informer.Passed{Version: 101, Known: true}
		gone("behind", ledger.Delivered)
		w.passed[keyOf("behind").Hash()] = informer.Passed{Version: 99, Known: true}
		gone("nameless", ledger.Delivered)
		delete(w.ended, keyOf("nameless").Hash())
		gone("stored", ledger.Delivered)
		delete(w.ended, keyOf("stored").Hash())
		w.stored = append(w.stored, keyOf("stored"))
		s := w.expect(Options{}, " never seen: "+lost+" (deleted)",
			"behind never seen: "+behind+" (deleted)", "buffered waiting: buffer (deleted)",
			"dropped dropped: buffer (deleted)", "filtered and lost never seen: "+lost+" (deleted)",
			"lost never seen: "+lost+" (deleted)",
			"lost on its way never seen: "+lostOnWay+" (deleted)",
			"sent waiting: output (deleted)", "stored never seen: "+lost+" (deleted)")
		if s.Objects != 9 {
			t.Errorf("%+v", s)
		}
	})
}

// What comes while it is waited for was seen, and so was what has changed or gone meanwhile.
func TestWhatMovesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.cluster["late"], w.cluster["changes"], w.cluster["goes"] = 9, 9, 9
		w.ends(w.object("goes", 7), ledger.Delivered)
		w.ends(w.object("ends late", 7), ledger.Delivered)
		w.later = func() {
			w.ends(w.is("late", 9), ledger.Delivered)
			w.is("changes", 10)
			w.buffer["changes"] = true
			delete(w.cluster, "goes")
			w.ledger.Settle(ledger.MarkOf(w.object("goes", 12)), event.Delete, ledger.Unmatched)
			w.ledger.Settle(ledger.MarkOf(w.object("ends late", 11)), event.Delete,
				ledger.Unmatched)
		}
		s := w.expect(Options{}, "changes waiting: buffer")
		if s.Counts[ledger.OutcomeDelivered] != 1 || s.Objects != 2 || s.Seconds > 1 {
			t.Errorf("%+v", s)
		}
	})
}

// A listener that is held, or whose informer has more than there is room for, waits.
func TestWhatIsHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.is("a", 7)
		w.held = true
		w.expect(Options{}, "a waiting: checkpoint")
		w.held, w.blocked = false, true
		w.expect(Options{}, "a waiting: buffer")
		w.cluster["b"] = 8 // which is not what it waits with
		w.expect(Options{}, "a waiting: buffer", "b never seen: "+behind)
		w.queued = 3
		w.ends(w.object("gone", 7), ledger.Delivered)
		w.expect(Options{}, " waiting: buffer (deleted)", "a waiting: buffer",
			"b waiting: informer")
	})
}

// A list whose pages expire begins again, and no object counts twice.
func TestExpiredPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for i := range 5 {
			w.ends(w.is(fmt.Sprint("p", i), 7), ledger.Delivered)
		}
		w.page = func(page int) error {
			if page == 3 {
				return apierrors.NewResourceExpired("too old")
			}
			return nil
		}
		if s := w.expect(Options{}); s.Objects != 5 || w.pages != 6 {
			t.Errorf("%+v, %d pages", s, w.pages)
		}
		w.page = func(page int) error {
			if page%2 == 0 {
				return apierrors.NewResourceExpired("too old")
			}
			return nil
		}
		w.pages = 0
		if _, _, err := w.run(Options{}); !apierrors.IsResourceExpired(err) || w.pages != 10 {
			t.Errorf("%v, %d pages", err, w.pages)
		}
	})
}

// Why a list cannot be read is said.
func TestListsThatFail(t *testing.T) {
	w := newWorld(t)
	w.page = func(int) error { return errors.New("no route to host") }
	if _, _, err := w.run(Options{}); err == nil ||
		err.Error() != "the cluster cannot be listed: no route to host" {
		t.Errorf("%v", err)
	}
	a := &auditor{Listener: Listener{Parts: []Part{{
		List: func(context.Context, metav1.ListOptions) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(`{"items":[`)), nil
		}}}}}
	if err := a.list(t.Context(), nil); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w = newWorld(t)
	w.is("a", 7)
	l := Listener{Ledger: w.ledger, Buffer: func(map[uint64]struct{}) bool { return false },
		Outputs: func(map[uint64]struct{}) {}, Parts: []Part{{List: w.list,
			Passed: func(hashes []uint64) ([]informer.Passed, uint64, bool) {
				return make([]informer.Passed, len(hashes)), 0, false
			}}}}
	if _, err := Run(ctx, l, Options{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// What is found with informers that are not the listener's any more is not reported as a hole, and
// nobody waits for that.
func TestReloadedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.cluster["a"], w.check = 7, errors.New("reloaded")
		began := time.Now()
		s, lines, err := w.run(Options{})
		if err == nil || err.Error() != "reloaded" || len(lines) > 0 ||
			time.Since(began) > time.Second {
			t.Errorf("%v, %q, %+v after %v", err, lines, s, time.Since(began))
		}
		clear(w.cluster) // and nothing is open
		if _, _, err := w.run(Options{}); err == nil {
			t.Error("no error")
		}
	})
}

// An unknown listener is an error that names the one that was meant.
func TestUnknown(t *testing.T) {
	var unknown *UnknownError
	err := Unknown("lod", []string{"log", "file"})
	if !errors.As(err, &unknown) || err.Error() != `there is no listener "lod"; did you mean log?` {
		t.Error(err)
	}
	err = Unknown("x\x1b", []string{"log", "file"})
	if err.Error() != `there is no listener "x\x1b"; the listeners are log, file` {
		t.Error(err)
	}
}

// The answer's form is for programs, and stays as it is.
func TestObjectAsJSON(t *testing.T) {
	text, err := json.Marshal(Object{Namespace: "shop", Name: "web", UID: "u", Version: "8",
		Seen: "7", Deleted: true, Outcome: "never seen", Reason: "r"})
	const want = `{"namespace":"shop","name":"web","uid":"u","version":"8","seen":"7",` +
		`"deleted":true,"outcome":"never seen","reason":"r"}`
	if err != nil || string(text) != want {
		t.Errorf("%v, %s", err, text)
	}
}
