package shown

import (
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// Setting is a setting with its text.
type Setting struct{ Name, Text string }

// Settings returns the settings of a listener that are not the default of what becomes of events
// when something is slow, fails or stops.
func Settings(l *config.Listener) (all []Setting) {
	add := func(name, text string) { all = append(all, Setting{name, text}) }
	if l.Workers > 1 {
		add("workers", fmt.Sprintf("%d; events of one object are processed one by one", l.Workers))
	}
	if l.Checkpoint {
		add("checkpoint", "after a restart it goes on where it was")
	}
	var buffer config.Buffer
	document.SetDefaults(&buffer)
	if b := l.Buffer; b.Capacity != buffer.Capacity || b.Overflow != buffer.Overflow {
		add("buffer", fmt.Sprintf("%d events, overflow %s", b.Capacity, b.Overflow))
	}
	var retry config.Retry
	document.SetDefaults(&retry)
	if r := l.Retry; r != retry {
		text := fmt.Sprintf("%d attempts, %s to %s apart", r.Attempts,
			document.Short(r.MinBackoff.Duration), document.Short(r.MaxBackoff.Duration))
		if r.GiveUpAfter.Duration > 0 {
			text += "; outputs are given up after " + document.Short(r.GiveUpAfter.Duration)
		}
		add("retry", text)
	}
	return all
}

// Count returns a number of things.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
