package plan

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// writeHandler writes a listener's handler with its grants.
func (p *Listener) writeHandler(out *Lines) {
	h := p.Config.Handler
	if h == nil {
		return
	}
	out.Item(2, "handler", h.Wasm)
	granted := "none"
	if all := grantsOf(h.Grants); len(all) > 0 {
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

// grantsOf returns what a handler may do, each grant as a few words. Of URLs only the hosts are
// shown.
func grantsOf(g config.Grants) (all []string) {
	add := func(granted bool, words ...string) {
		if granted {
			all = append(all, strings.Join(words, " "))
		}
	}
	if g.Log != nil {
		add(true, "log", g.Log.Level)
	}
	if g.KV != nil {
		add(!g.KV.Persist, "kv")
		add(g.KV.Persist, "kv persistent")
	}
	add(g.Clock != nil, "clock")
	add(g.Random != nil, "random")
	if g.HTTP != nil {
		var hosts []string
		for _, text := range g.HTTP.Allow {
			if u, err := url.Parse(text); err == nil && !slices.Contains(hosts, u.Host) {
				hosts = append(hosts, u.Host)
			}
		}
		add(true, "http", strings.Join(g.HTTP.Methods, ", "), "to", strings.Join(hosts, ", "))
	}
	if g.Cache != nil {
		add(true, "cache of", strings.Join(g.Cache.Informers, ", "))
	}
	if g.Emit != nil {
		words := []string{"emit", strings.Join(g.Emit.Kinds, ", ")}
		if len(g.Emit.Types) > 0 {
			words = append(words, "of types", strings.Join(g.Emit.Types, ", "))
		}
		add(len(g.Emit.Kinds) > 0, words...)
		add(len(g.Emit.Kinds) == 0, "emit nothing")
	}
	return all
}
