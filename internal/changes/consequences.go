package changes

import (
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/reach"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/pkg/informer/event"
)

// consequences says what becomes of what there is when a configuration is reloaded, as
// docs/outputs.md#reload and docs/filters.md have it. Of a listener, before and after are its
// plans; from and to are the plans of the configurations.
func consequences(c admin.Change, before, after *plan.Listener, from, to *plan.Plan) []string {
	const inTime = "; what outputs do not take within shutdown.drain becomes dead letters"
	const noEnds = "; the outputs get no end of violations that are open then"
	switch c.Kind + " " + c.Action {
	case "listener added":
		return []string{begins(after)}
	case "listener removed":
		if len(before.Config.Rules) > 0 {
			return []string{"it finishes what it has" + inTime + noEnds}
		}
		return []string{"it finishes what it has" + inTime}
	case "listener restarted":
		ends := ""
		if len(before.Config.Rules) > 0 {
			ends = noEnds
		}
		return []string{"the old one finishes what it has" + inTime + ends + "; then of the new resource: " + begins(after)}
	case "output changed":
		all, reported := []string{"what waits for it is sent to the new one"}, reports(to, c.Name)
		if slices.ContainsFunc(c.Fields, ofAddress) && reported {
			gets := "; of them, the new one gets the ends alone"
			every := func(*plan.Listener, reach.Report) bool { return true }
			if repeating := repeated(to, c.Name, every); len(repeating) > 0 {
				gets = "; of them, the new one gets the ends, and with their next repeat those of " +
					reach.RuleNames(repeating)
			}
			all = append(all, "violations that are open stay where they were reported"+gets)
		}
		if slices.Contains(c.Fields, "when") && reported {
			until := ""
			if repeating := repeats(from, to, c.Name); len(repeating) > 0 {
				until = ", but with their next repeat those of " + reach.RuleNames(repeating)
			}
			all = append(all, "of open violations it gets nothing that it did not want so far"+until+
				", and no end of those that it does not want any more")
		}
		return all
	case "output removed":
		return []string{"what waits for it becomes dead letters"}
	case "listener changed":
		return append(ofListener(c.Fields, before, after),
			ofParts(before, after, from, to, true)...)
	}
	return nil
}

// afterwards is consequences for a restart, of what restarted does not say.
func afterwards(c admin.Change, before, after *plan.Listener, from, to *plan.Plan) []string {
	if c.Kind+" "+c.Action != "listener changed" {
		return nil
	}
	var all []string
	kept := to.Config.LeaderElection != nil || from.Config.State.Dir == to.Config.State.Dir
	if kept && GoesOn(Fixed(from.Config), to.Config, after.Config) && sameInformer(before, after) {
		all = askedAgain(c.Fields, before, after, "at the start")
	}
	return append(all, ofParts(before, after, from, to, false)...)
}

// askedAgain says what comes of all objects since a select or rules are others.
func askedAgain(fields []string, before, after *plan.Listener, when string) (all []string) {
	changed := func(field string) bool { return slices.Contains(fields, field) }
	if changed("select") {
		all = append(all, comes("is selected now", "is not selected any more", after)+", "+when)
	}
	if len(after.Config.Rules) > 0 &&
		(changed("rules") || changed("select") || looksUpOtherwise(fields, before, after)) {
		all = append(all, "each object is judged again "+when+
			": a violation that begins is reported, one that ends is resolved, and one that is open stays as it was reported"+
			untilRepeated(before, after))
	}
	return all
}

// begins says what a listener gets of the objects that are there.
func begins(l *plan.Listener) string {
	const judged = "each object that is there is judged: what violates a rule is reported"
	_, adds := shown.Within(event.OpSet(0).With(event.Add), l.Before.Conditions)
	if l.Filter != nil {
		adds = adds && shown.Ops(l.Filter.Conditions()).Has(event.Add)
	}
	adds = adds && l.Before.On.Has(event.Add) && l.Config.Ops().Has(event.Add) && !notInitial(l)
	switch rules := len(l.Config.Rules) > 0; {
	case l.Before.Never:
		return "no event can match"
	case l.Quiet:
		return judged
	case adds && rules:
		return judged + ", and it comes as an add, with initial"
	case adds:
		return "each object that is there comes as an add, with initial"
	case rules:
		return judged + "; events begin with what happens then"
	}
	return "nothing of the objects that are there; events begin with what happens then"
}

// notInitial reports whether the filter refuses objects that are there when they begin to be the
// listener's: these come as adds with initial.
func notInitial(l *plan.Listener) bool {
	if l.Filter == nil {
		return false
	}
	matches, decided := l.Filter.Known(map[string]any{"op": "add", "initial": true})
	return decided && !matches
}

// ofAddress reports whether a field of an output says where it sends.
func ofAddress(field string) bool {
	_, below, _ := strings.Cut(field, ".")
	return slices.Contains([]string{"url", "servers", "subject", "brokers", "topic", "path"}, below)
}

func ofListener(fields []string, before, after *plan.Listener) []string {
	all := []string{"what waits in it stays"}
	add := func(is bool, text string) {
		if is {
			all = append(all, text)
		}
	}
	changed := func(field string) bool { return slices.Contains(fields, field) }
	around := looksUpOtherwise(fields, before, after)
	a, b := before.Config.Informer().Scope(), after.Config.Informer().Scope()
	a.Drop, b.Drop, a.KeepManagedFields, b.KeepManagedFields = "", "", false, false
	add(changed("informer") && a == b, "the objects are the same, and no events come of that")
	add(changed("informer") && a != b, comes("enters its scope", "leaves it", after))
	all = append(all, askedAgain(fields, before, after, "at once")...)
	add(changed("select"),
		"until informerd restarts, it remembers of each object whether it is selected, about 100 bytes each, and decides all behind its buffer")
	sooner := repeatsSooner(before, after)
	add(sooner != "", sooner)
	add(otherSeverity(before, after),
		"/violations, metrics and the page show what is open with the new severity at once")
	add(around && looksUpMore(before, after),
		"what its expressions or its handler look up is listed again")
	add(around && after.Select.LooksAround() && !changed("select"),
		comes("is selected now", "is not selected any more", after)+", at once")
	add(changed("filter") && after.Filter != nil,
		"the new filter decides from the next event of an object on")
	add(changed("filter") && after.Filter == nil,
		"no filter decides from the next event of an object on")
	add(changed("handler") && after.Config.Handler != nil,
		"the new handler gets the events from the next one on")
	add(changed("handler") && after.Config.Handler == nil,
		"events go to the outputs without a handler, from the next one on")
	return all
}

// looksUpOtherwise reports whether a listener looks objects up in other informers. The fields alone
// do not say that: Differences leaves informers out next to other ones.
func looksUpOtherwise(fields []string, before, after *plan.Listener) bool {
	return slices.Contains(fields, "informers") ||
		plan.Digest(before.LooksUp()) != plan.Digest(after.LooksUp())
}

// looksUpMore reports whether a listener looks objects up in an informer of which there was none
// for it. Other indexes need none.
func looksUpMore(before, after *plan.Listener) bool {
	return slices.ContainsFunc(after.LooksUp(), func(is plan.LookedUp) bool {
		return !slices.ContainsFunc(before.LooksUp(), func(was plan.LookedUp) bool {
			return was.Informer.Resource == is.Informer.Resource &&
				was.Informer.Scope() == is.Informer.Scope()
		})
	})
}

// ofInformer says what an informer does that keeps other parts of the same objects, or that finds
// them by other indexes.
func ofInformer(c admin.Change, before, after *config.Config) (all []string) {
	was, is := before.Informers[c.Name], after.Informers[c.Name]
	a, b := was.Scope(), is.Scope()
	keeps := a.Drop != b.Drop || a.KeepManagedFields != b.KeepManagedFields
	a.Drop, b.Drop, a.KeepManagedFields, b.KeepManagedFields = "", "", false, false
	switch {
	case was.Resource != is.Resource || a != b: // its listeners say what becomes of objects
		return nil
	case keeps:
		all = append(all, "the objects are the same, with the fields that it keeps now; no event comes of that")
	}
	if !maps.Equal(was.Indexes, is.Indexes) {
		all = append(all, "lookups find the same objects by its indexes of now; no event comes of that")
	}
	return all
}

// ofParts says what becomes of rules and outputs that a listener has got or lost in a plan. Rescan:
// what is open is reported to new outputs since each object is judged again.
func ofParts(before, after *plan.Listener, from, to *plan.Plan, rescan bool) (all []string) {
	add := func(is bool, text string) {
		if is {
			all = append(all, text)
		}
	}
	was, is := rulesOf(before), rulesOf(after)
	added, gone := without(is, was), without(was, is)
	add(len(added) > 0, "new: "+strings.Join(added, ", "))
	add(len(gone) > 0, "gone, and what is open of it is resolved at the outputs that have it: "+strings.Join(gone, ", "))
	added = without(after.Config.Outputs, before.Config.Outputs)
	gone = without(before.Config.Outputs, after.Config.Outputs)
	joined := false
	for _, some := range []struct {
		taking reach.Taking
		how    string
	}{
		{reach.All, ""}, {reach.Unsure, ", as far as its when takes them"}} {
		var names []string
		for _, name := range added {
			if openFor(before, after, from, to, to.Outputs[name], rescan) == some.taking {
				names = append(names, name)
			}
		}
		add(len(names) > 0, "gets the violations that are open"+some.how+": "+strings.Join(names, ", "))
		joined = joined || len(names) > 0
	}
	add(joined && slices.ContainsFunc(after.Config.Rules, func(r config.Rule) bool {
		return r.Repeat.Duration > 0
	}), "the next repeats of these, to all outputs, count from then")
	ends := ""
	if len(is) > 0 {
		ends = ", and violations that it has get no end there"
	}
	add(len(gone) > 0, "not an output of it any more, so that what waits for it becomes dead letters"+
		ends+": "+strings.Join(gone, ", "))
	return all
}

// comes says what comes of an object that begins to be one of the listener's, or ends to be one.
func comes(begins, ends string, l *plan.Listener) string {
	on := l.Config.Ops()
	if l.Filter != nil {
		on &= shown.Ops(l.Filter.Conditions())
	}
	if strings.Contains(begins, "scope") && notInitial(l) {
		on &^= event.OpSet(0).With(event.Add)
	}
	var all []string
	switch {
	case l.Quiet:
	case on.Has(event.Add) && on.Has(event.Delete):
		all = append(all, "an object that "+begins+" comes as an add, one that "+ends+" as a delete")
	case on.Has(event.Add):
		all = append(all, "an object that "+begins+" comes as an add")
	case on.Has(event.Delete):
		all = append(all, "an object that "+strings.ReplaceAll(ends, " it", " its scope")+" comes as a delete")
	}
	if len(l.Config.Rules) > 0 {
		all = append(all, "an object that "+begins+" is judged, and the violations of one that "+ends+" end")
	}
	if len(all) == 0 {
		all = append(all, "no event comes of objects that enter or leave it")
	}
	return strings.Join(all, "; ")
}

func rulesOf(l *plan.Listener) (names []string) {
	for _, r := range l.Config.Rules {
		names = append(names, "rule "+r.Name)
	}
	return names
}

// without returns the names that the others do not have.
func without(names, others []string) (left []string) {
	for _, name := range names {
		if !slices.Contains(others, name) {
			left = append(left, name)
		}
	}
	return left
}
