package hostfunc

import (
	"context"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/crash"
	"github.com/informerd/informerd/pkg/plugins/internal/memory"
)

// Call is what a host function sees of the guest that calls it: its memory, budget, time and phase.
type Call struct {
	caller *Caller
	mem    api.Memory
}

// Phase returns what the guest is doing.
func (c Call) Phase() Phase { return c.caller.Phase }

// Path returns the path with a handle, which the guest has compiled.
func (c Call) Path(handle uint32) (path object.Path, ok bool) {
	if uint64(handle) >= uint64(len(c.caller.Paths)) {
		return path, false
	}
	return c.caller.Paths[handle], true
}

// Memory returns the guest's memory, for what is not charged.
func (c Call) Memory() api.Memory { return c.mem }

// Context ends with the running call.
func (c Call) Context() context.Context { return c.caller }

// Remaining returns how long the running call may still take.
func (c Call) Remaining() time.Duration { return c.caller.Remaining() }

// Now returns the time that the guest sees.
func (c Call) Now() time.Time { return c.caller.Clock.Now() }

// Randomize fills b with the random bytes that the guest sees.
func (c Call) Randomize(b []byte) { c.caller.Random.Fill(b) }

// Charge charges for what the host does with some bytes.
func (c Call) Charge(bytes int) { c.caller.Charge(bytes) }

// Abort ends the call that the host function is part of.
func (c Call) Abort(reason crash.Reason, format string, args ...any) {
	c.caller.Abort(reason, format, args...)
}

// Read returns a view of the guest's memory. It must not be kept: it goes stale when the memory
// grows.
func (c Call) Read(ptr, length uint32) []byte {
	b, ok := c.mem.Read(ptr, length)
	if !ok {
		c.badPointer(ptr, length)
	}
	c.Charge(len(b))
	return b
}

// Write copies text to the guest.
func (c Call) Write(ptr uint32, text string) {
	if !c.mem.WriteString(ptr, text) {
		c.badPointer(ptr, uint32(len(text)))
	}
	c.Charge(len(text))
}

// Put32 writes a number to the guest.
func (c Call) Put32(ptr, v uint32) {
	if !c.mem.WriteUint32Le(ptr, v) {
		c.badPointer(ptr, 4)
	}
}

// Put64 writes a number to the guest.
func (c Call) Put64(ptr uint32, v uint64) {
	if !c.mem.WriteUint64Le(ptr, v) {
		c.badPointer(ptr, 8)
	}
}

func (c Call) badPointer(ptr, length uint32) {
	c.Abort(crash.Protocol, "it passed a range of %d bytes at address %d, its memory has %d bytes",
		length, ptr, memory.Size(c.mem))
}

// Answer writes text if it fits, and returns its length.
func (c Call) Answer(ptr, room uint32, text string) uint64 {
	if uint64(len(text)) <= uint64(room) {
		c.Write(ptr, text)
	}
	return uint64(uint32(len(text)))
}

// ValidText returns at most limit bytes of a guest's text, as valid UTF-8.
func ValidText(b []byte, limit int) string {
	return strings.ToValidUTF8(string(b[:min(limit, len(b))]), "\uFFFD")
}

// I32 returns the i32 result that is a status.
func I32(s abi.Status) uint64 { return uint64(uint32(s)) }

// I64 returns the i64 result that is a status.
func I64(s abi.Status) uint64 { return uint64(int64(s)) }
