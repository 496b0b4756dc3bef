package informerd

import (
	"time"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Now returns the time in UTC, which may stand still or go back. A guest that calls it needs the
// grant "clock", which may fix the time.
//
// The standard library's time.Now returns the same and needs no grant. Under go test, however,
// time.Now is the machine's time, and Now is that of the fake host.
func Now() time.Time { return time.Unix(0, host.ClockNow()).UTC() }

// maxRandom is how many bytes the host fills in one call.
const maxRandom = 64 << 10

// Random fills b with random bytes. A guest that calls it needs the grant "random", which may name
// a seed: each worker then gets the same bytes in the same order.
func Random(b []byte) {
	for len(b) > 0 {
		n := min(len(b), maxRandom)
		host.RandomFill(b[:n])
		b = b[n:]
	}
}
