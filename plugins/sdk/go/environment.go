package informerd

import (
	"time"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Now gives the time, in UTC. A guest that calls it needs the grant "clock", which may fix the
// time. It may stand still or go back.
//
// The standard library's time.Now gives the same and needs no grant, but under go test it is the
// time of the machine, and this one is that of the fake host.
func Now() time.Time { return time.Unix(0, host.ClockNow()).UTC() }

// randomAtOnce is how many bytes the host gives at once.
const randomAtOnce = 64 << 10

// Random fills b with random bytes. A guest that calls it needs the grant "random", which may name
// a seed: each worker then gets the same bytes in the same order.
func Random(b []byte) {
	for len(b) > 0 {
		n := min(len(b), randomAtOnce)
		host.RandomFill(b[:n])
		b = b[n:]
	}
}
