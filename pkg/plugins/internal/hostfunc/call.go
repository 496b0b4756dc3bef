package hostfunc

import (
	"context"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// call is what a host function sees of the guest that calls it: its memory, budget, time and phase.
type call struct {
	caller *Caller
	mem    api.Memory
}

// phase returns what the guest is doing.
func (c call) phase() phase { return c.caller.Phase }

// path returns the path with a handle, which the guest has compiled.
func (c call) path(handle uint32) (path object.Path, ok bool) {
	if uint64(handle) >= uint64(len(c.caller.Paths)) {
		return path, false
	}
	return c.caller.Paths[handle], true
}

// memory returns the guest's memory, for what is not charged.
func (c call) memory() api.Memory { return c.mem }

// context ends with the running call.
func (c call) context() context.Context { return c.caller }

// remaining returns how long the running call may still take.
func (c call) remaining() time.Duration { return c.caller.remaining() }

// now returns the time that the guest sees.
func (c call) now() time.Time { return c.caller.Clock.now() }

// randomize fills b with the random bytes that the guest sees.
func (c call) randomize(b []byte) { c.caller.Random.Fill(b) }

// charge charges for what the host does with some bytes.
func (c call) charge(bytes int) { c.caller.charge(bytes) }

// abort ends the call that the host function is part of.
func (c call) abort(reason Reason, format string, args ...any) {
	c.caller.Abort(reason, format, args...)
}

// read returns a view of the guest's memory. It must not be kept: it goes stale when the memory
// grows.
func (c call) read(ptr, length uint32) []byte {
	b, ok := c.mem.Read(ptr, length)
	if !ok {
		c.badPointer(ptr, length)
	}
	c.charge(len(b))
	return b
}

// write copies text to the guest.
func (c call) write(ptr uint32, text string) {
	if !c.mem.WriteString(ptr, text) {
		c.badPointer(ptr, uint32(len(text)))
	}
	c.charge(len(text))
}

// put32 writes a number to the guest.
func (c call) put32(ptr, v uint32) {
	if !c.mem.WriteUint32Le(ptr, v) {
		c.badPointer(ptr, 4)
	}
}

// put64 writes a number to the guest.
func (c call) put64(ptr uint32, v uint64) {
	if !c.mem.WriteUint64Le(ptr, v) {
		c.badPointer(ptr, 8)
	}
}

func (c call) badPointer(ptr, length uint32) {
	c.abort(ReasonProtocol, "it passed a range of %d bytes at address %d, its memory has %d bytes",
		length, ptr, MemorySize(c.mem))
}

// answer writes text if it fits, and returns its length.
func (c call) answer(ptr, room uint32, text string) uint64 {
	if uint64(len(text)) <= uint64(room) {
		c.write(ptr, text)
	}
	return uint64(uint32(len(text)))
}

// ValidText returns at most limit bytes of a guest's text, as valid UTF-8.
func ValidText(b []byte, limit int) string {
	return strings.ToValidUTF8(string(b[:min(limit, len(b))]), "\uFFFD")
}

// i32 returns the i32 result that is a status.
func i32(s abi.Status) uint64 { return uint64(uint32(s)) }

// i64 returns the i64 result that is a status.
func i64(s abi.Status) uint64 { return uint64(int64(s)) }

// MemorySize returns how many bytes a memory has. Its own Size returns 0 for 4 GiB.
func MemorySize(m api.Memory) int64 {
	pages, _ := m.Grow(0)
	return int64(pages) * wasmbin.PageSize
}
