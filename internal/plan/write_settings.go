package plan

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/plan/shown"
)

// writeHandler writes a listener's handler with its grants.
func (p *Listener) writeHandler(out *Lines) {
	h := p.Config.Handler
	if h == nil {
		return
	}
	out.Item(2, "handler", h.Wasm)
	granted := "none"
	if all := shown.Grants(h.Grants); len(all) > 0 {
		granted = strings.Join(all, "; ")
	}
	out.Item(2, "grants", granted)
}

// writeSettings writes the settings that are not the default of what becomes of events when
// something is slow, fails or stops.
func (p *Listener) writeSettings(out *Lines) {
	l := p.Config
	if l.Workers > 1 {
		out.Item(2, "workers", fmt.Sprintf("%d; events of one object are processed one by one",
			l.Workers))
	}
	if l.Checkpoint {
		out.Item(2, "checkpoint", "after a restart it goes on where it was")
	}
	var buffer config.Buffer
	document.SetDefaults(&buffer)
	if b := l.Buffer; b.Capacity != buffer.Capacity || b.Overflow != buffer.Overflow {
		out.Item(2, "buffer", fmt.Sprintf("%d events, overflow %s", b.Capacity, b.Overflow))
	}
	var retry config.Retry
	document.SetDefaults(&retry)
	if r := l.Retry; r != retry {
		text := fmt.Sprintf("%d attempts, %s to %s apart", r.Attempts, document.Short(r.MinBackoff.Duration),
			document.Short(r.MaxBackoff.Duration))
		if r.GiveUpAfter.Duration > 0 {
			text += "; outputs are given up after " + document.Short(r.GiveUpAfter.Duration)
		}
		out.Item(2, "retry", text)
	}
}
