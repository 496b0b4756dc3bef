package endpoints

import (
	"net/http/pprof"
)

// profiles is where Go's profiles are.
const profiles = "/debug/pprof/"

// profilers returns what answers requests for profiles. Each has a path of its own, so that rights
// can be given for one of them.
func profilers() []served {
	all := []served{{path: profiles, handle: pprof.Index},
		{path: profiles + "cmdline", handle: pprof.Cmdline},
		{path: profiles + "profile", handle: pprof.Profile},
		{path: profiles + "symbol", handle: pprof.Symbol},
		{path: profiles + "trace", handle: pprof.Trace}}
	for _, name := range []string{"allocs", "block", "goroutine", "heap", "mutex",
		"threadcreate"} {
		all = append(all, served{path: profiles + name,
			handle: pprof.Handler(name).ServeHTTP})
	}
	return all
}
