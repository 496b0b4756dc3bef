package hostfunc

import (
	"context"
	"time"
)

// WASIGroup is wasi_snapshot_preview1.
type WASIGroup struct{ noState }

// Functions are those of WASI.
func (*WASIGroup) Functions() []function { return wasiFunctions }

// NewState returns a *State, whose streams are to be set.
func (*WASIGroup) NewState(*Caller) state { return &WASIState{} }

// WASIState is a guest's standard files, and how far it has slept.
type WASIState struct {
	Stdout, Stderr streamWriter
	Command        wasiCommand // nil unless the guest is one

	advanced time.Duration // how far sleeping moved the monotonic clock
}

// EndEvent forgets nothing: a guest's clock does not go back.
func (*WASIState) EndEvent() {}

// streamWriter takes what a guest writes.
type streamWriter interface {
	Write(ctx context.Context, b []byte)
}

// wasiCommand is one run of a WASI command: it takes the standard output, too.
type wasiCommand interface {
	streamWriter
	// Read fills b with what is next on standard input, and returns the number of bytes: 0 at its
	// end.
	Read(b []byte) int
	// Exit is called when the command ends itself successfully.
	Exit()
}
