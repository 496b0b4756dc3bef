package keeper

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer"
)

// keeping is a keeper of a folder, and what has to be in it.
type keeping struct {
	*world
	t    *rapid.T
	dir  string
	k    *Keeper
	next int // the number of the next version

	committed *world // as it was at the last cut
	// size is that of the last log before the last cut that is in it, and before is what has to be
	// loaded if that cut is torn.
	size   int64
	before *world

	// earlier is a folder of the files that there were before the last rotation, if no process has
	// ended since.
	earlier string

	loads, torn, kills, snapshots int
}

// TestModel: whatever changes, what a process loads is what was there at the last cut that is
// complete: with snapshots and without, wherever the log or a snapshot is cut off, and whether what
// there was is asked for or not.
func TestModel(t *testing.T) {
	defer func(size int) { blockSize = size }(blockSize)
	var sum keeping
	rapid.Check(t, func(rt *rapid.T) {
		blockSize = rapid.SampledFrom([]int{1, 100, 1000, 1 << 20}).Draw(rt, "block size")
		dir, err := os.MkdirTemp("", "keeper")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		m := &keeping{world: newWorld(t), committed: newWorld(t), t: rt, next: 1,
			dir: filepath.Join(dir, "checkpoint"), earlier: filepath.Join(dir, "earlier")}
		m.open()
		defer func() { m.close() }()
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			m.step()
		}
		m.cut(false)
		m.restart(rapid.Bool().Draw(rt, "torn at the end"))
		sum.loads, sum.torn = sum.loads+m.loads, sum.torn+m.torn
		sum.kills, sum.snapshots = sum.kills+m.kills, sum.snapshots+m.snapshots
	})
	t.Logf("loaded %d times, %d with a torn cut, %d with a snapshot, %d with one that was cut off",
		sum.loads, sum.torn, sum.snapshots, sum.kills)
}

func (m *keeping) step() {
	in := m.informers[rapid.SampledFrom([]string{"pods", "nodes"}).Draw(m.t, "informer")]
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(m.t, "listener")
	l := m.listeners[name]
	if in != nil && !in.begun {
		m.begin(in)
	}
	if l != nil && !l.begun {
		m.goOn(l)
	}
	step := rapid.SampledFrom([]string{"informer", "object", "object", "gone", "version", "join",
		"leave", "tell", "tell", "listener", "offer", "offer", "send", "rules", "select", "forget",
		"bound", "end", "cut", "cut", "rotate", "restart", "torn"}).Draw(m.t, "step")
	if l != nil && l.begun && m.ofListener(l, step) {
		return
	}
	switch step {
	case "informer":
		for _, name := range []string{"pods", "nodes"} {
			if m.informers[name] == nil {
				m.k.Stored(informerID(name))
				m.informer(name).join("a")
				return
			}
		}
	case "end":
		if in != nil {
			delete(m.informers, in.name)
		}
	case "listener":
		if l == nil {
			m.world.listener(name)
		}
	case "forget":
		if l != nil {
			m.forget(l)
		}
	case "bound":
		m.bound(name)
	case "cut":
		m.cut(false)
	case "rotate":
		m.cut(true)
	case "restart", "torn":
		m.cut(false)
		m.restart(step == "torn")
	default:
		if in != nil {
			m.change(in)
		}
	}
}

// ofListener makes a step of a listener, and reports whether it is one.
func (m *keeping) ofListener(l *fakeListener, step string) bool {
	switch step {
	case "offer":
		l.offer(newObject(m.world.t, "sent", m.version(), 50))
	case "send":
		l.send(uint64(rapid.IntRange(1, 10).Draw(m.t, "number")))
	case "rules":
		l.violate(rapid.IntRange(-1, len(violations)-1).Draw(m.t, "violated"))
	case "select":
		l.selects = rapid.SampledFrom([]string{"", "object.x", "object.y"}).Draw(m.t, "select")
	default:
		return false
	}
	return true
}

func (m *keeping) version() int { m.next++; return m.next }

// change changes something of an informer.
func (m *keeping) change(in *fakeInformer) {
	name := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(m.t, "object")
	subscription := rapid.SampledFrom([]string{"a", "b"}).Draw(m.t, "subscription")
	switch rapid.IntRange(0, 7).Draw(m.t, "change") {
	case 0, 1:
		in.put(newObject(m.world.t, name, m.version(), rapid.IntRange(0, 300).Draw(m.t, "length")))
	case 2:
		in.remove(key(name), m.version())
	case 3:
		in.complete(m.next)
	case 4:
		if in.told[subscription] == nil {
			in.join(subscription)
		} else if len(in.told) > 1 {
			in.leave(subscription)
		}
	case 5:
		if in.told[subscription] != nil {
			in.begin(subscription, rapid.Bool().Draw(m.t, "begins"))
		}
	case 6:
		if in.told[subscription] != nil {
			in.due[subscription] = time.UnixMilli(int64(m.version()))
			in.pending.due = true
		}
	default:
		state := newObject(m.world.t, name, m.next, 10)
		if rapid.Bool().Draw(m.t, "none") {
			state = nil
		}
		in.tell(subscription, key(name), state, rapid.Bool().Draw(m.t, "ended"))
	}
}

// begin has an informer ask for what there is of it.
func (m *keeping) begin(in *fakeInformer) {
	s := m.k.Stored(informerID(in.name))
	if s == nil {
		m.t.Fatalf("there is nothing of %s", in.name)
	}
	if got, want := storedText(s), storedText(in.stored()); got != want {
		m.t.Fatalf("%s has\n%s, want\n%s", in.name, got, want)
	}
	if m.k.Stored(informerID(in.name)) != nil {
		m.t.Fatal("it is there twice")
	}
	in.begun = true
}

// goOn has a listener ask for what there is of it, or begin with that.
func (m *keeping) goOn(l *fakeListener) {
	if l.saved != nil {
		l.begun, l.saved = true, nil
		m.k.Taken(l.name)
		return
	}
	l.saved = m.k.Listener(l.name)
	if want := l.listener(m.world.t); l.saved == nil ||
		listenerText(l.saved) != listenerText(want) {
		m.t.Fatalf("there is %v of %s", l.saved, l.name)
	}
}

// forget ends a listener, in the informers as well.
func (m *keeping) forget(l *fakeListener) {
	delete(m.listeners, l.name)
	for name, in := range m.informers {
		if in.leave(l.name); len(in.told) == 0 {
			delete(m.informers, name)
		}
	}
	m.k.Forget(l.name)
	m.cut(false)
}

// bound has a listener be about the informers that have begun, and no others.
func (m *keeping) bound(listener string) {
	var want []informer.InformerID
	for name, in := range m.informers {
		if in.told[listener] == nil || in.begun {
			continue
		}
		want = append(want, informerID(name))
		if delete(in.told, listener); len(in.told) == 0 {
			delete(m.informers, name)
		}
	}
	others := m.k.Bound(listener)
	slices.SortFunc(others, compareIDs)
	slices.SortFunc(want, compareIDs)
	if !slices.Equal(others, want) {
		m.t.Fatalf("%s was about %v, want %v", listener, others, want)
	}
}

// log returns the last log of the folder.
func (m *keeping) log() (path string, size int64) {
	all := glob(m.t, m.dir, "log-*")
	path = all[len(all)-1]
	info, err := os.Stat(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return path, info.Size()
}

// cut makes a cut, and a snapshot if one is due and none is being written.
func (m *keeping) cut(due bool) {
	if m.k.rotation != nil && rapid.Bool().Draw(m.t, "the snapshot ends") {
		err := <-m.k.rotation.done
		if m.k.rotation.done <- err; err != nil {
			m.t.Fatal(err)
		}
	}
	if due {
		m.linkFiles()
	}
	before, size := m.log()
	m.k.due, m.k.versions = func() bool { return due }, time.Time{}
	if err := m.k.turn(m.source(), false); err != nil {
		m.t.Fatal(err)
	}
	switch path, now := m.log(); {
	case path != before:
		m.before = nil
	case now > size:
		m.size, m.before = size, m.committed
	}
	m.committed = m.world.clone()
}

// linkFiles keeps the files that there are, with what is still added to them.
func (m *keeping) linkFiles() {
	if err := os.RemoveAll(m.earlier); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Mkdir(m.earlier, 0o700); err != nil {
		m.t.Fatal(err)
	}
	for _, path := range glob(m.t, m.dir, "[ls]*-*") {
		err := os.Link(path, filepath.Join(m.earlier, filepath.Base(path)))
		if err != nil && !os.IsNotExist(err) { // a snapshot has ended meanwhile
			m.t.Fatal(err)
		}
	}
}

// killSnapshot has a snapshot that has ended be cut off by a kill, at any byte of it.
func (m *keeping) killSnapshot() {
	snapshots := glob(m.t, m.dir, "snapshot-*")
	had := glob(m.t, m.earlier, "log-*")
	if len(snapshots) != 1 || len(had) == 0 || !rapid.Bool().Draw(m.t, "kill the snapshot") {
		return
	}
	if _, err := os.Stat(filepath.Join(m.dir, filepath.Base(had[len(had)-1]))); err == nil {
		return // it is an older one
	}
	m.kills++
	for _, path := range glob(m.t, m.earlier, "[ls]*-*") {
		if !strings.HasSuffix(path, ".tmp") {
			if err := os.Link(path, filepath.Join(m.dir, filepath.Base(path))); err != nil {
				m.t.Fatal(err)
			}
		}
	}
	info, err := os.Stat(snapshots[0])
	if err != nil {
		m.t.Fatal(err)
	}
	size := rapid.Int64Range(0, info.Size()+1).Draw(m.t, "bytes of the snapshot")
	if size > info.Size() {
		return // only the old files were not removed yet
	}
	if err := os.Truncate(snapshots[0], size); err != nil {
		m.t.Fatal(err)
	}
	if err := os.Rename(snapshots[0], snapshots[0]+".tmp"); err != nil {
		m.t.Fatal(err)
	}
}

// restart begins the next process, without all of the last cut if it is torn.
func (m *keeping) restart(torn bool) {
	m.close()
	if torn && m.before != nil {
		path, now := m.log()
		size := m.size + rapid.Int64Range(0, now-m.size-1).Draw(m.t, "rest")
		if err := os.Truncate(path, size); err != nil {
			m.t.Fatal(err)
		}
		m.committed = m.before
		m.torn++
	}
	m.killSnapshot()
	if err := os.RemoveAll(m.earlier); err != nil {
		m.t.Fatal(err)
	}
	m.before, m.world = nil, m.committed.clone()
	m.world.restart()
	m.open()
	m.loads++
	m.snapshots += len(glob(m.t, m.dir, "snapshot-*"))
	if got, want := m.k.text(), m.text(); got != want {
		m.t.Fatalf("loaded\n%s\nwant\n%s", got, want)
	}
}

func (m *keeping) close() {
	m.k.rotation.abort()
	m.k.rotation = nil
	if err := m.k.Close(); err != nil {
		m.t.Fatal(err)
	}
}

func (m *keeping) open() {
	var err error
	if m.k, err = Open(m.dir, quiet); err != nil {
		m.t.Fatal(err)
	}
}

// glob returns the files of a folder that match, in order.
func glob(t interface{ Fatal(...any) }, dir, pattern string) []string {
	all, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}
