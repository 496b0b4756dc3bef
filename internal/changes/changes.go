package changes

import (
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
	all := compared("informer", "informers.", before.Digests.Informers, after.Digests.Informers)
	all = append(all, compared("output", "", before.Digests.Outputs, after.Digests.Outputs)...)
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
// compared, and shown without it.
func compared(kind, prefix string, before, after map[string]string) (all admin.Changes) {
	names := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		shown, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		was, had := before[name]
		is, has := after[name]
		switch {
		case !had:
			all = append(all, admin.Change{Kind: kind, Name: shown, Action: "added"})
		case !has:
			all = append(all, admin.Change{Kind: kind, Name: shown, Action: "removed"})
		case was != is:
			all = append(all, admin.Change{Kind: kind, Name: shown, Action: "changed"})
		}
	}
	return all
}
