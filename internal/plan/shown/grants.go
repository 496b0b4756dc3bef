package shown

import (
	"net/url"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// Grants returns what a handler may do, each grant as a few words. Of URLs only the hosts are
// shown.
func Grants(g config.Grants) (all []string) {
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
