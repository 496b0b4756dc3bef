package informer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
)

// backup is what a server had at a moment.
type backup struct {
	version int
	objects map[string]string
	order   []string
}

func (s *fakeServer) backup() backup {
	s.mu.Lock()
	defer s.mu.Unlock()
	return backup{s.version, maps.Clone(s.objects), slices.Clone(s.order)}
}

// restore has the server be as it was at a backup, as after a restart of etcd and API server.
func (s *fakeServer) restore(b backup) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.objects, s.order = b.version, maps.Clone(b.objects), slices.Clone(b.order)
	s.log.Rewind(b.version)
}

// refuseFuture has the server refuse lists of versions that it has not come to, as API servers do.
func (s *fakeServer) refuseFuture() {
	s.failList = func(_ int, opts metav1.ListOptions) error {
		if version, _ := strconv.Atoi(opts.ResourceVersion); version > s.version {
			return tooLarge()
		}
		return nil
	}
	s.failWatch = func(n int, opts metav1.ListOptions) error {
		if opts.SendInitialEvents == nil { // it waits
			return nil
		}
		return s.failList(n, opts)
	}
}

// receiver has the last state of each object that it has got.
type receiver map[string]string

func (r receiver) HandleEvent(_ context.Context, e event.Event) error {
	if r[e.Object.Name()] = plain(e.Object.JSON()); e.Op == event.Delete {
		delete(r, e.Object.Name())
	}
	return nil
}

// plain is an object's identity, version and content.
func plain(text string) string {
	var o struct {
		Metadata struct {
			UID, ResourceVersion string
		}
		Spec struct{ NodeName string }
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%+v", o)
}

// rewindWorld is a server that is restored from backups, and a process with one receiver that is
// stopped and killed.
type rewindWorld struct {
	*lives
	r       *rand.Rand
	told    receiver
	backups []backup
	uids    int
}

func (w *rewindWorld) begin() {
	w.start()
	sub, _ := w.join(SubscriptionConfig{Name: "one"})
	w.running.Go(func() { _ = sub.Run(w.t.Context(), w.told.HandleEvent) })
	synctest.Wait()
}

// change changes an object. What came of it before a restore never has its uid again.
func (w *rewindWorld) change() {
	name := string(rune('a' + w.r.IntN(4)))
	w.uids++
	spec := fmt.Sprintf(`,"spec":{"nodeName":"%d"}`, w.uids)
	text, there := w.server.objects[name]
	switch {
	case there && w.r.IntN(3) == 0:
		w.server.remove(name)
	case there:
		var o struct{ Metadata struct{ UID string } }
		_ = json.Unmarshal([]byte(text), &o)
		w.server.apply(name, o.Metadata.UID, spec)
	default:
		w.server.apply(name, fmt.Sprint("u", w.uids), spec)
	}
}

// changes changes objects, up to n times.
func (w *rewindWorld) changes(n int) {
	for range w.r.IntN(max(1, n)) {
		w.change()
	}
}

// restore has the server go back, while the process runs, or while it is stopped or killed, and go
// on up to before the version that it had.
func (w *rewindWorld) restore() {
	time.Sleep(time.Minute) // what has not been seen cannot go back
	before := w.server.backup().version
	to := w.backups[w.r.IntN(len(w.backups))]
	goOn := func() {
		w.server.restore(to)
		w.changes(before - to.version - 1)
	}
	switch w.r.IntN(4) {
	case 0:
		w.stop()
		goOn()
		w.begin()
	case 1: // what came after the cut, nobody would know of
		w.cut()
		w.kill()
		goOn()
		w.begin()
	case 2: // it may be seen half
		goOn()
		time.Sleep(time.Duration(w.r.IntN(2000)) * time.Millisecond)
		w.cut()
		w.kill()
		w.begin()
	default:
		goOn()
	}
	w.backups = slices.DeleteFunc(w.backups, func(b backup) bool { return b.version > to.version })
}

func (w *rewindWorld) check() {
	time.Sleep(time.Minute)
	synctest.Wait()
	want := receiver{}
	for name, text := range w.server.objects {
		want[name] = plain(text)
	}
	if !maps.Equal(w.told, want) {
		w.t.Fatalf("the receiver believes\n%v\nand the server has\n%v", w.told, want)
	}
}

// A server that was restored from a backup, once or more, while informers run, are stopped or
// killed: receivers get the difference.
func TestVersionsThatGoBack(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &rewindWorld{lives: &lives{t: t, server: newFakeServer(), kept: checkpoint{}},
					r: rand.New(rand.NewPCG(seed, 0)), told: receiver{}}
				w.server.streams = seed%2 == 0
				w.server.refuseFuture()
				w.backups = []backup{w.server.backup()}
				w.begin()
				for range 40 {
					switch w.r.IntN(12) {
					case 0, 1:
						w.backups = append(w.backups, w.server.backup())
					case 2:
						w.restore()
						w.check()
					case 3:
						w.stop()
						w.changes(3)
						w.begin()
					case 4:
						w.cut()
					case 5:
						w.server.disconnect(false)
						time.Sleep(time.Duration(w.r.IntN(3)) * time.Second)
					default:
						w.changes(4)
					}
				}
				w.check()
				w.kill()
			})
		})
	}
}

// A process that is killed while it compares does not know up to where it has: it lists, even if the
// server has come to the version of before meanwhile.
func TestAKillWhileVersionsGoBack(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.refuseFuture()
		l.server.apply("a", "1", "")
		b := l.server.backup()
		cfg := SubscriptionConfig{Name: "one", Capacity: 1, Overflow: OverflowBlock}
		sub, _ := l.join(cfg)
		told := receiver{}
		l.running.Go(func() { _ = sub.Run(l.t.Context(), told.HandleEvent) })
		for _, name := range []string{"b", "c", "d"} {
			l.server.apply(name, name, "")
		}
		l.stop()
		l.start()
		l.join(cfg) // nobody takes anything
		l.server.restore(b)
		time.Sleep(time.Minute)
		l.cut()
		l.kill()
		for version := range 4 {
			l.server.apply("e", "e", fmt.Sprintf(`,"spec":{"nodeName":"%d"}`, version))
		}
		l.start()
		sub, _ = l.join(cfg)
		l.running.Go(func() { _ = sub.Run(l.t.Context(), told.HandleEvent) })
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(told) != 2 || told["a"] == "" || told["e"] == "" {
			t.Errorf("the receiver believes %v", told)
		}
	})
}

// What had ended before a server went back says nothing of what has its name and a lower version now.
func TestWhatHadEndedBeforeVersionsWentBack(t *testing.T) {
	inLives(t, func(l *lives) {
		l.server.refuseFuture()
		told := receiver{}
		begin := func() {
			sub, _ := l.join(SubscriptionConfig{Name: "one"})
			l.running.Go(func() { _ = sub.Run(l.t.Context(), told.HandleEvent) })
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		begin()
		b := l.server.backup()
		l.server.apply("a", "1", "")
		l.server.remove("a")
		synctest.Wait()
		l.server.restore(b)
		time.Sleep(time.Minute)
		l.stop()
		l.server.apply("a", "2", "")
		l.server.apply("b", "3", "")
		l.server.apply("c", "4", "")
		l.start()
		begin()
		if len(told) != 3 {
			t.Errorf("the receiver believes %v", told)
		}
	})
}

// One message says that a server is behind, and relists count it.
func TestAServerThatIsBehindIsSaidOnce(t *testing.T) {
	for name, goBack := range map[string]func(s *fakeServer, b backup){
		"connection": func(s *fakeServer, b backup) { s.restore(b) },
		"bookmark": func(s *fakeServer, _ backup) {
			s.raw(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"7"}}}`)
		},
		"object": func(s *fakeServer, _ backup) {
			s.raw(`{"type":"ADDED","object":` + podText("z", "z", 7, "") + `}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				b := w.server.backup()
				r, reg, _ := w.subscribe(SubscriptionConfig{})
				w.server.apply("a", "1", "")
				w.server.apply("b", "2", "")
				expect(t, r.take(), "add a/1 101", "add b/2 102")
				goBack(w.server, b)
				time.Sleep(time.Minute)
				synctest.Wait()
				s := reg.Status()
				if s.Relists["rewound"] != 1 || s.Lists != 2 || s.Err != nil {
					t.Errorf("%+v", s)
				}
				if len(w.server.objects) != s.Objects {
					t.Errorf("%d objects are stored, of %v", s.Objects, w.server.objects)
				}
			})
		})
	}
}

// The versions of the objects of some servers are in no order: these are listed again once, and not
// with each event.
func TestVersionsWithoutOrder(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.version = 1000
		_, reg, _ := w.subscribe(SubscriptionConfig{})
		for _, version := range []int{900, 300, 800, 200, 700, 100} {
			w.server.raw(`{"type":"MODIFIED","object":` + podText("a", "1", version, "") + `}`)
			w.server.disconnect(false)
			time.Sleep(time.Minute)
		}
		if s := reg.Status(); s.Lists != 2 {
			t.Errorf("%+v", s)
		}
	})
}
