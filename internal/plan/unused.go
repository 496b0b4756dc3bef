package plan

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Unused returns warnings about informers and outputs that no listener uses: nothing is watched for
// them, and nothing is sent to them. So is the on of a listener that sends only what rules report,
// and an expression that contradicts the select or the informer.
func (p *Plan) Unused() (warnings config.Errors) {
	cfg := p.Config
	informers, outputs := map[*config.Informer]bool{}, map[string]bool{}
	for _, l := range p.Listeners {
		informers[l.Config.Informer()] = true
		for _, name := range l.Lookups() {
			informers[l.Config.Informers()[name]] = true
		}
		for _, name := range l.Config.Outputs {
			outputs[name] = true
		}
	}
	for _, inf := range InformersOf(cfg) {
		if !informers[inf.Informer] {
			// the name that one of a policy has in its file
			shown := inf.Field[strings.LastIndex(inf.Field, "informers."):]
			warnings = append(warnings,
				cfg.ErrorAt(inf.Field,
					shown+" is not used: no listener refers to it, and no expression or handler looks objects up in it",
					"remove it, or name it as the informer of a listener"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Outputs)) {
		if field := "outputs." + name; !outputs[name] {
			warnings = append(warnings,
				cfg.ErrorAt(field, field+" is not used: no listener sends anything to it",
					"remove it, or name it in the outputs of a listener"))
		}
	}
	warnings = append(warnings, p.Conflicts()...)
	for _, p := range p.Listeners {
		if field := p.Field + ".on"; p.Quiet && p.Config.Ops()&everything != everything {
			warnings = append(warnings,
				cfg.ErrorAt(field, field+" has no effect: rules look at an object whatever happens to it, and without a filter or a handler this listener sends nothing else",
					`remove it; filter: "true" would send the events, too`))
		}
	}
	return append(append(warnings, p.besideRules()...), p.unsent()...)
}

// unsent returns warnings about listeners of which no output takes anything. Of those that no event
// gets to there are other warnings. A rule next to others may be there for the metrics alone.
func (p *Plan) unsent() (warnings config.Errors) {
	for _, l := range p.Listeners {
		takes := func(name string) bool {
			o := p.Outputs[name]
			return o == nil || !p.missed(l, o).All
		}
		if p.never(l) || len(p.conflicts(l)) > 0 || len(l.Config.Outputs) == 0 ||
			slices.ContainsFunc(l.Config.Outputs, takes) {
			continue
		}
		why := "the when of each of its outputs is false of all that it has to send"
		if slices.ContainsFunc(p.sends(l, l.Config.Outputs), func(s shown.Sends) bool {
			return s.Nothing == shown.NothingToPatch
		}) {
			why = "none of its outputs takes what it has to send, and " + shown.NothingToPatch
		}
		warnings = append(warnings, p.Config.ErrorAt(l.Field+".outputs",
			l.Field+" sends nothing: "+why, "change a when, or name another output"))
	}
	return warnings
}

// besideRules returns warnings about filters that look at the object alone, in listeners with
// rules: those are probably meant for the rules as well.
func (p *Plan) besideRules() (warnings config.Errors) {
	for _, l := range p.Listeners {
		c := l.Config
		if l.Filter == nil || len(c.Rules) == 0 || !c.Select.IsZero() || c.Handler != nil ||
			c.Ops()&everything != everything || len(l.Filter.Paths()) == 0 ||
			namesEvent.MatchString(c.Filter.Text) {
			continue
		}
		field := l.Field + ".filter"
		warnings = append(warnings, p.Config.ErrorAt(field,
			field+" does not apply to the rules, which look at every object of the informer",
			"to limit both, call it select; to limit events alone, name in it what happens, as in op == \"update\" && …"))
	}
	return warnings
}

var everything = event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete)

// namesEvent matches what an expression reads of an event besides the object.
var namesEvent = regexp.MustCompile(`\b(op|old|initial|missed|resumed|changed|became)\b`)
