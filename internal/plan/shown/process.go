package shown

import (
	"fmt"

	"github.com/informerd/informerd/internal/config"
)

// Process returns the settings of the whole process that say whom it speaks to and what it keeps.
func Process(cfg *config.Config) (all []Setting) {
	add := func(name, format string, args ...any) {
		all = append(all, Setting{name, fmt.Sprintf(format, args...)})
	}
	switch c := cfg.Cluster; {
	case c.Kubeconfig != "" && c.Context != "":
		add("kubeconfig", "%s, context %s", c.Kubeconfig, c.Context)
	case c.Kubeconfig != "":
		add("kubeconfig", "%s", c.Kubeconfig)
	case c.Context != "":
		add("context", "%s", c.Context)
	}
	if dir := cfg.State.Dir; dir != "" {
		add("state", "%s", dir)
	}
	if a := cfg.HTTP.Address; a != "" {
		who := "everybody on this machine"
		if cfg.HTTP.Auth != "" {
			who = "who the API server lets"
		}
		add("http", "%s, for %s", a, who)
	}
	if a := cfg.Health.Address; a != "" {
		add("health", "%s", a)
	}
	if t := cfg.Tracing; t != nil {
		add("tracing", "%s, one of %d events, with the names of objects", to(t.URL), t.Every)
	}
	if e := cfg.LeaderElection; e != nil {
		where := ""
		if e.Namespace != "" {
			where = e.Namespace + "/"
		}
		add("leader election", "lease %s%s", where, e.Name)
	}
	return all
}
