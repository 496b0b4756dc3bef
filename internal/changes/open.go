package changes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/reach"
)

// open is what becomes, for an output, of open violations of a rule that has another severity: they
// have the one that they were reported with until they are repeated.
type open struct{ listener, output, rule, text string }

// openOnes returns what becomes of open violations of a listener's rules.
func openOnes(before, after *plan.Plan, l *plan.Listener) (all []open) {
	was := named(before, l.Config.Name)
	if was == nil || was.Config.Informer().Resource != l.Config.Informer().Resource {
		return nil
	}
	for _, rule := range l.Config.Rules {
		old := ruleOf(was, rule.Name)
		if old == nil || old.Severity == rule.Severity {
			continue
		}
		for _, name := range l.Config.Outputs {
			a, b := before.Outputs[name], after.Outputs[name]
			isNew := !slices.Contains(was.Config.Outputs, name)
			if b == nil || !isNew && (a == nil || a.Config.When.Text != b.Config.When.Text) {
				continue // that is said of its when
			}
			sender, severity := before.Sender(was), old.Severity
			if isNew {
				sender, severity = after.Sender(l), reportedAs(before, was, l, old, &rule)
			}
			takes := func(severity string, end bool) reach.Takings {
				return reach.Takes(sender, b.When, reach.Report{Rule: rule.Name,
					Severity: severity, End: end, Open: true})
			}
			if isNew && severity != old.Severity {
				continue // or nobody knows
			}
			text := becomes(rule.Repeat.Duration > 0, takes(old.Severity, false),
				takes(rule.Severity, false), takes(old.Severity, true), takes(rule.Severity, true))
			if isNew && takes(old.Severity, false).Of() != reach.None {
				text = strings.TrimSuffix("they come with the severity that they were reported with, "+
					old.Severity+"; "+text, "; ")
			}
			if text != "" {
				all = append(all, open{l.Config.Name, name, rule.Name, text})
			}
		}
	}
	return all
}

// becomes says what becomes of open violations for an output that takes these of them and of their
// ends with the old severity and with the new one, "" if that is what the plans say.
func becomes(repeats bool, violated, violatedNow, ended, endedNow reach.Takings) string {
	const asFar = ", as far as its when takes them"
	switch {
	case violated.Of() == reach.None && violatedNow.Of() == reach.None:
		return ""
	case violated.Of() == reach.None && !repeats:
		return "nothing of them comes"
	case violated.Of() == reach.None && violatedNow.Of() == reach.All:
		return "they come with their next repeat"
	case violated.Of() == reach.None:
		return "they come with their next repeat" + asFar
	case ended.Of() == reach.None, !violatedNow.Miss(violated) && !endedNow.Miss(ended):
		return ""
	case !repeats:
		return "an end of what it has comes as before"
	case endedNow.Of() == reach.None:
		return "no end of what it has comes, once that is repeated"
	case endedNow.Of() == reach.All:
		return "an end of what it has comes, with the new severity once that is repeated"
	}
	return "an end of what it has comes as before, and once that is repeated, as far as its when takes the new severity"
}

// openFor returns whether an output that is new to a listener takes its violations that are open.
func openFor(before, after *plan.Listener, from, to *plan.Plan, o *plan.Output,
	rescan bool) reach.Taking {
	var all reach.Takings
	s := to.Sender(after)
	for _, rule := range after.Config.Rules {
		old := ruleOf(before, rule.Name)
		if o == nil || old == nil || slices.Contains(s.Kept, rule.Name) {
			continue // nothing of it is open, or all of that ends
		}
		r := reach.Report{Rule: rule.Name, Rescan: rescan,
			Severity: reportedAs(from, before, after, old, &rule)}
		all = append(all, reach.Takes(s, o.When, r)...)
	}
	if len(all) == 0 || s.Never {
		return reach.None
	}
	return all.Of()
}

// reportedAs returns with which severity further outputs of a listener get what is open of a rule:
// of what one of its outputs has, that of its report. It is "" if it may be either. P is the plan
// before.
func reportedAs(p *plan.Plan, was, is *plan.Listener, old, rule *config.Rule) string {
	if old.Severity == rule.Severity {
		return rule.Severity
	}
	severity := rule.Severity
	for _, name := range was.Config.Outputs {
		if p.Outputs[name] == nil || !slices.Contains(is.Config.Outputs, name) {
			continue
		}
		switch reach.Takes(p.Sender(was), p.Outputs[name].When, reach.Report{Rule: rule.Name,
			Severity: old.Severity, Open: true}).Of() {
		case reach.All:
			return old.Severity
		case reach.Unsure:
			severity = ""
		}
	}
	return severity
}

// repeatsSooner names the rules that repeat what is open sooner than they did.
func repeatsSooner(before, after *plan.Listener) string {
	var names []string
	for _, rule := range after.Config.Rules {
		old, is := ruleOf(before, rule.Name), rule.Repeat.Duration
		if old != nil && is > 0 && (old.Repeat.Duration == 0 || is < old.Repeat.Duration) {
			names = append(names, rule.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "of " + reach.RuleNames(names) + ", what was last reported longer ago than its repeat of now is reported again at once"
}

func ruleOf(l *plan.Listener, name string) *config.Rule {
	for i := range l.Config.Rules {
		if l.Config.Rules[i].Name == name {
			return &l.Config.Rules[i]
		}
	}
	return nil
}

// untilRepeated names the rules whose open violations are reported with something else when they
// are repeated.
func untilRepeated(before, after *plan.Listener) (text string) {
	var texts []string
	of := map[string][]string{}
	for _, rule := range after.Config.Rules {
		old := ruleOf(before, rule.Name)
		if old == nil || rule.Repeat.Duration == 0 {
			continue
		}
		var differs []string
		if old.Severity != rule.Severity {
			differs = append(differs, "severity")
		}
		if old.Message.Text != rule.Message.Text {
			differs = append(differs, "message")
		}
		if len(differs) == 0 {
			continue
		}
		what := strings.Join(differs, " and ")
		if of[what] == nil {
			texts = append(texts, what)
		}
		of[what] = append(of[what], rule.Name)
	}
	for _, what := range texts {
		text += fmt.Sprintf("; of %s until its next repeat, which has the new %s",
			reach.RuleNames(of[what]), what)
	}
	return text
}

// otherSeverity reports whether a rule has another severity now.
func otherSeverity(before, after *plan.Listener) bool {
	return slices.ContainsFunc(after.Config.Rules, func(rule config.Rule) bool {
		old := ruleOf(before, rule.Name)
		return old != nil && old.Severity != rule.Severity
	})
}

// addOpen adds what becomes of open violations to the changes of listeners and outputs.
func addOpen(c *Comparison) {
	byOutput := map[string][]open{}
	for _, l := range c.after.Listeners {
		all := openOnes(c.before, c.after, l)
		for _, o := range all {
			byOutput[o.output] = append(byOutput[o.output], o)
		}
		then(c, "listener", l.Config.Name, folds(all,
			func(o open) string { return o.output },
			func(o open, names string) string {
				return fmt.Sprintf("open violations of rule %s, for %s: %s", o.rule, names, o.text)
			}))
	}
	for name, all := range byOutput {
		then(c, "output", name, folds(all, func(o open) string { return o.listener },
			func(o open, names string) string {
				return fmt.Sprintf("open violations of rule %s of %s: %s", o.rule, names, o.text)
			}))
	}
}

// then adds what becomes of what there is to the change of a part, if there is one.
func then(c *Comparison, kind, name string, texts []string) {
	for _, all := range [][]Change{c.Changes, c.Others} {
		for i := range all {
			if all[i].Kind == kind && all[i].Name == name {
				all[i].Then = append(all[i].Then, texts...)
			}
		}
	}
}

// folds returns a line for those of which the same is said of a rule.
func folds(all []open, name func(open) string, line func(o open, names string) string) (
	lines []string) {
	names := map[[2]string][]string{}
	for _, o := range all {
		key := [2]string{o.rule, o.text}
		names[key] = append(names[key], name(o))
	}
	for _, o := range all {
		of := names[[2]string{o.rule, o.text}]
		switch {
		case of[0] != name(o):
		case len(of) > reach.MaxNamed:
			lines = append(lines, line(o, fmt.Sprintf("%s … and %d more",
				strings.Join(of[:reach.MaxNamed], ", "), len(of)-reach.MaxNamed)))
		default:
			lines = append(lines, line(o, strings.Join(of, ", ")))
		}
	}
	return lines
}
