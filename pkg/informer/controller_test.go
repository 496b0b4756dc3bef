package informer

import (
	"testing"
	"testing/synctest"
)

// TestTheEndOfASuccessorNobodySaw: the listener knows the first object of a name only, and must learn that it is gone.
func TestTheEndOfASuccessorNobodySaw(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		r, _, _ := w.listen(ListenerConfig{})
		r.take()
		w.server.remove("a", true)
		w.server.apply("a", "2", "", true)
		w.server.remove("a")
		expect(t, r.take(), "delete a/1 101?")
		w.server.apply("a", "3", "")
		synctest.Wait()
		expect(t, r.take(), "add a/3 105")
	})
}
