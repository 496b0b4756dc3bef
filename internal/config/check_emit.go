package config

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/plugins"
)

const maxTypes = 100

func checkEmitGrant(g *EmitGrant, path string, r *report) {
	checkKinds(g, join(path, "kinds"), r)
	checkTypes(g, path, r)
	r.number(join(path, "count"), &g.Count, 64, 1, 1000)
	r.size(join(path, "bytes"), &g.Bytes, 1<<20, 1<<10, 16<<20)
}

func checkKinds(g *EmitGrant, field string, r *report) {
	if !r.has(field) {
		g.Kinds = []string{"event", "data"}
		return
	}
	repeated := repeats(g.Kinds)
	for i, kind := range g.Kinds {
		at := item(field, i)
		r.oneOf(at, &g.Kinds[i], "", "event", "data")
		if r.good(at) && repeated[i] {
			r.value(at, "", "%s repeats the kind %s", at, kind)
		}
	}
}

func checkTypes(g *EmitGrant, path string, r *report) {
	field := join(path, "types")
	switch {
	case !r.good(field):
		return
	case len(g.Types) == 0:
		r.value(field, "remove it to allow all types", "%s is an empty list", field)
	case len(g.Types) > maxTypes:
		r.value(field, "", "%s must have at most %d types, has %d", field, maxTypes, len(g.Types))
		return
	case !r.failed[join(path, "kinds")] && !slices.ContainsFunc(g.Kinds, func(kind string) bool {
		return kind != "data"
	}):
		r.key(field, "remove it, or add event to kinds", "%s is set, but no events may be emitted",
			field)
	}
	repeated := repeats(g.Types)
	for i, typ := range g.Types {
		at := item(field, i)
		if !r.good(at) {
			continue
		}
		if err := plugins.CheckEmitType(typ); err != nil {
			wrong, hint, _ := strings.Cut(strings.TrimPrefix(err.Error(), "it "), ": ")
			r.value(at, hint, "%s %s", at, wrong)
		} else if repeated[i] {
			r.value(at, "", "%s repeats the type %s", at, quote(typ))
		}
	}
}
