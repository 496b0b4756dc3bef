package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/object"
)

// script answers one watch after the other, and each list with an empty one.
type script struct {
	lister
	watched []metav1.ListOptions
	watches []func() (string, error)
	end     context.CancelFunc // called when there is no further watch
}

func (s *script) Watch(_ context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	if opts.SendInitialEvents != nil {
		return nil, errors.New("lists are not streamed")
	}
	if s.watched = append(s.watched, opts); len(s.watched) > len(s.watches) {
		s.end()
		return nil, errors.New("the end")
	}
	text, err := s.watches[len(s.watched)-1]()
	return io.NopCloser(strings.NewReader(text)), err
}

// resume runs a reflector through a script, and returns what it brought.
func resume(t *testing.T, known Known, s *script) (told []string, r *Reflector) {
	ctx, cancel := context.WithCancel(t.Context())
	s.end = cancel
	r = &Reflector{
		Source: Source{ListWatcher: s, Name: "pods",
			Parser: &object.Parser{APIVersion: "v1", Kind: "Pod"}},
		Queue: queue.New(10), Wake: func() {}, Log: slog.New(slog.DiscardHandler),
		ApplyNow: func(d queue.Delta) bool {
			told = append(told, fmt.Sprint([]string{"add", "update", "delete"}[d.Type], " ",
				d.Object.Name(), " ", d.Object.ResourceVersion()))
			return true
		},
		TakeList: func(_ context.Context, _ []*object.Object, version string, _ bool) {
			told = append(told, "list "+version)
		},
	}
	r.Queue.Restored()
	r.Resume(known)
	r.Run(ctx)
	return told, r
}

func frames(lines ...string) func() (string, error) {
	var text strings.Builder
	for _, line := range lines {
		var typ, name string
		var version int
		_, _ = fmt.Sscan(line, &typ, &name, &version)
		fmt.Fprintf(&text, `{"type":%q,"object":%s}`+"\n", typ,
			informertest.PodText(name, "1", version, ""))
	}
	return func() (string, error) { return text.String(), nil }
}

func storing(objects ...*object.Object) func(object.Key) *object.Object {
	return func(key object.Key) *object.Object {
		for _, o := range objects {
			if o.Key() == key {
				return o
			}
		}
		return nil
	}
}

// A store may be ahead of the version that the watch goes on from: what the watch brings again is
// left out, and nothing else.
func TestWhatIsKnownIsLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := object.Key{Namespace: "shop", Name: "gone"}
		s := &script{watches: []func() (string, error){frames(
			"MODIFIED stored 11", "ADDED gone 12", "ADDED other 13", "DELETED gone 15",
			"ADDED gone 16", "MODIFIED stored 20", "DELETED stored 21", "ADDED gone 22",
		)}}
		told, r := resume(t, Known{Version: "10", Newest: 20,
			Gone:   map[object.Key]uint64{gone: 15},
			Stored: storing(informertest.Object("stored", "1", 20)),
		}, s)
		informertest.Expect(t, told, "add other 13", "add gone 16", "delete stored 21",
			"add gone 22")
		if len(s.asked) != 0 || s.watched[0].ResourceVersion != "10" || r.known != nil {
			t.Errorf("lists %+v, watches %+v, %+v", s.asked, s.watched, r.Status())
		}
	})
}

// The end of what is stored may have the version of its last state.
func TestTheEndOfWhatIsStoredIsNotKnown(t *testing.T) {
	k := &Known{Stored: storing(informertest.Object("a", "1", 5))}
	for version, want := range map[int]bool{4: true, 5: false, 6: false} {
		if got := k.has(queue.Deleted, informertest.Object("a", "1", version)); got != want {
			t.Errorf("the end at %d is known: %t", version, got)
		}
	}
	if !k.has(queue.Updated, informertest.Object("a", "1", 5)) {
		t.Error("what is stored is not known")
	}
}

// A list comes if the server says that it does not have the version any more, or has failed too
// often, and is of no older state than what is stored. What it refuses for other reasons is asked
// for again.
func TestWhatEndsAResumption(t *testing.T) {
	expired := func() (string, error) {
		return "", apierrors.NewResourceExpired("too old resource version")
	}
	forbidden := func() (string, error) {
		return "", apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "",
			errors.New("no rights"))
	}
	for name, c := range map[string]struct {
		watches []func() (string, error)
		lists   int
	}{
		"expired":        {[]func() (string, error){expired}, 1},
		"not allowed":    {[]func() (string, error){forbidden, forbidden, frames("ADDED a 30")}, 0},
		"expired behind": {[]func() (string, error){forbidden, expired}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{watches: c.watches}
				told, r := resume(t, Known{Version: "10", Newest: 20, Stored: storing()}, s)
				if len(s.asked) != c.lists || c.lists > 0 && s.asked[0].ResourceVersion != "20" ||
					!strings.HasPrefix(s.watched[0].ResourceVersion, "10") {
					t.Errorf("%q: lists %+v, watches %+v", told, s.asked, s.watched)
				}
				if r.resuming || r.Queue.HasSynced() != (c.lists == 0) {
					t.Errorf("resuming %t, synced %t", r.resuming, r.Queue.HasSynced())
				}
			})
		})
	}
}

// Without a version that can be compared a list comes first.
func TestAStoreWithoutAVersionIsListed(t *testing.T) {
	for _, version := range []string{"", "0", "abc"} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{}
			resume(t, Known{Version: version, Newest: 20, Stored: storing()}, s)
			if len(s.asked) != 1 || s.asked[0].ResourceVersion != "20" {
				t.Errorf("version %q: lists %+v, watches %+v", version, s.asked, s.watched)
			}
		})
	}
}
