package daemon

import (
	"errors"
	"io"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/endpoints"
	"github.com/informerd/informerd/internal/statuspage"
	"github.com/informerd/informerd/pkg/informer/event"
)

// addPage has a server show the status page.
func (r *runtime) addPage(s *endpoints.Server) {
	p := &statuspage.Page{Status: s.Status, Listener: r.onPage, Letters: r.letters,
		Replay: r.replay, May: s.MayPost}
	s.More, s.Actions = p.Paths(), p.Actions()
	s.Tick = func() {
		p.Tick()
		for _, l := range r.current() {
			l.route.Recent().Expire()
		}
	}
}

// onPage returns what the page shows of a listener on demand.
func (r *runtime) onPage(name string) (statuspage.Listener, bool) {
	l := r.named(name)
	if l == nil {
		return statuspage.Listener{}, false
	}
	r.mu.Lock()
	plan := r.plan
	r.mu.Unlock()
	return statuspage.Listener{
		Recent:        l.route.Recent(),
		Configuration: l.setup().Config.Shown,
		Plan: func(w io.Writer) error {
			all, err := plan.List(name)
			if err != nil {
				return err
			}
			return all.Write(w)
		},
		Explain: func(e event.Event, w io.Writer) error {
			a, err := l.explain(plan, e)
			if err != nil {
				return err
			}
			known := admin.Memory{Listener: true}
			l.remembers(e.Object.Key(), &known)
			return errors.Join(a.Write(w), known.Write(w))
		},
	}, true
}
