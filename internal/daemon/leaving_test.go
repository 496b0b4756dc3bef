package daemon

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// gate is an output that takes nothing until it is opened.
type gate struct {
	lockedBuffer
	open  chan struct{}
	first sync.Once
	asked chan struct{} // closed by the first write
}

func (g *gate) Write(p []byte) (int, error) {
	g.first.Do(func() { close(g.asked) })
	<-g.open
	return g.lockedBuffer.Write(p)
}

// A listener that is removed and added again begins when the one before has finished.
func TestAListenerThatComesBackWaits(t *testing.T) {
	const head = "outputs: {out: {stdout: {}}, more: {file: {path: more}}}\nlisteners:\n"
	const pods = "  pods: {informer: {resource: pods}, outputs: [out]}\n"
	others := func(n int) string {
		return fmt.Sprintf("  other%d: {informer: {resource: configmaps}, outputs: [more]}\n", n)
	}
	d := reloadableFrom(t, head+pods+others(0))
	out := &gate{open: make(chan struct{}), asked: make(chan struct{})}
	d.started = startTo(t, d.config(t), kubernetesWith(t, teamsAndPods()), out)
	d.log.waitFor(t, "msg=listening listener=pods")
	<-out.asked // else it has nothing to finish
	for n := range 3 {
		if got := d.reload(t, head+others(n)); !strings.Contains(got, "listener pods removed") {
			t.Fatal(got)
		}
		if got := d.reload(t, head+pods+others(n+1)); !strings.Contains(got,
			"listener pods added") {
			t.Fatal(got)
		}
		// It would be bound before one that comes with it.
		d.log.waitFor(t, fmt.Sprintf("msg=listening listener=other%d", n+1))
		if got := strings.Count(d.log.String(), "msg=listening listener=pods"); got != 1 {
			t.Fatalf("%d listeners pods work at once:\n%s", got, d.log.String())
		}
	}
	close(out.open)
	d.log.waitForLines(t, 2, "msg=listening listener=pods")
	out.waitForLines(t, 4, "/listeners/pods")
	d.stop(t)
}
