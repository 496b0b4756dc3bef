//go:build linux || darwin || freebsd

package plugins

import "syscall"

// space is a range of addresses, the beginning of which is memory.
type space []byte

// reserve asks the system for addresses. They take no memory, and cannot be read or written, before
// grow.
func reserve(limit int64) (space, error) {
	if limit == 0 {
		return nil, nil
	}
	return syscall.Mmap(-1, 0, int(limit), syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

// grow makes the first bytes memory, and returns them; nil if there is no more.
func (s space) grow(size uint64) []byte {
	if size == 0 {
		return []byte{}
	}
	if size > uint64(len(s)) ||
		syscall.Mprotect(s[:size], syscall.PROT_READ|syscall.PROT_WRITE) != nil {
		return nil
	}
	return s[:size:size]
}

func (s space) free() {
	if len(s) > 0 {
		_ = syscall.Munmap(s)
	}
}
