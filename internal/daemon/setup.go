package daemon

import (
	"context"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters/rules"
)

// setup is what a listener works with: its part of a plan, and what was made for that. A reload
// exchanges it as a whole; what is the same in the next one is passed on to it.
type setup struct {
	*listenerPlan
	config   *config.Config
	outputs  []*output
	book     *rules.Book         // nil without rules
	caches   *caches             // empty until the setup is bound
	messages *cloudevent.Builder // nil until then
	found    kube.Resource       // of its informer, once it is bound
	module   *module             // nil without a handler
	own      route.Own           // nil if no output changes objects

	life     context.Context // ends when the setup is no longer wanted
	unwanted context.CancelFunc
}

// newSetup makes a setup of a plan, with what it can use of the setup before, which may be nil. It
// collects the mistakes.
func (r *runtime) newSetup(ctx context.Context, cfg *config.Config, p *listenerPlan,
	before *setup, outputs outputs) (*setup, config.Errors) {
	s := &setup{listenerPlan: p, config: cfg, caches: &caches{}}
	s.life, s.unwanted = context.WithCancel(context.WithoutCancel(ctx))
	if before != nil {
		s.book = before.book
		if before.looksUpAs(s) {
			s.caches, s.messages, s.found = before.caches, before.messages, before.found
		}
	}
	if s.book == nil && len(p.rules) > 0 {
		s.book = rules.NewBook(p.rules, len(p.cfg.Outputs))
	}
	for _, name := range p.cfg.Outputs {
		s.outputs = append(s.outputs, outputs[name])
		if cfg.Outputs[name].Patch != nil && r.maker != nil {
			s.own = r.maker.API.Own(p.cfg.Name)
		}
	}
	if p.cfg.Handler == nil {
		return s, nil
	}
	reader := &handlerReader{section: sectionOf(cfg, p.cfg), persist: r.persist, caches: s.caches}
	if err := r.newModule(ctx, s, before, reader); err != nil {
		reader.mistake(".handler.wasm", err)
	}
	return s, reader.mistakes
}

// pipeline returns what becomes of the listener's events, once the setup is bound and its handler
// loaded.
func (s *setup) pipeline() *route.Pipeline {
	p := &route.Pipeline{
		Select: s.selects, On: s.cfg.Ops(), Filter: s.filter, Rules: s.book, Quiet: s.quiet,
		Own: s.own, Caches: s.caches, Messages: s.messages,
	}
	if s.book != nil {
		p.RuleSet = append([]*rules.Rule{}, s.rules...) // none is not nil
	}
	for _, o := range s.outputs {
		p.Outputs = append(p.Outputs, o.route())
	}
	if s.module != nil {
		p.Handler, p.Batch = s.module.handler, s.cfg.Handler.Batch
	}
	return p
}

// lookups returns the names of the informers in which the listener's expressions and its handler
// look objects up.
func (p *listenerPlan) lookups() []string {
	names := append(lookups(p.filters()), grantedInformers(p.cfg)...)
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// lookedUpBy returns which part of the listener looks objects up in an informer.
func (p *listenerPlan) lookedUpBy(name string) string {
	if slices.Contains(lookups(p.filters()), name) {
		return "its expressions look"
	}
	return "its handler looks"
}

// lookedUp is an informer in which a listener looks objects up.
type lookedUp struct {
	Name     string
	Informer *config.Informer
	Within   []string // indexes that are needed within a namespace as well
}

// looksUp returns what the listener looks objects up in.
func (p *listenerPlan) looksUp() (all []lookedUp) {
	for _, name := range p.lookups() {
		l := lookedUp{Name: name, Informer: p.cfg.Informers()[name]}
		for _, f := range p.filters() {
			l.Within = append(l.Within, f.IndexesIn()[name]...)
		}
		l.Within = slices.Compact(slices.Sorted(slices.Values(l.Within)))
		all = append(all, l)
	}
	return all
}

// looksUpAs reports whether another setup can use the same caches, which are bound.
func (s *setup) looksUpAs(other *setup) bool {
	return s.messages != nil && digest(s.looksUp()) == digest(other.looksUp())
}
