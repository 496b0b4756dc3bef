package hostfunc

import (
	crand "crypto/rand"
	"encoding/binary"
	"math/rand/v2"
	"time"
)

// Clock is the time that guests see, in clock.v1 and in WASI.
type Clock struct {
	Fixed time.Time // zero: the real time
}

// now returns the time.
func (c Clock) now() time.Time {
	if !c.Fixed.IsZero() {
		return c.Fixed
	}
	return time.Now()
}

// Random is where a guest's random numbers come from, in random.v1 and in WASI. The zero value is
// real randomness.
type Random struct {
	seeded *rand.ChaCha8
}

// NewRandom returns the random numbers of a new guest: always the same if there is a seed.
func NewRandom(seed *uint64) Random {
	if seed == nil {
		return Random{}
	}
	var s [32]byte
	binary.LittleEndian.PutUint64(s[:], *seed)
	return Random{rand.NewChaCha8(s)}
}

// Fill fills b with random bytes.
func (r Random) Fill(b []byte) {
	if r.seeded == nil {
		_, _ = crand.Read(b) // never fails
		return
	}
	_, _ = r.seeded.Read(b) // never fails
}
