//go:build unix

package statefolder

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the user that a file belongs to, if the system knows that.
func ownerOf(info fs.FileInfo) (user int, known bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(s.Uid), true
}
