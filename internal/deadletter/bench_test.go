package deadletter

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// How many letters of 2 KiB a file takes in a second, from several callers at once.
func BenchmarkPut(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("callers ", callers), func(b *testing.B) {
			s := open(b, Config{Path: filepath.Join(b.TempDir(), FileName),
				Limits: Limits{MaxBytes: 1 << 40}})
			l := letter("a", 1)
			l.Object = []byte(`"` + strings.Repeat("x", 1500) + `"`)
			b.SetParallelism(callers)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := s.Put(context.Background(), l); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

func BenchmarkDeliveredWithoutLetters(b *testing.B) {
	l := open(b, Config{}).Listener("pods")
	d := Delivery{Output: "hook", Resource: "pods", Namespace: "shop", Name: "a",
		ResourceVersion: "12345"}
	for b.Loop() {
		l.Delivered(d)
	}
}

// Opening a file with 64 MiB of letters.
func BenchmarkOpen(b *testing.B) {
	cfg := Config{Path: filepath.Join(b.TempDir(), FileName)}
	s, err := Open(cfg)
	if err != nil {
		b.Fatal(err)
	}
	l := letter("a", 1)
	l.Object = []byte(`"` + strings.Repeat("x", 1500) + `"`)
	done := make(chan error)
	for range 64 {
		go func() {
			var err error
			for i := range 512 {
				l := l
				l.Name = fmt.Sprint(i)
				if _, err = s.Put(context.Background(), l); err != nil {
					break
				}
			}
			done <- err
		}()
	}
	for range 64 {
		if err := <-done; err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, err := Open(cfg)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
