package code

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// returning returns a module with a function that returns a number.
func returning(t *testing.T, n int32) *wasmbin.Module {
	t.Helper()
	var m wasmtest.Module
	m.Func("f", "", "i", "", wasmtest.Const(n))
	file, err := wasmbin.Parse(m.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// A module that is being compiled holds up those that wait for the same one, until it is done or
// their context ends, and nobody else.
func TestLoadsOfOtherModulesDoNotWait(t *testing.T) {
	c := &Compiler{Log: slog.New(slog.DiscardHandler)}
	limits := Limits{Time: time.Minute, Memory: 1 << 30}
	file := returning(t, 1)
	k := sha256.Sum256(file.Code)
	// somebody compiles it
	slow := &Code{compiler: c, key: k, limits: limits, users: 1, done: make(chan struct{}),
		stop: func() {}}
	c.byKey = map[[sha256.Size]byte]*Code{k: slow}

	other, err := c.Compile(t.Context(), returning(t, 2), limits)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Compile(ctx, file, limits); !errors.Is(err, context.Canceled) ||
		slow.users != 1 {
		t.Errorf("got %v, and there are %d users", err, slow.users)
	}
	waiting := make(chan error)
	go func() {
		_, err := c.Compile(t.Context(), file, limits)
		waiting <- err
	}()
	select {
	case err := <-waiting:
		t.Errorf("it did not wait: %v", err)
	default:
	}
	slow.err, slow.made = c.build(t.Context(), slow, file.Code), true
	close(slow.done)
	// Of the two that have it, one is the test's own.
	if err := errors.Join(<-waiting, slow.Release(t.Context()), slow.Release(t.Context()),
		other.Release(t.Context())); err != nil {
		t.Error(err)
	}
	if len(c.byKey) != 0 {
		t.Errorf("%d modules are left", len(c.byKey))
	}
}
