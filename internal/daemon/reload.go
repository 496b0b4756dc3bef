package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/statefolder"
)

// reload makes the plan of another configuration the one that runs, or changes nothing. It returns
// what has changed. Until everything is made that may fail, such as handlers and outputs, nothing
// that runs is touched. The error is a config.Errors if the configuration is to blame.
func (s *supervisor) reload(ctx context.Context, cfg *config.Config,
	opts Options) (admin.Changes, error) {
	r := &reload{supervisor: s, config: cfg}
	if err := r.prepare(ctx, opts); err != nil {
		return nil, errors.Join(err, r.discard(context.WithoutCancel(ctx)))
	}
	return r.commit(ctx), nil
}

// reload is a plan that is to take the place of the one that runs.
type reload struct {
	*supervisor
	config  *config.Config
	plan    *plan.Plan
	outputs outputs
	parts   []part // the listeners that differ, new ones included
	opened  bool   // the outputs are
}

// part is a listener of a shard that differs, or that there was not.
type part struct {
	shard  *shard // nil if none is worked on: it is only checked
	setup  *setup
	was    *listener // nil if there was none
	fields []string  // that differ
	// restart: the listener cannot go on with what it has.
	restart bool
}

// prepare compiles the plan, and makes what it needs.
func (r *reload) prepare(ctx context.Context, opts Options) error {
	cfg := r.config
	var mistakes, wrong config.Errors
	if opts.Kubeconfig == "" {
		mistakes = plan.KubeconfigMistakes(cfg)
	}
	mistakes = append(mistakes, NeedRestart(r.runtime.plan.Config, cfg)...)
	r.plan, wrong = plan.Compile(cfg, opts.Schemas)
	mistakes = append(mistakes, wrong...)
	r.outputs = newOutputs(r.plan, r.runtime.outputs)
	mistakes = append(mistakes, r.outputs.check(cfg)...)
	if r.digestKey == nil {
		key, err := statefolder.DigestKey(cfg)
		if err != nil {
			return err
		}
		r.digestKey = key
	}
	for i, s := range r.shardsOrNone() {
		for _, planned := range s.planned(r.plan) {
			wrong, err := r.preparePart(ctx, s, planned)
			if err != nil {
				return err
			}
			if i == 0 { // they are the same in all
				mistakes = append(mistakes, wrong...)
			}
		}
	}
	if len(mistakes) > 0 {
		return plan.NotLoaded(cfg, mistakes)
	}
	r.opened = true
	if err := r.outputs.open(ctx, r.plan, r.runtime); err != nil {
		return err
	}
	opts.warn(cfg.Warnings())
	for _, p := range r.parts {
		opts.report(cfg, p.setup.Listener)
	}
	opts.warn(r.plan.Warnings())
	return nil
}

// shardsOrNone returns the shards that are worked on, or nil in place of the first one.
func (r *reload) shardsOrNone() []*shard {
	if all := r.working(); len(all) > 0 {
		return all
	}
	return []*shard{nil}
}

// preparePart makes the setup of a listener, if it differs from the one that it has.
func (r *reload) preparePart(ctx context.Context, s *shard, planned *plan.Listener) (config.Errors,
	error) {
	p := part{shard: s}
	if s != nil {
		p.was = s.named(planned.Config.Name)
	}
	var before *setup
	if p.was != nil {
		running := p.was.wanted()
		p.fields = running.Differences(planned)
		if !slices.Contains(p.fields, "handler") && r.handlerDiffers(running, planned) {
			p.fields = append(p.fields, "handler")
		}
		if len(p.fields) == 0 && !slices.ContainsFunc(running.outputs, func(o *output) bool {
			return o.opened != r.outputs[o.name].opened
		}) {
			return nil, nil
		}
		// With another resource, nothing of what it has fits.
		p.restart = running.Config.Informer().Resource != planned.Config.Informer().Resource
		if !p.restart && p.was.hasBegun() {
			before = running
		}
	}
	var wrong config.Errors
	p.setup, wrong = r.newSetup(ctx, r.config, planned, making{outputs: r.outputs, before: before,
		shard: s})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("stopped before all was checked: %w", err)
	}
	r.parts = append(r.parts, p)
	return wrong, nil
}

// discard closes what was made.
func (r *reload) discard(ctx context.Context) error {
	var errs []error
	for _, p := range r.parts {
		m := p.setup.module
		if m == nil || m.handler == nil || p.was != nil && p.was.wanted().module == m {
			continue
		}
		errs = append(errs, m.handler.Close(ctx))
	}
	if r.opened {
		errs = append(errs, r.outputs.without(r.runtime.outputs).close(ctx))
	}
	return errors.Join(errs...)
}

// commit makes the plan the one that runs.
func (r *reload) commit(ctx context.Context) admin.Changes {
	changed := r.changes()
	old := r.runtime.outputs
	r.outputs.hold(old)
	r.mu.Lock()
	r.runtime.plan, r.runtime.outputs = r.plan, r.outputs
	r.mu.Unlock()
	for _, c := range r.clusters() {
		r.wantDefinitions(c)
	}
	if r.fleet != nil {
		r.fleet.watch.Configure(r.config)
	}
	r.letters.SetLimits(statefolder.LetterLimits(r.config.DeadLetters))
	var restarts []<-chan struct{}
	for _, s := range r.working() {
		restarts = append(restarts, r.commitTo(s)...)
	}
	r.letGo(&r.closing, slices.Collect(maps.Values(old))...)
	for _, p := range r.parts {
		if p.shard == nil && p.setup.module != nil {
			_ = p.setup.module.handler.Close(ctx) // nobody uses it
		}
	}
	await(restarts)
	return changed
}

// commitTo has a shard work by the plan. What it returns is closed when listeners have begun again.
func (r *reload) commitTo(s *shard) (restarts []<-chan struct{}) {
	var after, leaving []*listener
	stays := map[string]bool{}
	for _, planned := range s.planned(r.plan) {
		name := planned.Config.Name
		stays[name] = true
		i := slices.IndexFunc(r.parts, func(p part) bool {
			return p.shard == s && p.setup.Config.Name == name
		})
		if i < 0 {
			after = append(after, s.named(name))
			continue
		}
		p := r.parts[i]
		l, changed := p.was, false
		if l != nil && !p.restart {
			var once <-chan struct{}
			if changed, once = l.change(s, p.setup); once != nil {
				restarts = append(restarts, once)
			}
		}
		if !changed {
			l = r.fresh(p)
			if p.was != nil {
				leaving = append(leaving, p.was)
			}
		}
		after = append(after, l)
	}
	before := s.current()
	for _, l := range before {
		if !stays[l.name] {
			leaving = append(leaving, l)
		}
	}
	r.mu.Lock()
	s.listeners, s.leaving = after, append(s.leaving, leaving...)
	r.mu.Unlock()
	for _, l := range leaving {
		s.left.note(l)
		s.retire(s.ctx, l)
	}
	for _, l := range after {
		if !slices.Contains(before, l) {
			s.start(s.ctx, l)
		}
	}
	return restarts
}

// restartWait is how long a reload waits for listeners that begin again: their handlers may be at
// work.
const restartWait = time.Second

// await waits for the end of restarts, for a while.
func await(restarts []<-chan struct{}) {
	late := time.After(restartWait)
	for _, ended := range restarts {
		select {
		case <-ended:
		case <-late:
			return
		}
	}
}

// fresh makes a listener that takes the place of another one of its name, if there is one. It
// begins after that.
func (r *reload) fresh(p part) *listener {
	l, err := r.listenerOf(p.setup, p.shard.keeper, p.shard.place())
	if err != nil { // what may be wrong was checked
		r.log.Error("listener failed", "listener", l.name, "error", err)
	}
	if p.was != nil {
		l.after = p.was.ended
	} else {
		l.after = p.shard.left[l.name]
	}
	return l
}

// named returns the first listener of a name, nil if there is none.
func (r *runtime) named(name string) *listener { return listenerNamed(r.current(), name) }

// handlerDiffers reports whether the file of a listener's handler, or a value that it is given, has
// changed.
func (r *reload) handlerDiffers(running *setup, planned *plan.Listener) bool {
	if running.module == nil {
		return false
	}
	reader := &handlers.Reader{Section: plan.SectionOf(r.config, planned.Config),
		Persist: r.persist}
	spec, err := reader.Spec()
	return err != nil || spec == nil || specDigest(spec) != running.module.digest
}

// changes returns what the reload changes. Fields of listeners may be in files as well.
func (r *reload) changes() admin.Changes {
	parts := map[string]part{}
	for _, p := range r.parts {
		if p.was != nil {
			parts[p.setup.Config.Name] = p
		}
	}
	return changesBetween(r.runtime.plan, r.plan, func(was, is *plan.Listener) []string {
		if p, found := parts[is.Config.Name]; found {
			return p.fields
		}
		return was.Differences(is)
	})
}

// leaving has what is closed when the last listener of a name is no longer there, for listeners
// that still finish what they have.
type leaving map[string]<-chan struct{}

// note adds a listener that leaves, and forgets those that have left.
func (l *leaving) note(leaves *listener) {
	if *l == nil {
		*l = leaving{}
	}
	for name, ended := range *l {
		select {
		case <-ended:
			delete(*l, name)
		default:
		}
	}
	(*l)[leaves.name] = leaves.ended
}
