package config

import (
	"slices"

	"github.com/informerd/informerd/internal/config/document"
)

// checkHandler checks what the tags of a handler's fields cannot say.
func checkHandler(c *Config, h *Handler, path string, r *document.Report) {
	checkGrants(c, &h.Grants, document.Join(path, "grants"), r)
	checkRequestTime(h, path, r)
}

func checkGrants(c *Config, g *Grants, path string, r *document.Report) {
	if g.KV != nil {
		field := document.Join(document.Join(path, "kv"), "persist")
		if r.Good(field) && g.KV.Persist && c.State.Dir == "" && !r.Has("state") && !r.Broken("") {
			r.BadValue(field, "add state: {dir: FOLDER} to the configuration",
				"%s is true, but no folder is named to keep the values in", field)
		}
	}
	if g.HTTP != nil {
		checkHeaders(g.HTTP.Headers, document.Join(document.Join(path, "http"), "headers"), r)
	}
	if g.Emit != nil {
		checkEmitTypes(g.Emit, document.Join(path, "emit"), r)
	}
	if g.Cache != nil {
		checkCachedInformers(c, g.Cache, document.Join(path, "cache"), r)
	}
}

// checkEmitTypes refuses types of events for a handler that may not emit events.
func checkEmitTypes(g *EmitGrant, path string, r *document.Report) {
	field := document.Join(path, "types")
	if r.Good(field) && !r.Failed(document.Join(path, "kinds")) &&
		!slices.ContainsFunc(g.Kinds, func(kind string) bool { return kind != "data" }) {
		r.BadField(field, "remove it, or add event to kinds",
			"%s is set, but no events may be emitted", field)
	}
}

func checkCachedInformers(c *Config, g *CacheGrant, path string, r *document.Report) {
	field := document.Join(path, "informers")
	for i, name := range g.Informers {
		at := document.Item(field, i)
		if r.Good(at) && !r.Has(document.Join("informers", name)) && !r.Failed("informers") {
			r.BadValue(at, nameHint(r, name, "informers", c.Informers), "%s: unknown informer %s",
				at,
				document.Quote(name))
		}
	}
}

// checkRequestTime warns of requests that have less time than their timeout.
func checkRequestTime(h *Handler, path string, r *document.Report) {
	grant, deadline := document.Join(document.Join(path, "grants"), "http"),
		document.Join(document.Join(path, "limits"), "deadline")
	timeout := document.Join(grant, "timeout")
	if h.Grants.HTTP == nil || r.Failed(grant) || r.Failed(timeout) || r.Failed(deadline) {
		return
	}
	limit := h.Limits.Deadline.Duration
	switch {
	case r.Has(timeout) && h.Grants.HTTP.Timeout.Duration > limit:
		r.Warn(r.Value(timeout), timeout, "raise the deadline, or lower the timeout",
			"%s is %s, but %s ends a request earlier: it is %s", timeout,
			document.Short(h.Grants.HTTP.Timeout.Duration), deadline, document.Short(limit))
	case !r.Has(timeout) && !r.Has(deadline):
		r.Warn(r.Key(grant), grant, "set it to what the server may take",
			"%s: a request must fit in %s, which is %s unless it is set", grant, deadline,
			document.Short(limit))
	}
}
