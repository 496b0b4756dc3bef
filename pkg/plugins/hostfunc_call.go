package plugins

import (
	crand "crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// call is what a host function sees of the guest that calls it.
type call struct {
	*guest
	mem api.Memory
}

// path returns the path with a handle, which the guest has compiled.
func (g *guest) path(handle uint32) (path object.Path, ok bool) {
	if uint64(handle) >= uint64(len(g.paths)) {
		return path, false
	}
	return g.paths[handle], true
}

// now returns the time that the guest sees, in clock.v1 and in WASI.
func (g *guest) now() time.Time {
	if grant := g.handler.spec.Grants.Clock; grant != nil && !grant.Fixed.IsZero() {
		return grant.Fixed
	}
	return time.Now()
}

// randomize fills b with the random bytes that the guest sees, in random.v1 and in WASI.
func (g *guest) randomize(b []byte) {
	if g.seeded == nil {
		_, _ = crand.Read(b) // never fails
		return
	}
	_, _ = g.seeded.Read(b) // never fails
}

// check returns why the running call must end, nil if it may continue. The guest's own goroutine
// asks it again and again.
func (g *guest) check() error {
	if g.running != nil {
		if err := g.running.check(); err != nil {
			return err
		}
	}
	return g.calls.check()
}

// interrupt ends the call of a host function, by a panic, if the guest's time is up, or its calls
// are nested too deeply. Between two visits a guest can call thousands of them, each of which may
// take milliseconds. It relies on the timer, as asking the clock takes as long as many host
// functions do.
func (g *guest) interrupt() {
	if g.running != nil {
		if err := g.running.check(); err != nil {
			panic(err)
		}
	}
	if g.calls.ended.Load() {
		panic(g.calls.Err())
	}
}

// fault is why a host function ended a call.
type fault struct {
	reason Reason
	err    error
}

// Error returns what was wrong.
func (f *fault) Error() string { return f.err.Error() }

// abort ends the running call from within a host function.
func (g *guest) abort(reason Reason, format string, args ...any) {
	g.fault = &fault{reason, fmt.Errorf(format, args...)}
	panic(g.fault)
}

// bytesPerUnit is how many bytes the host reads, writes or walks through for a unit of fuel, as the
// guest does itself.
const bytesPerUnit = 16

// charge charges for what the host does with some bytes.
func (g *guest) charge(bytes int) { g.tank.Spend(int64(bytes / bytesPerUnit)) }

// endEvent has all host functions forget what is of the event that was at hand.
func (g *guest) endEvent() {
	g.events.endEvent()
	g.cache.endEvent()
	g.http.endEvent()
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
		length, ptr, memorySize(c.mem))
}

// answer writes text if it fits, and returns its length.
func (c call) answer(ptr, room uint32, text string) uint64 {
	if uint64(len(text)) <= uint64(room) {
		c.write(ptr, text)
	}
	return uint64(uint32(len(text)))
}

// validText returns at most limit bytes of a guest's text, as valid UTF-8.
func validText(b []byte, limit int) string {
	return strings.ToValidUTF8(string(b[:min(limit, len(b))]), "\uFFFD")
}

// i32 returns the i32 result that is a status.
func i32(s abi.Status) uint64 { return uint64(uint32(s)) }

// i64 returns the i64 result that is a status.
func i64(s abi.Status) uint64 { return uint64(int64(s)) }

// memorySize returns how many bytes a memory has. Its own Size returns 0 for 4 GiB.
func memorySize(m api.Memory) int64 {
	pages, _ := m.Grow(0)
	return int64(pages) * wasmbin.PageSize
}
