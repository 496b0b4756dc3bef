package contender

import (
	"os"
	"strings"
	"testing"

	"github.com/informerd/informerd/bench/objects"
)

func fakeSetup(t *testing.T) Setup {
	t.Helper()
	return Setup{Kind: objects.Widgets, Filter: Filters["widgets"], Program: os.Args[0],
		Dir: t.TempDir(), Kubeconfig: "k"}
}

func TestTheDaemonsLinesAreCounted(t *testing.T) {
	t.Setenv(fakeDaemon, `{"specversion":"1.0","op":"add","initial":true,"data":{}}
{"specversion":"1.0","op":"add","initial":true,"data":{"object":{}}}
{"specversion":"1.0","op":"update","data":{"object":{"a":",\"initial\":true","b":{"x":1,"initial":true}}}}
`)
	d := newDaemon(fakeSetup(t))
	tally := NewTally(0)
	p, err := d.Start(t.Context(), tally)
	if err != nil {
		t.Fatal(err)
	}
	if p.IsSelf() {
		t.Error("the daemon is measured as a process of its own")
	}
	for tally.MatchedChanges.Load() == 0 {
		if _, err := p.CPU(); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
	if listed, changes := tally.MatchedListed.Load(), tally.MatchedChanges.Load(); listed != 2 ||
		changes != 1 {
		t.Errorf("%d objects and %d changes", listed, changes)
	}
}

func TestADaemonThatFailsSaysWhy(t *testing.T) {
	t.Setenv(fakeDaemon, "")
	s := fakeSetup(t)
	s.Filter = "something else"
	d := newDaemon(s)
	if _, err := d.Start(t.Context(), NewTally(0)); err != nil {
		t.Fatal(err)
	}
	err := <-d.done
	if want := "informerd: exit status 2: the configuration lacks "; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s…", err, want)
	}
	s.Program = s.Dir
	if _, err := newDaemon(s).Start(t.Context(), NewTally(0)); err == nil ||
		!strings.HasPrefix(err.Error(), "cannot start informerd: ") {
		t.Error(err)
	}
}
