package informer

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// recorder is a handler that writes down what it gets.
type recorder struct {
	mu   sync.Mutex
	got  []string
	fail func(e event.Event) error
}

func (r *recorder) HandleEvent(_ context.Context, e event.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, story(e))
	if r.fail != nil {
		return r.fail(e)
	}
	return nil
}

// take returns what came since the last take, once nothing moves any more.
func (r *recorder) take() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// world runs a factory against a fake server inside a synctest bubble, and stops everything at the
// end.
type world struct {
	t       *testing.T
	server  *fakeServer
	factory *Factory
	ctx     context.Context
}

func inWorld(t *testing.T, f func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &world{t: t, server: newFakeServer(), ctx: ctx}
		w.factory = NewFactory(w.server, nil)
		var wg sync.WaitGroup
		wg.Go(func() { _ = w.factory.Run(ctx) })
		f(w)
		cancel()
		wg.Wait()
	})
}

// subscribe registers a subscription with one worker.
func (w *world) subscribe(cfg SubscriptionConfig) (*recorder, *Registration, *Subscription) {
	w.t.Helper()
	sub, err := NewSubscription(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	reg, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub)
	if err != nil {
		w.t.Fatal(err)
	}
	r := &recorder{}
	go func() { _ = sub.Run(w.ctx, r.HandleEvent) }()
	synctest.Wait() // the first list is in
	return r, reg, sub
}

func TestChangesReachTheListenerInOrder(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		w.server.apply("b", "2", "")
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		expect(t, r.take(), "add a/1 101*", "add b/2 102*")
		if !reg.HasSynced() {
			t.Error("not synced after the first list was handled")
		}
		for _, change := range []func(){
			func() { w.server.apply("a", "1", "") }, func() { w.server.apply("c", "3", "") },
			func() { w.server.remove("b") }, func() { w.server.remove("a") },
		} {
			change()
			synctest.Wait()
		}
		expect(t, r.take(), "update a/1 103 was 101", "add c/3 104", "delete b/2 105",
			"delete a/1 106")
		if o, err := reg.Lister().Get("shop", "c"); err != nil || o.UID() != "3" {
			t.Errorf("lister: %v, %v", o, err)
		}
	})
}

func TestListItemsHaveKindAndAPIVersion(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		_, reg, _ := w.subscribe(SubscriptionConfig{})
		synctest.Wait()
		o, err := reg.Lister().Get("shop", "a")
		if err != nil || o.Kind() != "Pod" || o.Value().Get("apiVersion").Text() != "v1" {
			t.Errorf("%v, %v", o, err)
		}
	})
}

func TestDeletesMissedMeanwhileAreTombstones(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, name := range []string{"a", "b", "c"} {
			w.server.apply(name, name, "")
		}
		r, _, _ := w.subscribe(SubscriptionConfig{})
		r.take()
		var resumed []bool
		r.fail = func(e event.Event) error {
			resumed = append(resumed, e.Resumed)
			return nil
		}
		w.server.remove("b", true)
		w.server.apply("c", "c", "", true)
		w.server.disconnect(true)
		time.Sleep(2 * time.Minute) // the backoff
		// What is unchanged is not repeated; the delete is the last known state, and says so.
		expect(t, r.take(), "update c/c 105 was 103", "delete b/b 102?")
		w.server.apply("a", "a", "")
		expect(t, r.take(), "update a/a 107 was 101")
		// States may have been passed over of what the list has found, and of nothing else.
		if want := []bool{true, true, false}; !slices.Equal(resumed, want) {
			t.Errorf("resumed: %v, want %v", resumed, want)
		}
	})
}

func TestDeleteAndRecreateSeenAsOneChangeIsSplit(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		r, _, _ := w.subscribe(SubscriptionConfig{})
		r.take()
		w.server.remove("a", true)
		w.server.apply("a", "2", "")
		expect(t, r.take(), "delete a/1 101?", "add a/2 103")
	})
}

func TestResyncIsItsOwnOpAndOnlyForWhoAsked(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		never, _, _ := w.subscribe(SubscriptionConfig{Name: "never"})
		ten, _, _ := w.subscribe(SubscriptionConfig{Name: "ten", Resync: 10 * time.Second})
		minute, _, _ := w.subscribe(SubscriptionConfig{Name: "minute", Resync: time.Minute})
		never.take()
		expect(t, ten.take(), "add a/1 101*")
		minute.take()
		time.Sleep(61 * time.Second)
		expect(t, never.take())
		expect(t, ten.take(), slices.Repeat([]string{"resync a/1 101"}, 6)...)
		expect(t, minute.take(), "resync a/1 101")
		if n := len(w.server.listed()); n != 1 {
			t.Errorf("a resync went to the server: %d lists", n)
		}
	})
}

func TestUnchangedObjectsOfANewListGoToSyncingListenersOnly(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		never, _, _ := w.subscribe(SubscriptionConfig{Name: "never"})
		hourly, _, _ := w.subscribe(SubscriptionConfig{Name: "hourly", Resync: time.Hour})
		never.take()
		hourly.take()
		w.server.disconnect(true)
		time.Sleep(2 * time.Minute)
		expect(t, never.take())
		expect(t, hourly.take(), "resync a/1 101")
	})
}

func TestListenersShareOneInformer(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		first, reg1, _ := w.subscribe(SubscriptionConfig{})
		expect(t, first.take(), "add a/1 101*")
		late, reg2, _ := w.subscribe(SubscriptionConfig{})
		expect(t, late.take(), "add a/1 101*")
		w.server.apply("a", "1", "")
		expect(t, first.take(), "update a/1 102 was 101")
		expect(t, late.take(), "update a/1 102 was 101")
		if len(w.server.listed()) != 1 || len(w.server.watched()) != 1 {
			t.Errorf("%d lists, %d watches", len(w.server.listed()), len(w.server.watched()))
		}
		reg1.Remove()
		reg1.Remove()
		w.server.apply("a", "1", "")
		expect(t, first.take())
		expect(t, late.take(), "update a/1 103 was 102")
		if s := w.factory.Status(); len(s) != 1 || s[0].Subscriptions != 1 || s[0].Objects != 1 {
			t.Errorf("%+v", s)
		}
		reg2.Remove()
		synctest.Wait()
		if s := w.factory.Status(); len(s) != 0 {
			t.Errorf("the informer outlived its last subscription: %+v", s)
		}
		again, _, _ := w.subscribe(SubscriptionConfig{})
		expect(t, again.take(), "add a/1 103*")
		if len(w.server.listed()) != 2 {
			t.Errorf("%d lists", len(w.server.listed()))
		}
	})
}

func TestListenersThatKeepOtherFieldsDoNotShare(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", `,"spec":{"x":1,"y":2}`)
		x, y := object.MustCompilePath("spec.x"), object.MustCompilePath("spec.y")
		var regs []*Registration
		for _, shape := range []Shape{
			{Drop: []object.Path{x, y}}, {
				Drop: []object.Path{y, x}, Indexes: map[string]IndexFunc{"y": IndexByPath(y)}}, {},
			{
				DigestKey: []byte("key")},
		} {
			sub, err := NewSubscription(SubscriptionConfig{})
			if err != nil {
				t.Fatal(err)
			}
			reg, err := w.factory.Subscribe(pods, Scope{}, shape, sub)
			if err != nil {
				t.Fatal(err)
			}
			regs = append(regs, reg)
		}
		synctest.Wait()
		if n := len(w.server.watched()); n != 3 {
			t.Errorf("%d watches", n)
		}
		for i, want := range []string{"{}", "{}", `{"x":1,"y":2}`, `{"x":1,"y":2}`} {
			o, err := regs[i].Lister().Get("shop", "a")
			if err != nil || o.Value().Get("spec").Raw() != want {
				t.Errorf("subscription %d: %v, %v", i, o, err)
			}
		}
		if _, err := regs[0].Lister().ByIndex("y", "2"); err != nil {
			t.Error(err)
		}
	})
}

func TestAHungListenerHoldsUpNobody(t *testing.T) {
	inWorld(t, func(w *world) {
		hung, err := NewSubscription(SubscriptionConfig{Capacity: 4})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.factory.Subscribe(pods, Scope{}, Shape{}, hung); err != nil {
			t.Fatal(err)
		}
		well, _, _ := w.subscribe(SubscriptionConfig{})
		for i := range 100 {
			w.server.apply([]string{"a", "b", "c", "d", "e", "f"}[i%6], "1", "")
			synctest.Wait()
		}
		if got := well.take(); len(got) != 100 {
			t.Errorf("the other subscription got %d of 100", len(got))
		}
		s := hung.Stats()
		if s.Offered != 100 || s.Held != 4 || s.Marked != 6 {
			t.Errorf("%+v", s)
		}
		// Once it moves again, it ends on the last state of each object.
		r := &recorder{}
		go func() { _ = hung.Run(w.ctx, r.HandleEvent) }()
		expect(t, r.take()[4:], "add e/1 195~15", "add f/1 196~15", "update a/1 197~15 was 101",
			"update b/1 198~15 was 102",
			"update c/1 199~15 was 103", "update d/1 200~15 was 104")
	})
}

func TestAFailedEventIsRetriedWhileOthersFlow(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		r.take()
		failures := 3
		r.fail = func(e event.Event) error {
			if e.Object.Name() != "a" || failures == 0 {
				return nil
			}
			failures--
			if failures == 0 {
				panic("the handler's own fault")
			}
			return errors.New("no")
		}
		w.server.apply("a", "1", "")
		w.server.apply("a", "1", "")
		w.server.apply("b", "2", "")
		expect(t, r.take(), "update a/1 102 was 101", "add b/2 104")
		time.Sleep(8 * time.Second)
		expect(t, r.take(), "update a/1 102 was 101", "update a/1 102 was 101",
			"update a/1 102 was 101", "update a/1 103 was 102")
		if !reg.HasSynced() {
			t.Error("not synced")
		}
	})
}

func TestRegistrationIsSyncedWhenTheFirstListIsHandled(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		sub, err := NewSubscription(SubscriptionConfig{Capacity: 1})
		if err != nil {
			t.Fatal(err)
		}
		w.server.apply("b", "2", "")
		reg, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub)
		if err != nil {
			t.Fatal(err)
		}
		if err := WaitForSync(w.ctx, reg); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if reg.HasSynced() {
				t.Error("synced before the first list was handled")
			}
			d, err := sub.Next(w.ctx)
			if err != nil {
				t.Fatal(err)
			}
			d.Done()
		}
		if !reg.HasSynced() {
			t.Error("not synced")
		}
	})
}

func TestOnlyWantedOpsEnterTheBuffer(t *testing.T) {
	inWorld(t, func(w *world) {
		r, _, sub := w.subscribe(SubscriptionConfig{On: event.OpSet(0).With(event.Delete)})
		w.server.apply("a", "1", "")
		synctest.Wait()
		w.server.remove("a")
		expect(t, r.take(), "delete a/1 102")
		if s := sub.Stats(); s.Offered != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func TestAStoppedListenerDrains(t *testing.T) {
	inWorld(t, func(w *world) {
		sub, err := NewSubscription(SubscriptionConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.server.apply("a", "1", "")
		w.server.apply("b", "2", "")
		synctest.Wait()
		sub.Stop()
		w.server.apply("c", "3", "")
		synctest.Wait()
		r := &recorder{}
		if err := sub.Run(w.ctx, r.HandleEvent); !errors.Is(err, ErrStopped) {
			t.Error(err)
		}
		expect(t, r.take(), "add a/1 101", "add b/2 102")
	})
}

func TestDiscardCountsWhatIsLost(t *testing.T) {
	inWorld(t, func(w *world) {
		sub, err := NewSubscription(SubscriptionConfig{Capacity: 2})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b", "c", "d"} {
			w.server.apply(name, name, "")
		}
		synctest.Wait()
		d, err := sub.Next(w.ctx)
		if err != nil {
			t.Fatal(err)
		}
		d.Retry(time.Hour)
		if n := sub.Discard(); n != 4 {
			t.Errorf("discarded %d of 4", n)
		}
		if s := sub.Stats(); s.Held != 0 || s.Marked != 0 || s.Discarded != 4 {
			t.Errorf("%+v", s)
		}
		if _, err := sub.Next(w.ctx); !errors.Is(err, ErrStopped) {
			t.Error(err)
		}
	})
}

func TestRemoveFromWithinAHandler(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		w.server.apply("b", "2", "")
		sub, err := NewSubscription(SubscriptionConfig{})
		if err != nil {
			t.Fatal(err)
		}
		reg, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub)
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		go func() {
			_ = sub.Run(w.ctx, func(context.Context, event.Event) error {
				calls++
				reg.Remove()
				return errors.New("retry me in vain")
			})
		}()
		time.Sleep(time.Hour)
		synctest.Wait()
		if calls != 1 {
			t.Errorf("%d calls after the removal", calls)
		}
	})
}

func TestListenAfterTheEnd(t *testing.T) {
	f := NewFactory(newFakeServer(), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Run(ctx); err != nil {
		t.Fatal(err)
	}
	sub, err := NewSubscription(SubscriptionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Subscribe(pods, Scope{}, Shape{}, sub); !errors.Is(err, ErrStopped) {
		t.Error(err)
	}
}

func TestFirstListComesInPages(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 1201 {
			w.server.apply(string(rune('a'+i%26))+time.Duration(i).String(), "1", "")
		}
		_, reg, _ := w.subscribe(SubscriptionConfig{})
		synctest.Wait()
		if s := w.factory.Status(); s[0].Objects != 1201 || !reg.HasSynced() {
			t.Errorf("%+v", s)
		}
		if len(w.server.listed()) != 3 || w.server.listed()[0].ResourceVersion != "0" ||
			w.server.listed()[0].Limit != 500 ||
			w.server.listed()[1].ResourceVersion != "" || w.server.listed()[1].Continue == "" {
			t.Errorf("%+v", w.server.listed())
		}
	})
}

func TestListPageExpired(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 600 {
			w.server.apply(time.Duration(i).String(), "1", "")
		}
		w.server.failList = func(_ int, opts metav1.ListOptions) error {
			if opts.Continue != "" {
				return expired()
			}
			return nil
		}
		w.subscribe(SubscriptionConfig{})
		synctest.Wait()
		if s := w.factory.Status(); s[0].Objects != 600 {
			t.Errorf("%+v", s)
		}
		if last := w.server.listed()[len(w.server.listed())-1]; len(w.server.listed()) != 3 ||
			last.Limit != 0 || last.ResourceVersion != "0" {
			t.Errorf("%+v", w.server.listed())
		}
	})
}

func TestDecodeTellsWhichObjectDoesNotFit(t *testing.T) {
	type thing struct {
		Metadata struct{ Name int }
	}
	_, err := Decode[thing](obj("a\nb", "1", 1))
	if err == nil || !strings.HasPrefix(err.Error(),
		`cannot decode Pod "shop/a\nb" as informer.thing: json: cannot unmarshal`) {
		t.Error(err)
	}
}
