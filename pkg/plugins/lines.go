package plugins

import (
	"bytes"
	"context"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// lines cuts a stream into lines of bounded length.
type lines struct {
	// to takes each line.
	to   func(ctx context.Context, line string)
	part []byte // the line that is not complete yet
}

// write takes the next bytes of the stream.
func (l *lines) write(ctx context.Context, b []byte) {
	for len(b) > 0 {
		line, rest, complete := bytes.Cut(b, []byte{'\n'})
		room := abi.MaxLogLine - len(l.part)
		l.part = append(l.part, line[:min(room, len(line))]...)
		if complete {
			l.flush(ctx)
		}
		b = rest
	}
}

// flush ends the current line, if there is one.
func (l *lines) flush(ctx context.Context) {
	if len(l.part) == 0 {
		return
	}
	l.to(ctx, string(l.part))
	l.part = l.part[:0]
}
