package hostfunc

import (
	"bytes"
	"context"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// Lines cuts a stream into lines of bounded length.
type Lines struct {
	// To takes each line.
	To   func(ctx context.Context, line string)
	part []byte // the line that is not complete yet
}

// Write takes the next bytes of the stream.
func (l *Lines) Write(ctx context.Context, b []byte) {
	for len(b) > 0 {
		line, rest, complete := bytes.Cut(b, []byte{'\n'})
		room := abi.MaxLogLine - len(l.part)
		l.part = append(l.part, line[:min(room, len(line))]...)
		if complete {
			l.Flush(ctx)
		}
		b = rest
	}
}

// Flush ends the current line, if there is one.
func (l *Lines) Flush(ctx context.Context) {
	if len(l.part) == 0 {
		return
	}
	l.To(ctx, string(l.part))
	l.part = l.part[:0]
}
