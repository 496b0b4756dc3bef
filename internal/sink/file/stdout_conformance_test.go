package file_test

import (
	"bytes"
	"strings"
	"syscall"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/file"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// stream is a stream that a test controls.
type stream struct{ *sinktest.Log }

func (s stream) Write(lines []byte) (n int, err error) {
	for line := range bytes.Lines(lines) {
		if s.Take(nil, strings.TrimSuffix(string(line), "\n")) != sinktest.Healthy {
			return n, syscall.ENOSPC
		}
		n += len(line)
	}
	return n, nil
}

func TestConformance(t *testing.T) {
	sinktest.Run(t, sinktest.Target{
		New: func(_ *testing.T, f *sink.Fence) (sink.Sink, sinktest.Receiver) {
			s := stream{sinktest.NewLog()}
			return file.NewStdout(f.Writer(s)), s
		},
		RefusesForNow: true,
		Together:      true,
		Skip: map[string]string{
			"broken connection": "a stream that breaks is a broken pipe, which is permanent",
		},
	})
}
