package plan

import (
	"strings"

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

// writeSettings writes the settings that are not the default.
func (p *Listener) writeSettings(out *Lines) {
	for _, s := range shown.Settings(p.Config) {
		out.Item(2, s.Name, s.Text)
	}
}
