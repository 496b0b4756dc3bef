//go:build unix

package code

import (
	"io/fs"
	"syscall"
)

// ownersAreKnown: files have an owner, and modes mean something.
const ownersAreKnown = true

func ownerOf(info fs.FileInfo) (user int, known bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
