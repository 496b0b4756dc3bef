package keeper

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// informerID returns the identity of an informer.
func informerID(name string) informer.InformerID {
	return informer.InformerID{Resource: informer.Resource{
		GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: name},
		Kind:                 "Pod"}, Scope: informer.Scope{Namespace: "shop", LabelSelector: "a=b",
		FieldSelector: "c=d"}, Keeps: "all"}
}

func key(name string) event.Key { return event.Key{Namespace: "shop", Name: name} }

// newObject returns an object with a text of some length.
func newObject(t testing.TB, name string, version, length int) *object.Object {
	t.Helper()
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod",`+
		`"metadata":{"namespace":"shop","name":%q,"uid":"u","resourceVersion":"%d"},"text":%q}`,
		name, version, strings.Repeat("text ", length/5)))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// open opens the keeper of a folder, which is closed at the end of the test.
func open(t testing.TB, dir string) *Keeper {
	t.Helper()
	k, err := Open(dir, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// mustTurn makes a cut.
func mustTurn(t testing.TB, k *Keeper, from *world) {
	t.Helper()
	if err := k.turn(from.source(), false); err != nil {
		t.Fatal(err)
	}
}

// reopen ends a process as a crash does, and begins the next one.
func reopen(t testing.TB, dir string, k *Keeper) *Keeper {
	t.Helper()
	k.rotation.abort()
	k.rotation = nil
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, dir)
}

// text returns all that a keeper has loaded and nobody has taken.
func (k *Keeper) text() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var b strings.Builder
	for _, id := range slices.SortedFunc(maps.Keys(k.waiting), compareIDs) {
		fmt.Fprintf(&b, "%+v: %s", id, storedText(k.waiting[id]))
	}
	for _, name := range slices.Sorted(maps.Keys(k.loaded)) {
		fmt.Fprintf(&b, "%s: %s", name, listenerText(k.loaded[name]))
	}
	return b.String()
}

func compareIDs(a, b informer.InformerID) int {
	return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
}

// storedText returns what an informer has, the same text for the same.
func storedText(s *informer.Stored) string {
	lines := []string{"version " + s.Version}
	for _, o := range s.Objects {
		lines = append(lines, "object "+string(o.AppendJSON(nil)))
	}
	for _, gone := range s.Gone {
		if len(gone.Version) < len(s.Version) ||
			len(gone.Version) == len(s.Version) && gone.Version <= s.Version {
			continue // nobody needs it
		}
		lines = append(lines, fmt.Sprintf("gone %v %s", gone.Key, gone.Version))
	}
	for name, entries := range s.Unfinished {
		lines = append(lines, fmt.Sprint("told ", name, slices.Contains(s.Begins, name),
			s.Due[name].UnixMilli()))
		for _, e := range entries {
			line := fmt.Sprintf("told %s %v", name, e.Key)
			if e.State != nil {
				line += " " + string(e.State.AppendJSON(nil))
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// listenerText returns what a listener has.
func listenerText(l *Listener) string {
	return fmt.Sprintf("select %q, %s\n", l.Select, recordsText(l.Records))
}

// recordsText returns the records of a listener's route, the same text for the same.
func recordsText(s record.Set) string {
	var lines []string
	for part, records := range s {
		for key, r := range records {
			if part == selectPart {
				continue
			}
			line := fmt.Sprintf("%s %v %q", part, key, r.Value)
			for _, o := range r.Objects {
				line += " " + string(o.AppendJSON(nil))
			}
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}
