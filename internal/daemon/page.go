package daemon

import (
	"io"

	"github.com/informerd/informerd/internal/endpoints"
	"github.com/informerd/informerd/internal/statuspage"
	"github.com/informerd/informerd/pkg/informer/event"
)

// addPage has a server show the status page.
func (r *runtime) addPage(s *endpoints.Server) {
	p := &statuspage.Page{Status: s.Status, Listener: r.onPage, Letters: r.letters,
		Replay: r.replay, May: s.MayPost}
	s.More, s.Actions, s.Tick = p.Paths(), p.Actions(), p.Tick
}

// onPage returns what the page shows of a listener on demand.
func (r *runtime) onPage(name string) (statuspage.Listener, bool) {
	for _, l := range r.current() {
		if l.name != name {
			continue
		}
		now := l.setup()
		r.mu.Lock()
		plan := r.plan
		r.mu.Unlock()
		return statuspage.Listener{
			Recent:        l.route.Recent(),
			Configuration: now.Config.Shown,
			Plan:          func(w io.Writer) error { return plan.WriteListeners(w, name) },
			Explain: func(e event.Event, w io.Writer) error {
				return plan.Explain(now.Listener, e, now.caches, l.remembers(e.Object.Key()), w)
			},
		}, true
	}
	return statuspage.Listener{}, false
}
