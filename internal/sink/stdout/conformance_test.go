package stdout_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/internal/sink/stdout"
)

// stream is a stream that a test controls.
type stream struct{ *sinktest.Log }

func (s stream) Write(line []byte) (int, error) {
	switch s.Take(nil, strings.TrimSuffix(string(line), "\n")) {
	case sinktest.Healthy:
		return len(line), nil
	default:
		return 0, syscall.ENOSPC
	}
}

func TestConformance(t *testing.T) {
	sinktest.Run(t, sinktest.Target{
		New: func(*testing.T) (sink.Sink, sinktest.Receiver) {
			s := stream{sinktest.NewLog()}
			return stdout.New(s), s
		},
		RefusesForNow: true,
		Skip: map[string]string{
			"broken connection": "a stream that breaks is a broken pipe, which is permanent",
		},
	})
}
