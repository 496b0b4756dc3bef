package daemon

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/informerd/informerd/internal/keeper"
)

// A listener that is about other objects after a restart is not kept among those of before, whoever
// else is about them.
func TestAListenerWithAnotherInformer(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"pods": {named("shop", "web", "", ""),
		named("pay", "job", "", "")}})
	dir := filepath.Join(t.TempDir(), "state")
	run := func(namespace string) *keeper.Summary {
		d := start(t, parse(t, "state: {dir: "+dir+"}\n"+head+`
  moves: {informer: {resource: pods, namespaces: [`+namespace+`]}, checkpoint: true, outputs: [out]}
  stays: {informer: {resource: pods, namespaces: [shop]}, checkpoint: true, outputs: [out]}
  new: {informer: {resource: pods, namespaces: [`+namespace+`]}, outputs: [out]}
`), k)
		d.out.waitForLines(t, 1, "/listeners/new")
		if namespace == "shop" {
			d.out.waitForLines(t, 1, "/listeners/moves")
			d.out.waitForLines(t, 1, "/listeners/stays")
		} else {
			d.log.waitFor(t, `msg="the listener's informer has changed, so it gets all objects again" listener=moves`)
			d.out.waitForLines(t, 1, "/listeners/moves")
		}
		d.stop(t)
		s, err := keeper.Summarize(filepath.Join(dir, "checkpoint"))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := run("shop"); len(s.Informers) != 1 || !slices.Equal(s.Informers[0].Listeners,
		[]string{"moves", "stays"}) {
		t.Errorf("at first %+v", s.Informers)
	}
	s := run("pay")
	if len(s.Informers) != 2 || !slices.Equal(s.Informers[0].Listeners, []string{"moves"}) ||
		!slices.Equal(s.Informers[1].Listeners, []string{"stays"}) {
		t.Errorf("in the end %+v", s.Informers)
	}
}
