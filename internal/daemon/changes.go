package daemon

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/plan"
)

// Changes returns what a reload changes, in the order of the configuration. What is in the files
// that the configurations name, such as modules, is not compared.
func Changes(before, after *plan.Plan) admin.Changes {
	return changesBetween(before, after, (*plan.Listener).Differences)
}

// changesBetween is Changes with another comparison of listeners.
func changesBetween(before, after *plan.Plan,
	differences func(was, is *plan.Listener) []string) (all admin.Changes) {
	old := map[string]*plan.Listener{}
	for _, l := range before.Listeners {
		old[l.Config.Name] = l
	}
	for _, l := range after.Listeners {
		c := admin.Change{Kind: "listener", Name: l.Config.Name, Action: "changed"}
		was := old[l.Config.Name]
		delete(old, l.Config.Name)
		if was == nil {
			c.Action = "added"
			all = append(all, c)
			continue
		}
		if c.Fields = differences(was, l); len(c.Fields) == 0 {
			continue
		}
		if was.Config.Informer().Resource != l.Config.Informer().Resource {
			c.Action = "restarted"
		}
		all = append(all, c)
	}
	for _, l := range before.Listeners {
		if old[l.Config.Name] != nil {
			all = append(all, admin.Change{Kind: "listener", Name: l.Config.Name,
				Action: "removed"})
		}
	}
	all = slices.Concat(all, compared("informer", "informers.", before.Digests.Informers,
		after.Digests.Informers, func(name string) (was, is any) {
			name = strings.TrimPrefix(name, "informers.")
			return before.Config.Informers[name], after.Config.Informers[name]
		}), compared("output", "", before.Digests.Outputs, after.Digests.Outputs,
		func(name string) (was, is any) {
			return before.Config.Outputs[name], after.Config.Outputs[name]
		}), compared("cluster", "", before.Digests.Clusters, after.Digests.Clusters,
		func(name string) (was, is any) {
			return before.Config.Clusters[name], after.Config.Clusters[name]
		}))
	if before.Digests.ClustersFrom != after.Digests.ClustersFrom {
		all = append(all, admin.Change{Kind: "clustersFrom", Action: "changed"})
	}
	for _, part := range []struct {
		kind    string
		was, is any
	}{{"deadLetters", before.Config.DeadLetters, after.Config.DeadLetters},
		{"shutdown", before.Config.Shutdown, after.Config.Shutdown}} {
		if differ := fields(part.was, part.is); len(differ) > 0 {
			all = append(all, admin.Change{Kind: part.kind, Action: "changed", Fields: differ})
		}
	}
	return all
}

// compared returns how parts of one kind differ. Only those whose names begin with a prefix are
// compared, and shown without it. The parts are there for the fields that differ.
func compared(kind, prefix string, before, after map[string]string,
	parts func(name string) (was, is any)) (all admin.Changes) {
	names := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		shown, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		was, had := before[name]
		is, has := after[name]
		change := admin.Change{Kind: kind, Name: shown}
		switch {
		case !had:
			change.Action = "added"
		case !has:
			change.Action = "removed"
		case was != is:
			change.Action, change.Fields = "changed", fields(parts(name))
		default:
			continue
		}
		all = append(all, change)
	}
	return all
}

// fields returns the names of the fields that differ, as in webhook.url.
func fields(before, after any) (names []string) {
	was, is := membersOf(before), membersOf(after)
	names = plan.Differing(was, is)
	for i, name := range names { // a part that is there on one side alone is one field
		if part, _, below := strings.Cut(name, "."); below && (!has(was, part) || !has(is, part)) {
			names[i] = part
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// has reports whether members have a part, or something below it.
func has(members map[string]string, part string) bool {
	for name := range members {
		if first, _, _ := strings.Cut(name, "."); first == part {
			return true
		}
	}
	return false
}

// membersOf returns the JSON of a part's fields, and of the fields of those.
func membersOf(part any) map[string]string {
	all := map[string]string{}
	text, err := json.Marshal(part)
	var members map[string]json.RawMessage
	if err != nil || json.Unmarshal(text, &members) != nil {
		return all // what was loaded is a mapping
	}
	for name, text := range members {
		var below map[string]json.RawMessage
		if json.Unmarshal(text, &below) != nil || len(below) == 0 {
			all[name] = string(text)
		}
		for under, text := range below {
			all[name+"."+under] = string(text)
		}
	}
	return all
}
