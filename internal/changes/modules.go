package changes

import (
	"bytes"
	"slices"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/plan"
)

// withModules adds the listeners whose modules have another content to those that have changed, and
// returns those of which a module cannot be read.
func withModules(all admin.Changes, before, after *plan.Plan) (_ admin.Changes, unread []string) {
	for _, l := range after.Listeners {
		was := named(before, l.Config.Name)
		if was == nil || was.Config.Handler == nil || l.Config.Handler == nil {
			continue
		}
		a, wrong := handlers.Module(before.Config, was.Config)
		b, wrongToo := handlers.Module(after.Config, l.Config)
		if wrong != nil || wrongToo != nil {
			unread = append(unread, l.Config.Name)
			continue
		}
		if bytes.Equal(a, b) {
			continue
		}
		i := slices.IndexFunc(all, func(c admin.Change) bool {
			return c.Kind == "listener" && c.Name == l.Config.Name
		})
		switch {
		case i < 0:
			all = append(all, admin.Change{Kind: "listener", Name: l.Config.Name,
				Action: "changed", Fields: []string{"handler"}})
		case !slices.Contains(all[i].Fields, "handler"):
			all[i].Fields = append(all[i].Fields, "handler")
		}
	}
	return all, unread
}
