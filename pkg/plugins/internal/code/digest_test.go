package code

import (
	"bytes"
	"crypto/sha256"
	"testing"
)

// A digest is the SHA-256, whatever pieces it is made of.
func TestDigest(t *testing.T) {
	for _, size := range []int{0, 1, hashedAtOnce - 1, hashedAtOnce, hashedAtOnce + 1,
		2*hashedAtOnce + 5} {
		text := bytes.Repeat([]byte("informerd"), size/9+1)[:size]
		if Digest(text) != sha256.Sum256(text) {
			t.Errorf("%d bytes", size)
		}
	}
}
