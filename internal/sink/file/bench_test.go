package file

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// BenchmarkWrite measures lines per second, in batches as senders make them. plain is the least
// that a program can do: the same lines through a bufio.Writer.
func BenchmarkWrite(b *testing.B) {
	messages := make([]sink.Message, maxBatch)
	for i := range messages {
		messages[i] = sinktest.Message(b, fmt.Sprint("web-", i), i)
	}
	report := func(b *testing.B) {
		b.ReportMetric(float64(b.N*maxBatch)/b.Elapsed().Seconds(), "lines/s")
		b.SetBytes(int64(maxBatch * (len(texts(messages[0])[0]) + 1)))
		b.ReportAllocs()
	}
	b.Run("plain", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "audit.jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		out := bufio.NewWriterSize(f, maxChunk)
		var buf []byte
		for b.Loop() {
			for _, m := range messages {
				buf = append(cloudevent.Append(buf[:0], m), '\n')
				out.Write(buf)
			}
		}
		out.Flush()
		report(b)
	})
	for _, config := range []Config{{Sync: SyncNever}, {Sync: SyncInterval}, {Sync: SyncAlways},
		{Sync: SyncInterval, Rotate: Rotate{Size: 16 << 20, Keep: 2}}} {
		b.Run(fmt.Sprintf("%s/rotate=%d", config.Sync, config.Rotate.Size), func(b *testing.B) {
			config.Path = filepath.Join(b.TempDir(), "audit.jsonl")
			s, err := New(config)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if errs := s.Write(context.Background(), messages); errs != nil {
					b.Fatal(errs)
				}
			}
			report(b)
			closeSink(b, s)
		})
	}
}
