package checkpoint

import (
	"fmt"
	"testing"
)

// BenchmarkCommit measures commits, fsync included.
func BenchmarkCommit(b *testing.B) {
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20} {
		b.Run(fmt.Sprint(size>>10, "KB"), func(b *testing.B) {
			s, err := Open(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			if err := s.Load(func([]byte) error { return nil }); err != nil {
				b.Fatal(err)
			}
			block := make([]byte, size)
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := s.Commit(block); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLoad measures loading a snapshot of 128 MB.
func BenchmarkLoad(b *testing.B) {
	const blocks, size = 128, 1 << 20
	dir := b.TempDir()
	load := func() *Store {
		s, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Load(func([]byte) error { return nil }); err != nil {
			b.Fatal(err)
		}
		return s
	}
	s := load()
	sn, err := s.Rotate()
	if err != nil {
		b.Fatal(err)
	}
	for range blocks {
		if err := sn.Write(make([]byte, size)); err != nil {
			b.Fatal(err)
		}
	}
	if err := sn.Finish(); err != nil {
		b.Fatal(err)
	}
	s.Close()
	b.SetBytes(blocks * size)
	for b.Loop() {
		load().Close()
	}
}
