package sink

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g Gate
		if err := errors.Join(g.Enter(t.Context()), g.Enter(t.Context())); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := g.Enter(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("with a ctx that is done: %v", err)
		}
		emptied := false
		g.OnEmpty = func() { emptied = true }
		if err := g.Close(ctx); !errors.Is(err, context.Canceled) || emptied {
			t.Errorf("with writes under way: %v, %t", err, emptied)
		}
		if err := g.Enter(t.Context()); err != ErrClosed {
			t.Errorf("after Close: %v", err)
		}
		<-g.Closed()
		g.Leave()
		closed := make(chan error, 1)
		go func() { closed <- g.Close(t.Context()) }()
		synctest.Wait()
		select {
		case err := <-closed:
			t.Errorf("Close has not waited: %v", err)
		default:
		}
		g.Leave()
		if err := <-closed; err != nil || !emptied {
			t.Error(err, emptied)
		}
		if err := g.Close(ctx); err != nil {
			t.Errorf("nothing is under way: %v", err)
		}
	})
}

func TestUnusedGate(t *testing.T) {
	var g Gate
	select {
	case <-g.Closed():
		t.Error("it is closed")
	default:
	}
	if err := g.Close(t.Context()); err != nil {
		t.Error(err)
	}
	<-g.Closed()
}
