// Package wasi is the part of WASI preview 1 that the runtimes of stock toolchains call. It is our
// own and not the engine's, since that one brings files, sockets and real sleeping, and this one
// must not be able to. Clock and random numbers are the Caller's, as in clock.v1 and random.v1.
package wasi

import (
	"context"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

// Group is wasi_snapshot_preview1.
type Group struct{ hostfunc.Plain }

// Functions are those of WASI.
func (*Group) Functions() []hostfunc.Function { return functions }

// NewState returns a *State, whose streams are to be set.
func (*Group) NewState(*hostfunc.Caller) hostfunc.State { return &State{} }

// State is a guest's standard files, and how far it has slept.
type State struct {
	Stdout, Stderr Writer
	Command        Command // nil unless the guest is one

	advanced time.Duration // how far sleeping moved the monotonic clock
}

// EndEvent forgets nothing: a guest's clock does not go back.
func (*State) EndEvent() {}

// Writer takes what a guest writes.
type Writer interface {
	Write(ctx context.Context, b []byte)
}

// Command is one run of a WASI command: it takes the standard output, too.
type Command interface {
	Writer
	// Read fills b with what is next on standard input, and returns the number of bytes: 0 at its
	// end.
	Read(b []byte) int
	// Exit is called when the command ends itself successfully.
	Exit()
}
