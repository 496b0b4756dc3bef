package keeper

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/checkpoint"
)

// folder is a checkpoint as a keeper has written it.
type folder struct {
	files  map[string]string
	cuts   []string // what there is after each of them, the first one being nothing
	sealed bool     // Run has ended without an error
	end    int64    // that of the last log before the last cut
}

// last returns the name of the last log.
func (f *folder) last() string {
	return slices.Max(slices.DeleteFunc(slices.Collect(maps.Keys(f.files)), func(name string) bool {
		return !strings.HasPrefix(name, "log-")
	}))
}

// newFolder has a keeper make cuts of a world, with two rotations, the second of which a kill ends.
func newFolder(t *testing.T, seed uint64, sealed bool) *folder {
	t.Helper()
	dir, r := t.TempDir(), rand.New(rand.NewPCG(seed, 1))
	k, w := open(t, dir), newWorld(t)
	f := &folder{files: map[string]string{}, cuts: []string{""}, sealed: sealed}
	const cuts = 30
	for i := range cuts {
		changeWorld(t, w, r, i*100)
		k.due = func() bool { return i == cuts/3 }
		logs := glob(t, dir, "log-*")
		f.end = fileSize(t, logs[len(logs)-1])
		mustTurn(t, k, w)
		f.cuts = append(f.cuts, w.text())
		switch i {
		case cuts / 3:
			if err := <-k.rotation.done; err != nil {
				t.Fatal(err)
			}
			k.rotation = nil
		case cuts * 2 / 3:
			snapshot, err := k.store.Rotate()
			if err != nil {
				t.Fatal(err)
			}
			snapshot.Abort()
			k.out = &writer{write: k.store.Commit}
		}
	}
	if sealed {
		if err := k.end(nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range glob(t, dir, "[ls]*-*") {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f.files[filepath.Base(path)] = string(content)
	}
	if len(f.files) != 3 {
		t.Fatalf("there are %q", slices.Collect(maps.Keys(f.files)))
	}
	return f
}

// changeWorld changes something of everything that a checkpoint has.
func changeWorld(t *testing.T, w *world, r *rand.Rand, version int) {
	if len(w.informers) == 0 {
		w.informer("pods").join("a")
		w.informer("nodes").join("b")
		w.informers["nodes"].join("a")
		w.listener("a")
		w.listener("b").selects = "object.x"
	}
	for _, in := range w.informers {
		for i := range 5 {
			name := fmt.Sprint("o", r.IntN(20))
			in.put(newObject(t, name, version+i+1, r.IntN(1000)))
			in.tell("a", key(name), newObject(t, name, version+i, 100), r.IntN(2) == 0)
		}
		in.remove(key(fmt.Sprint("o", r.IntN(20))), version+50)
		in.complete(version + r.IntN(50))
	}
	for _, l := range w.listeners {
		l.offer(newObject(t, "sent", version, 100))
		l.send(l.number - uint64(r.IntN(4)))
		l.violate(r.IntN(len(violations)))
	}
}

// page is what a disk writes at once.
const page = 4096

// damage damages a folder at a random place, and says how.
func (f *folder) damage(r *rand.Rand) (what string, damaged map[string]string) {
	names := slices.Sorted(maps.Keys(f.files))
	name := names[r.IntN(len(names))]
	content := []byte(f.files[name])
	at := r.IntN(len(content))
	from := at / page * page
	to := min(from+page, len(content))
	switch r.IntN(6) {
	case 0, 1:
		what = fmt.Sprintf("bit %d flipped", at)
		content[at] ^= 1 << r.IntN(8)
	case 2:
		what = fmt.Sprintf("page at %d zeroed", from)
		clear(content[from:to])
	case 3: // as it was before a commit
		what = fmt.Sprintf("page at %d as it was when the file ended at %d", from, at)
		clear(content[at:to])
	case 4: // a page of any of the files
		other := f.files[names[r.IntN(len(names))]]
		other = other[r.IntN(len(other))/page*page:]
		what = fmt.Sprintf("page at %d as another one", from)
		copy(content[from:to], other)
	default:
		what = fmt.Sprintf("cut off at %d", at)
		content = content[:at]
	}
	damaged = maps.Clone(f.files)
	damaged[name] = string(content)
	return name + ": " + what, damaged
}

// TestDamage: "What Open reads from damaged files is what one of the cuts has left": 1,000 places,
// each with a bit flipped, a page torn or a file cut off.
func TestDamage(t *testing.T) {
	places := uint64(1000)
	if testing.Short() {
		places = 100
	}
	defer func(size int) { blockSize = size }(blockSize)
	blockSize = 3000 // some cuts have several blocks
	folders := []*folder{newFolder(t, 1, false), newFolder(t, 2, true)}
	counts := map[string]int{}
	for seed := range places {
		f := folders[seed%2]
		what, damaged := f.damage(rand.New(rand.NewPCG(seed, 3)))
		counts[f.check(t, fmt.Sprintf("seed %d: %s", seed, what), damaged)]++
	}
	t.Logf("%d places: %v", places, counts)
	if counts["noticed"] < int(places)/2 {
		t.Error("too few are noticed")
	}
}

// "After a Run that has returned nil, a bit or a page that is damaged is noticed, or it is the last
// cut": each page of the last log, wherever the log ends in its page.
func TestPagesOfASealedLog(t *testing.T) {
	for seed := range uint64(8) {
		f := newFolder(t, seed, true)
		last := f.last()
		for from := 0; from < len(f.files[last]); from += page {
			content := []byte(f.files[last])
			clear(content[from:min(from+page, len(content))])
			damaged := maps.Clone(f.files)
			damaged[last] = string(content)
			f.check(t, fmt.Sprintf("seed %d: page at %d of %d zeroed", seed, from, len(content)),
				damaged)
		}
	}
}

// check opens a damaged folder, and returns what has become of it.
func (f *folder) check(t *testing.T, what string, damaged map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range damaged {
		writeFile(t, filepath.Join(dir, name), content)
	}
	k, err := Open(dir, quiet)
	if err != nil {
		if !errors.Is(err, checkpoint.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
		for name, content := range damaged {
			if now, err := os.ReadFile(filepath.Join(dir, name)); string(now) != content {
				t.Errorf("%s: %s was changed, %v", what, name, err)
			}
		}
		return "noticed"
	}
	text := k.text()
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	last := f.last()
	was, is := f.files[last], damaged[last]
	switch lost := len(f.cuts) - 1 - slices.Index(f.cuts, text); {
	case lost == len(f.cuts):
		t.Fatalf("%s: what was read was never there:\n%s", what, text)
	case lost == 0:
		return "nothing lost"
	case len(is) < len(was):
		return "the end missing"
	case !f.sealed && is[f.end:] != was[f.end:]:
		return "the last cut damaged"
	default:
		t.Fatalf("%s: %d cuts are lost", what, lost)
	}
	return ""
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
