package keeper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// publication is a call of a publisher.
type publication struct {
	after time.Duration
	names int
	final bool
}

// runPublisher runs a keeper that publishes with one listener, for which change has something to
// publish.
func runPublisher(t *testing.T, fail error,
	test func(t *testing.T, k *Keeper, change func())) []publication {
	var all []publication
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		k, err := Publish(nil, nil, func(segments map[string][]byte, final bool) error {
			all = append(all, publication{time.Since(begun), len(segments), final})
			if fail != nil {
				return fail
			}
			return nil
		}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		l := &changing{}
		from := Source{Informers: &publishing{}, Flush: func() error { return nil },
			Listeners: func() []Cutter { return []Cutter{l} }}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- k.Run(ctx, from) }()
		test(t, k, func() { l.n.Add(1) })
		cancel()
		if err := <-ended; !errors.Is(err, fail) {
			t.Errorf("Run: %v", err)
		}
		if err := k.Await(t.Context()); err == nil || fail != nil && !errors.Is(err, fail) {
			t.Errorf("Await at the end: %v", err)
		}
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return all
}

// changing is a listener of which there is another select at times.
type changing struct{ n atomic.Int32 }

func (l *changing) Name() string   { return "a" }
func (l *changing) Select() string { return fmt.Sprint(l.n.Load()) }

func (l *changing) Cut(record.Writer)   {}
func (l *changing) Whole(record.Writer) {}

func checkPublications(t *testing.T, got []publication, want ...publication) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}

// What has changed is published each PublishInterval, and at the end everything is.
func TestPublishInterval(t *testing.T) {
	got := runPublisher(t, nil, func(_ *testing.T, _ *Keeper, change func()) {
		time.Sleep(2*PublishInterval + time.Millisecond) // the second time nothing has changed
		change()
		time.Sleep(PublishInterval)
	})
	checkPublications(t, got, publication{PublishInterval, 1, false},
		publication{3 * PublishInterval, 1, false},
		publication{3*PublishInterval + time.Millisecond, 0, true})
}

// Whoever waits does so for PublishSoon, however many others begin to wait meanwhile.
func TestPublishSoon(t *testing.T) {
	const first = PublishInterval + 300*time.Millisecond
	got := runPublisher(t, nil, func(t *testing.T, k *Keeper, change func()) {
		time.Sleep(first)
		for range 4 {
			change()
			go func() {
				if err := k.Await(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			time.Sleep(PublishSoon * 3 / 4)
			synctest.Wait()
		}
		time.Sleep(PublishSoon)
	})
	checkPublications(t, got, publication{PublishInterval, 1, false},
		publication{first + PublishSoon, 1, false},
		publication{first + PublishSoon*10/4, 1, false},
		publication{first + PublishSoon*16/4, 0, true})
}

// An error of a publication ends Run, and everybody's wait.
func TestPublishErrors(t *testing.T) {
	broken := errors.New("broken")
	got := runPublisher(t, broken, func(t *testing.T, k *Keeper, _ func()) {
		for range 2 {
			if err := k.Await(t.Context()); !errors.Is(err, broken) {
				t.Errorf("Await: %v", err)
			}
		}
	})
	checkPublications(t, got, publication{PublishSoon, 1, false})
}

// What is published waits for values of handlers that cannot be written, and so do those who wait for it.
func TestPublishWaitsForValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []int
		k, err := Publish(nil, nil, func(segments map[string][]byte, _ bool) error {
			all = append(all, len(segments))
			return nil
		}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		away := errors.New("away")
		var flush atomic.Pointer[error]
		flush.Store(&away)
		from := Source{Informers: &publishing{}, Flush: func() error { return *flush.Load() },
			Listeners: func() []Cutter { return []Cutter{&changing{}} }}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- k.Run(ctx, from) }()
		awaited := make(chan error, 1)
		go func() { awaited <- k.Await(t.Context()) }()
		time.Sleep(5 * PublishInterval)
		synctest.Wait()
		if len(all) > 0 || len(awaited) > 0 {
			t.Errorf("%d publications, %d waits have ended", len(all), len(awaited))
		}
		flush.Store(new(error))
		time.Sleep(PublishInterval)
		synctest.Wait()
		if len(all) != 1 || all[0] != 1 || <-awaited != nil {
			t.Errorf("publications of %v", all)
		}
		flush.Store(&away)
		cancel() // there is no later one
		if err := <-ended; !errors.Is(err, away) {
			t.Errorf("Run: %v", err)
		}
	})
}

// An Await ends with its context, whether there is a publication or not.
func TestPublishAwaitEndsWithItsContext(t *testing.T) {
	runPublisher(t, nil, func(t *testing.T, k *Keeper, _ func()) {
		ctx, cancel := context.WithTimeout(t.Context(), PublishSoon/2)
		defer cancel()
		if err := k.Await(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Await: %v", err)
		}
	})
}

// progressOf returns what is published of a listener with some objects.
func progressOf(t testing.TB) []byte {
	t.Helper()
	var segment []byte
	k, err := Publish(nil, nil, func(segments map[string][]byte, _ bool) error {
		segment = segments["a"]
		return nil
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	l := &shownListener{name: "a", number: 1, selects: "true",
		unsent: map[int]*object.Object{1: publishedObject("x", 3)}}
	m := &publishing{informers: map[string]*shownInformer{"pods": {whole: true, now: shownPart{
		version: 2, objects: map[string]int{"x": 3}, gone: map[string]int{"y": 4},
		told: map[string]map[string]*object.Object{"a": {"x": publishedObject("x", 1), "z": nil}},
	}}}, listeners: map[string]*shownListener{"a": l}}
	if err := k.turn(m.source(), false); err != nil {
		t.Fatal(err)
	}
	return segment
}

// Damage is an error, of the listener that it is in.
func TestDamagedProgress(t *testing.T) {
	segment := progressOf(t)
	if _, err := ReadProgress(segment); err != nil {
		t.Fatal(err)
	}
	for cut := range segment {
		p, err := ReadProgress(segment[:cut])
		if err == nil && len(p.Informers) > 0 {
			t.Errorf("the first %d of %d bytes are read", cut, len(segment))
		}
	}
	var b bytes.Buffer
	record.Encode(&b, []any{checkpoint.Format + 1, nil})
	other := b.Bytes()
	if _, err := ReadProgress(other); !errors.Is(err, checkpoint.ErrVersion) {
		t.Errorf("another version: %v", err)
	}
	_, err := Publish(map[informer.InformerID]*informer.Stored{}, map[string][]byte{"a": other},
		nil, nil)
	if !errors.Is(err, checkpoint.ErrVersion) || !strings.HasPrefix(err.Error(), `listener "a": `) {
		t.Errorf("Publish: %v", err)
	}
}

// Any bytes are read, or refused.
func FuzzReadProgress(f *testing.F) {
	segment := progressOf(f)
	f.Add(segment)
	f.Add(segment[:len(segment)/2])
	f.Add([]byte{0x82, checkpoint.Format, 0x9b, 0, 0, 1, 0, 0, 0, 0, 0}) // 1<<40 blocks
	f.Fuzz(func(t *testing.T, segment []byte) {
		p, err := ReadProgress(segment)
		if err != nil {
			return
		}
		for id, part := range p.Informers {
			if part == nil || part.Later == nil {
				t.Errorf("%v: %+v", id, part)
			}
		}
	})
}
