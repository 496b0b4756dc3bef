package code

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// Two processes compile at once; who comes third waits for one of them, or until its own context
// ends.
func TestTwoModulesAreCompiledAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Compiler{}
		for range maxCompiling {
			if err := c.enter(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		third := make(chan error, 1)
		go func() { third <- c.enter(t.Context()) }()
		ctx, cancel := context.WithCancel(t.Context())
		fourth := make(chan error, 1)
		go func() { fourth <- c.enter(ctx) }()
		synctest.Wait()
		if len(third)+len(fourth) > 0 {
			t.Fatalf("%d processes compile", maxCompiling+1)
		}
		cancel()
		if err := <-fourth; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		c.exit()
		if err := <-third; err != nil {
			t.Error(err)
		}
		if maxCompiling != 2 {
			t.Error("the package's documentation says that two modules are compiled at once")
		}
	})
}
