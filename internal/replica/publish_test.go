package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube/lease"
)

// recorder is a record that notes what is written.
type recorder struct {
	lease.Content
	err error
}

func (r *recorder) Write(_ context.Context, c lease.Content) error {
	if r.err == nil {
		r.Content = c
	}
	return r.err
}

// random cannot be compressed.
var random = func() []byte {
	all := make([]byte, 1_100_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(all)
	return all
}()

// noise returns a segment that cannot be compressed.
func noise(size, seed int) []byte { return random[seed:][:size] }

// What is written fits whatever there is to publish, each listener's part of it is one that the
// keeper has published, none older than it was, and only the log has more to say.
func TestPublisherModel(t *testing.T) {
	setChecks(t, 150) // a megabyte takes its time
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		to := &recorder{}
		p := newPublisher(context.Background(), to, nil, slog.New(slog.NewTextHandler(&out, nil)))
		latest, written := map[string][]byte{}, map[string][]byte{}
		sizes := []int{10, 1000, 250_000, 440_000, 500_000, 800_000, 1_000_000}
		for seed := range rapid.IntRange(1, 6).Draw(t, "publications") {
			segments := map[string][]byte{}
			for name := range 4 {
				switch name := fmt.Sprint(name); rapid.IntRange(0, 4).Draw(t, "what") {
				case 0:
					segments[name] = nil
					delete(latest, name)
				case 1, 2:
					segments[name] = noise(rapid.SampledFrom(sizes).Draw(t, "size"), seed)
					latest[name] = segments[name]
				}
			}
			final := rapid.Bool().Draw(t, "final")
			if err := p.publish(segments, final); err != nil {
				t.Fatal(err)
			}
			total, larger := 0, 0
			for name, packed := range to.Data {
				total += len(name) + len(packed)
				segment, err := unpacker.DecodeAll(packed, nil)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(segment, latest[name]) {
					if !bytes.Equal(segment, written[name]) {
						t.Fatalf("of %s there is neither the last part nor the one before", name)
					}
					if len(segment) >= len(latest[name]) {
						t.Fatalf("of %s there is an older part that is not smaller", name)
					}
					larger++
				}
				written[name] = segment
			}
			for name := range written {
				if _, there := to.Data[name]; !there {
					if latest[name] != nil {
						t.Fatalf("of %s there is nothing any more", name)
					}
					delete(written, name)
				}
			}
			missing := len(latest) - len(to.Data)
			if total > lease.MaxRecord {
				t.Fatalf("%d bytes", total)
			}
			if to.Final != (final && larger+missing == 0) {
				t.Fatalf("final: %v, with %d old parts, and %d missing", to.Final, larger, missing)
			}
			behind := 0
			for name := range latest {
				lines := strings.Split(out.String(), "\n")
				for i := len(lines) - 1; i >= 0; i-- {
					if strings.Contains(lines[i], "listener="+name) {
						if strings.Contains(lines[i], "more unfinished") {
							behind++
						}
						break
					}
				}
			}
			if want := larger + missing; behind < want {
				t.Fatalf("%d parts are not there, and the log has %d:\n%s", want, behind, &out)
			}
		}
	})
}

// A listener that did not fit is written when there is room, although it has done nothing since.
func TestPublisherWritesWhatFitsByNow(t *testing.T) {
	var out bytes.Buffer
	to := &recorder{}
	p := newPublisher(t.Context(), to, nil, slog.New(slog.NewTextHandler(&out, nil)))
	for _, segments := range []map[string][]byte{
		{"a": noise(100, 1), "b": noise(500_000, 2)},
		{"a": noise(500_000, 3)},
	} {
		if err := p.publish(segments, false); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(to.Data["a"]); n > 200 {
		t.Fatalf("a has %d bytes", n)
	}
	if err := p.publish(map[string][]byte{"b": noise(100, 4)}, true); err != nil {
		t.Fatal(err)
	}
	if n := len(to.Data["a"]); n < 500_000 || !to.Final {
		t.Errorf("a has %d bytes; final: %v", n, to.Final)
	}
	for _, want := range []string{
		`level=WARN msg="the listener has more unfinished than a standby can be told: if another replica takes over now, more of it comes again" listener=a bytes=500`,
		`level=INFO msg="standbys know again how far the listener is" listener=a`,
	} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("not there once: %s\n%s", want, &out)
		}
	}
}

func TestPublisherReturnsTheErrorOfTheRecord(t *testing.T) {
	to := &recorder{err: lease.ErrTaken}
	p := newPublisher(t.Context(), to, map[string][]byte{"a": []byte("x")}, quiet)
	if err := p.publish(map[string][]byte{"a": {1}}, true); !errors.Is(err, lease.ErrTaken) {
		t.Error(err)
	}
}

// segmentOf returns what a keeper publishes of a listener that has nothing.
func segmentOf(t testing.TB, name, selects string) []byte {
	t.Helper()
	all := map[string][]byte{}
	k, err := keeper.Publish(nil, nil, func(s map[string][]byte, _ bool) error {
		maps.Copy(all, s)
		return nil
	}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := k.Run(ctx, source{name, selects}.source()); err != nil {
		t.Fatal(err)
	}
	return all[name]
}

// One listener whose part is damaged takes nothing from the others.
func TestUnpackDamage(t *testing.T) {
	good := pack(segmentOf(t, "good", "true"))
	segments, listeners, err := unpack(map[string][]byte{
		"good": good, "not packed": []byte("x"), "cut off": good[:len(good)-1],
		"other version": pack([]byte{99}), "empty": {}, "more": pack(append(
			segmentOf(t, "good", "true"), 1))})
	if len(segments) != 1 || len(listeners) != 1 || listeners["good"].Select != "true" {
		t.Errorf("%v, %v", segments, listeners)
	}
	for _, name := range []string{"not packed", "cut off", "other version", "empty", "more"} {
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("listener %q: ", name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Any bytes are read, or refused.
func FuzzUnpack(f *testing.F) {
	good := segmentOf(f, "good", "true")
	f.Add(pack(good))
	f.Add(pack(good[:len(good)/2]))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xff})
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, packed []byte) {
		segments, listeners, err := unpack(map[string][]byte{"l": packed})
		if read := listeners["l"] != nil; read == (err != nil) || read != (segments["l"] != nil) {
			t.Errorf("%v, %v, %v", segments, listeners, err)
		}
		p := pack(packed) // and as a segment
		if _, listeners, err = unpack(map[string][]byte{"l": p}); (err == nil) != (len(listeners) == 1) {
			t.Errorf("%v, %v", listeners, err)
		}
	})
}
