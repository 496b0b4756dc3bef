package changes

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

// Of returns what a reload changes, in the order of the configuration. What is in the files that
// the configurations name, such as modules, is not compared.
func Of(before, after *plan.Plan) (all admin.Changes) {
	for _, l := range after.Listeners {
		c := admin.Change{Kind: "listener", Name: l.Config.Name, Action: "changed"}
		switch was := named(before, l.Config.Name); {
		case was == nil:
			c.Action = "added"
		case was.Config.Informer().Resource != l.Config.Informer().Resource:
			c.Action, c.Fields = "restarted", was.Differences(l)
		default:
			if c.Fields = was.Differences(l); len(c.Fields) == 0 {
				continue
			}
		}
		all = append(all, c)
	}
	for _, l := range before.Listeners {
		if named(after, l.Config.Name) == nil {
			all = append(all, admin.Change{Kind: "listener", Name: l.Config.Name,
				Action: "removed"})
		}
	}
	return append(all, Others(before, after)...)
}

func named(p *plan.Plan, name string) *plan.Listener {
	i := slices.IndexFunc(p.Listeners, func(l *plan.Listener) bool { return l.Config.Name == name })
	if i < 0 {
		return nil
	}
	return p.Listeners[i]
}

// Others returns what differs besides listeners.
func Others(before, after *plan.Plan) admin.Changes {
	all := compared("informer", "informers.", before.Digests.Informers, after.Digests.Informers,
		func(name string) (was, is any) {
			name = strings.TrimPrefix(name, "informers.")
			return before.Config.Informers[name], after.Config.Informers[name]
		})
	all = append(all, compared("output", "", before.Digests.Outputs, after.Digests.Outputs,
		func(name string) (was, is any) {
			return before.Config.Outputs[name], after.Config.Outputs[name]
		})...)
	return append(all, settings(before.Config, after.Config)...)
}

// settings returns how what is no listener, informer or output differs.
func settings(before, after *config.Config) (all admin.Changes) {
	add := func(kind string, differs map[string]bool) {
		maps.DeleteFunc(differs, func(_ string, does bool) bool { return !does })
		if len(differs) > 0 {
			all = append(all, admin.Change{Kind: kind, Action: "changed",
				Fields: slices.Sorted(maps.Keys(differs))})
		}
	}
	letters, stop := before.DeadLetters, before.Shutdown
	add("deadLetters", map[string]bool{"age": letters.Age != after.DeadLetters.Age,
		"bytes":    letters.Bytes != after.DeadLetters.Bytes,
		"whenFull": letters.WhenFull != after.DeadLetters.WhenFull})
	add("shutdown", map[string]bool{"close": stop.Close != after.Shutdown.Close,
		"drain": stop.Drain != after.Shutdown.Drain})
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
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name] != is[name] {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, has := is[name]; !has {
			names = append(names, name)
		}
	}
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

// handlerFields returns the fields with those of the handler instead.
func handlerFields(all []string, at int, before, after *plan.Listener) []string {
	if before == nil || before.Config.Handler == nil || after.Config.Handler == nil {
		return all
	}
	var of []string
	for _, name := range fields(before.Config.Handler, after.Config.Handler) {
		of = append(of, "handler."+name)
	}
	if len(of) == 0 {
		of = []string{"handler.wasm"} // its content
	}
	return slices.Concat(all[:at], of, all[at+1:])
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
