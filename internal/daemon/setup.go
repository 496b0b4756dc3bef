package daemon

import (
	"context"
	"sync/atomic"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/pkg/filters/rules"
)

// setup is what a listener works with: its part of a plan, and what was made for that. A reload
// exchanges it as a whole; what is the same in the next one is passed on to it. Nobody changes it
// once a listener has it, except that it is bound, once.
type setup struct {
	*plan.Listener
	whole     *config.Config // that it is a part of
	outputs   []*output
	digestKey []byte // of the digests of Secrets; nil: one of the process's own
	spillDir  string // where a full buffer writes, if it does
	// remembered is what book returns. Pages read it while a listener goes on after a restart.
	remembered atomic.Pointer[rules.Book]

	caches *caches   // empty until the setup is bound
	module *module   // nil without a handler
	own    route.Own // nil if no output changes objects

	// bound is nil until the binder, or the setup before, has provided it.
	bound atomic.Pointer[binding]

	life     context.Context // ends when the setup is no longer wanted
	unwanted context.CancelFunc
}

// newSetup makes a setup of a plan, with what it can use of the setup before, which may be nil. It
// collects the mistakes.
func (r *runtime) newSetup(ctx context.Context, cfg *config.Config, p *plan.Listener,
	before *setup, outputs outputs) (*setup, config.Errors) {
	s := &setup{Listener: p, whole: cfg, caches: &caches{}, digestKey: r.digestKey}
	s.life, s.unwanted = context.WithCancel(context.WithoutCancel(ctx))
	if before != nil && before.looksUpAs(s) {
		s.caches = before.caches
		s.bound.Store(before.bound.Load())
	}
	if len(p.Rules) > 0 {
		s.remembered.Store(rules.NewBook(p.Rules, len(p.Config.Outputs)))
	}
	for _, name := range p.Config.Outputs {
		s.outputs = append(s.outputs, outputs[name])
		if cfg.Outputs[name].Patch != nil && r.maker != nil {
			s.own = r.maker.API.Own(p.Config.Name)
		}
	}
	section := plan.SectionOf(cfg, p.Config)
	if r.persist {
		var err error
		if s.spillDir, err = statefolder.SpillDir(cfg, p.Config); err != nil {
			section.Mistake(".buffer.overflow", err)
		}
	}
	if p.Config.Handler == nil {
		return s, section.Mistakes
	}
	reader := &handlers.Reader{Section: section, Persist: r.persist && !r.dryRun, Caches: s.caches}
	if err := r.newModule(ctx, s, before, reader); err != nil {
		reader.Refused(err)
	}
	return s, reader.Mistakes
}

// book returns what the rules remember, nil if there are none. It becomes that of the setup before
// when a listener changes, and what was before a restart when it goes on.
func (s *setup) book() *rules.Book { return s.remembered.Load() }

// pipeline returns what becomes of the listener's events, once the setup is bound and its handler
// loaded.
func (s *setup) pipeline() *route.Pipeline {
	p := &route.Pipeline{
		Select: s.Select, On: s.Config.Ops(), Filter: s.Filter, Rules: s.book(), Quiet: s.Quiet,
		Own: s.own, Caches: s.caches,
	}
	if to := s.bound.Load(); to != nil {
		p.Messages = to.messages
	}
	if p.Rules != nil {
		p.RuleSet = append([]*rules.Rule{}, s.Rules...) // none is not nil
	}
	for _, o := range s.outputs {
		p.Outputs = append(p.Outputs, o.route())
	}
	if s.module != nil {
		p.Handler, p.Batch = s.module.handler, s.Config.Handler.Batch
	}
	return p
}

// hold notes that a listener has the setup, and so uses its outputs.
func (s *setup) hold() {
	for _, out := range s.outputs {
		out.hold()
	}
}

// looksUpAs reports whether another setup can use the same caches, which are bound.
func (s *setup) looksUpAs(other *setup) bool {
	return s.bound.Load() != nil && plan.Digest(s.LooksUp()) == plan.Digest(other.LooksUp())
}
