package code

import (
	"crypto/sha256"
	"slices"
)

// hashedAtOnce is how much is hashed in one piece: about a millisecond of assembly, in which no
// goroutine can be stopped.
const hashedAtOnce = 1 << 20

// Digest returns the SHA-256 of a module. It is computed in pieces, since the garbage collector
// would wait for one of 32 MiB longer than it may for all of the loading.
func Digest(wasm []byte) [sha256.Size]byte {
	h := sha256.New()
	for piece := range slices.Chunk(wasm, hashedAtOnce) {
		h.Write(piece)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
