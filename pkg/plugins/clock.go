package plugins

import (
	crand "crypto/rand"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// What the functions of informerd/clock.v1 and informerd/random.v1 do, and where WASI gets the
// same.

// now gives the time that the guest sees.
func (g *guest) now() time.Time {
	if grant := g.module.spec.Grants.Clock; grant != nil && !grant.Fixed.IsZero() {
		return grant.Fixed
	}
	return time.Now()
}

func clockNow(c call, stack []uint64) {
	stack[0] = uint64(c.now().UnixNano())
}

func randomFill(c call, stack []uint64) {
	ptr, length := uint32(stack[0]), uint32(stack[1])
	if length > abi.MaxRandom {
		stack[0] = status(abi.BadArgument)
		return
	}
	c.randomize(c.read(ptr, length))
	stack[0] = 0
}

// randomize fills b with the random bytes that the guest sees.
func (g *guest) randomize(b []byte) {
	if g.seeded == nil {
		_, _ = crand.Read(b) // never fails
		return
	}
	_, _ = g.seeded.Read(b) // never fails
}

// newSeeded makes an instance's own random numbers, nil without a seed.
func newSeeded(grant *RandomGrant) *rand.ChaCha8 {
	if grant == nil || grant.Seed == nil {
		return nil
	}
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], *grant.Seed)
	return rand.NewChaCha8(seed)
}
