package daemon

import (
	"testing"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/route"
)

// A checkpoint that is written while a reload changes the select has the select of before, and that
// not all objects have been decided by it: a restart that goes back to it uses what the route
// remembers.
func TestTheSelectOfAReloadUnderWay(t *testing.T) {
	const text = `label("team") == "a"`
	for _, before := range []string{"", text} {
		now := `label("team") == "b"`
		l := loadedListener(t, now)
		if got := (cutter{l, nil}).Select(); got != now {
			t.Errorf("it is %q without a reload", got)
		}
		l.before, l.beforeText = &route.Selection{}, before
		l.subscription.RescanLater()
		cut := cutter{l, nil}.Select()
		if cut == before || cut == now {
			t.Errorf("%q is settled while a reload from %q is under way", cut, before)
		}

		again := loadedListener(t, before)
		again.saved = &keeper.Listener{Select: cut}
		if again.hadSelect(quiet); again.before == nil ||
			(again.before.Select == nil) != (before == "") {
			t.Errorf("back to %q, the select of before is %+v", before, again.before)
		}
		if got := (cutter{again, nil}).Select(); got != cut {
			t.Errorf("until it begins, it is %q, and was %q", got, cut)
		}
		again.saved = nil
		again.subscription.RescanLater()
		if got := (cutter{again, nil}).Select(); got != cut {
			t.Errorf("while it begins, it is %q, and was %q", got, cut)
		}

		l.subscription.Rescan()
		if got := (cutter{l, nil}).Select(); got != now {
			t.Errorf("it is %q afterwards", got)
		}
		settled := loadedListener(t, now)
		settled.saved = &keeper.Listener{Select: now}
		if settled.hadSelect(quiet); settled.before != nil {
			t.Errorf("a settled select is one of before")
		}
	}
}

// loadedListener returns a listener with a select that is not bound.
func loadedListener(t *testing.T, selects string) *listener {
	t.Helper()
	text := "outputs: {out: {stdout: {}}}\nlisteners:\n  pods: {informer: {resource: pods}, outputs: [out]"
	if selects != "" {
		text += ", select: '" + selects + "'"
	}
	r, err := build(t.Context(), parse(t, reloadHead+text+"}\n"), Options{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.close(t.Context()) })
	return r.listeners[0]
}
