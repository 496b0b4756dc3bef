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
		if first, second := g.Enter(), g.Enter(); !first || !second {
			t.Fatal("it is not open")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := g.Close(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("with writes under way: %v", err)
		}
		if g.Enter() {
			t.Error("it is open after Close")
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
		if err := <-closed; err != nil {
			t.Error(err)
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
