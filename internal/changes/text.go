package changes

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/reach"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/internal/rights"
)

// Comparison is what a reload would change. Its fields are the JSON form.
type Comparison struct {
	Restart []string `json:"restart,omitempty"` // why a reload would refuse it
	After   []string `json:"afterRestart,omitempty"`
	Process Lines    `json:"process,omitzero"` // what of it differs
	Changes []Change `json:"changes"`
	Unread  []string `json:"unread,omitempty"` // listeners whose modules are not compared
	// Others are not changed themselves, but do or get something else.
	Others   []Change `json:"others,omitempty"`
	Watches  Lines    `json:"watches,omitzero"`   // of the API server
	Requests Lines    `json:"requests,omitzero"`  // to the API server, besides the informers'
	Warnings []string `json:"warnings,omitempty"` // that there were not before

	some          bool // it is about some listeners alone
	before, after *plan.Plan
}

// Change is what a reload would do with one part of the configuration.
type Change struct {
	admin.Change
	// Like is the name of a part that is removed, and that the part which is added is like. Lines
	// are what differs between them.
	Like string   `json:"like,omitempty"`
	Then []string `json:"then,omitempty"` // what becomes of what there is
	Lines
}

// Lines are lines of plans.
type Lines struct {
	Removed []string `json:"removed,omitempty"`
	Added   []string `json:"added,omitempty"`

	both []string // with their signs, in order
}

// Compare compares two plans.
func Compare(before, after *plan.Plan) (c Comparison, err error) {
	was, err := before.Parts()
	if err != nil {
		return c, err
	}
	is, err := after.Parts()
	if err != nil {
		return c, err
	}
	c.Restart = restarts(before.Config, after.Config)
	if len(c.Restart) > 0 {
		c.After = afterRestart(c.Restart, before, after)
	}
	c.Process = grouped(process(before.Config, after.Config),
		process(after.Config, before.Config), nameOf)
	c.Changes, c.before, c.after = []Change{}, before, after
	changed, unread := withModules(Of(before, after), before, after)
	c.Unread = unread
	for _, one := range renamed(changed, before, after) {
		change := Change{Change: one}
		if i := slices.Index(one.Fields, "handler"); i >= 0 {
			change.Fields = handlerFields(one.Fields, i, named(before, one.Name),
				named(after, one.Name))
		}
		a, b := named(before, one.Name), named(after, one.Name)
		if len(c.Restart) > 0 {
			change.Then = afterwards(one, a, b, before, after)
		} else {
			change.Then = consequences(one, a, b, before, after)
			if one.Kind == "informer" && one.Action == "changed" {
				change.Then = ofInformer(one, before.Config, after.Config)
			}
		}
		switch {
		case one.Action == "removed": // all of it is gone
		case one.Kind == "listener":
			lines := is.Listeners[one.Name]
			if one.Action == "changed" && slices.Contains(one.Fields, "select") &&
				len(c.Restart) == 0 {
				lines = untilRestart(lines)
			}
			change.Lines = differ(was.Listeners[one.Name], lines)
		case one.Kind == "output":
			change.Lines = differ(was.Outputs[one.Name], is.Outputs[one.Name])
		default:
			change.Lines = grouped(settingsOf(before.Config, one.Kind),
				settingsOf(after.Config, one.Kind), nameOf)
		}
		c.Changes = append(c.Changes, change)
	}
	like(c.Changes, "listener", was.Listeners, is.Listeners)
	like(c.Changes, "output", was.Outputs, is.Outputs)
	c.Others = append(c.Others, affected(c.Changes, "listener", was.Listeners, is.Listeners)...)
	c.Others = append(c.Others, affected(c.Changes, "output", was.Outputs, is.Outputs)...)
	if len(c.Restart) == 0 {
		addOpen(&c)
	}
	c.Watches = grouped(was.Watches, is.Watches, resource)
	c.Requests = differ(linesOf(rights.Others(before)), linesOf(rights.Others(after)))
	return c, nil
}

// affecting is the action of parts that affected returns.
const affecting = "affected"

// affected returns the parts of a kind that are as they were, and of which a plan says something
// else, since others have changed: an output gets more if the severity of a rule is another one.
func affected(changes []Change, kind string, was, is map[string][]string) (all []Change) {
	for _, name := range slices.Sorted(maps.Keys(is)) {
		changed := slices.ContainsFunc(changes, func(c Change) bool {
			return c.Kind == kind && c.Name == name
		})
		if before, had := was[name]; changed || !had || slices.Equal(before, is[name]) {
			continue
		}
		all = append(all, Change{Change: admin.Change{Kind: kind, Name: name, Action: affecting},
			Lines: differ(was[name], is[name])})
	}
	return all
}

func linesOf(requests []shown.Request) (all []string) {
	for _, r := range requests {
		all = append(all, r.Right+", for "+strings.Join(r.For, ", "))
	}
	slices.Sort(all)
	return all
}

func (l *Lines) remove(line string) {
	l.Removed, l.both = append(l.Removed, plain(line)), append(l.both, "- "+line)
}

func (l *Lines) add(line string) {
	l.Added, l.both = append(l.Added, plain(line)), append(l.both, "+ "+line)
}

// differ returns how lines differ. Of a line that was changed, both states are next to each other.
func differ(before, after []string) (l Lines) {
	for _, op := range difflib.NewMatcherWithJunk(before, after, false, nil).GetOpCodes() {
		if op.Tag == 'e' {
			continue
		}
		was, is := before[op.I1:op.I2], after[op.J1:op.J2]
		for len(was) > 0 && len(was) == len(is) {
			l.remove(was[0])
			l.add(is[0])
			was, is = was[1:], is[1:]
		}
		for _, line := range was {
			l.remove(line)
		}
		for _, line := range is {
			l.add(line)
		}
	}
	return l
}

// Of returns what is about some listeners, or about their outputs.
func (c *Comparison) Of(listeners []string) Comparison {
	some := Comparison{Restart: c.Restart, Unread: c.Unread, After: c.After,
		Process: c.Process, some: true, before: c.before,
		after: c.after}
	outputs := map[string]bool{}
	for _, p := range []*plan.Plan{c.before, c.after} {
		for _, name := range listeners {
			if l := named(p, name); l != nil {
				for _, output := range l.Config.Outputs {
					outputs[output] = true
				}
			}
		}
	}
	other := func(one Change) bool {
		return (one.Kind != "listener" || !slices.Contains(listeners, one.Name)) &&
			(one.Kind != "output" || !outputs[one.Name])
	}
	some.Changes = slices.DeleteFunc(slices.Clone(c.Changes), other)
	some.Others = slices.DeleteFunc(slices.Clone(c.Others), other)
	return some
}

// reports reports whether rules report to an output.
func reports(p *plan.Plan, output string) bool {
	return slices.ContainsFunc(p.Listeners, func(l *plan.Listener) bool {
		return len(l.Config.Rules) > 0 && slices.Contains(l.Config.Outputs, output)
	})
}

// repeats returns the names of the rules that repeat what they report, which an output takes now
// and may not have taken before.
func repeats(from, to *plan.Plan, output string) []string {
	return repeated(to, output, func(l *plan.Listener, report reach.Report) bool {
		was := named(from, l.Config.Name)
		return was != nil && reach.Takes(from.Sender(was), from.Outputs[output].When,
			report).Of() != reach.All
	})
}

// repeated returns the names of the rules that repeat what they report, if an output takes that, of
// those that are asked about.
func repeated(to *plan.Plan, output string,
	asked func(*plan.Listener, reach.Report) bool) (names []string) {
	for _, l := range to.Listeners {
		for _, r := range l.Config.Rules {
			report := reach.Report{Rule: r.Name, Severity: r.Severity, Open: true}
			if slices.Contains(l.Config.Outputs, output) && r.Repeat.Duration > 0 &&
				!slices.Contains(names, r.Name) && asked(l, report) &&
				reach.Takes(to.Sender(l), to.Outputs[output].When, report).Of() != reach.None {
				names = append(names, r.Name)
			}
		}
	}
	return names
}

// Any reports whether a reload would change something, or refuse to.
func (c *Comparison) Any() bool { return len(c.Changes)+len(c.Others)+len(c.Restart) > 0 }

// head returns the line that says what changes.
func (c *Change) head() string {
	line := strings.TrimSpace(c.Kind+" "+c.Name) + ": " + c.Action
	if c.Action == affecting {
		line += " by what has changed elsewhere"
	}
	if len(c.Fields) > 0 {
		line += " " + strings.Join(c.Fields, ", ")
	}
	return line
}

// WriteSummary writes one line for each change, and how many there are.
func (c *Comparison) WriteSummary(w io.Writer) error {
	short := Comparison{Restart: c.Restart, some: c.some}
	count := map[string]int{}
	for _, one := range c.Changes {
		action := one.Action
		if strings.HasPrefix(action, renaming) {
			action = "renamed"
		}
		if one.Like != "" {
			one.Action += ", like " + one.Like + " which is removed"
		}
		count[action]++
		short.Changes = append(short.Changes, Change{Change: one.Change})
	}
	for _, one := range c.Others {
		count[affecting]++
		short.Others = append(short.Others, Change{Change: one.Change})
	}
	short.Warnings = c.Warnings
	if err := short.Write(w); err != nil || len(count) == 0 {
		return err
	}
	var counts []string
	for _, action := range slices.Sorted(maps.Keys(count)) {
		counts = append(counts, fmt.Sprintf("%d %s", count[action], action))
	}
	_, err := fmt.Fprintln(w, "in all: "+strings.Join(counts, ", "))
	return err
}

// Write writes the text.
func (c *Comparison) Write(w io.Writer) error {
	out := &shown.Lines{Writer: w}
	if len(c.Restart) > 0 {
		out.Line(0, "a reload would refuse it, since this needs a restart: %s",
			strings.Join(c.Restart, ", "))
		for _, line := range c.After {
			out.Line(1, "%s", line)
		}
	}
	if !c.Any() {
		of := ""
		if c.some {
			of = " of these listeners"
		}
		out.Line(0, "a reload would change nothing%s", of)
	}
	out.Lines(1, c.Process.both)
	for _, one := range slices.Concat(c.Changes, c.Others) {
		out.Line(0, "%s", one.head())
		switch {
		case one.Like != "" && len(one.both) == 0:
			out.Line(1, "it is as %s %s was, which is removed: to a reload it is another one", one.Kind,
				one.Like)
		case one.Like != "":
			out.Line(1, "it is as %s %s was, which is removed, but for what differs below: to a reload it is another one",
				one.Kind, one.Like)
		}
		for _, text := range one.Then {
			out.Line(1, "%s", text)
		}
		out.Lines(1, folded(one.both))
	}
	for _, part := range []struct {
		title string
		lines Lines
	}{{"what is watched", c.Watches}, {"other requests to the API server", c.Requests}} {
		if len(part.lines.both) > 0 {
			out.Line(0, "%s", part.title)
			out.Lines(1, part.lines.both)
		}
	}
	if len(c.Warnings) > 0 {
		out.Line(0, "new warnings")
		out.Lines(1, c.Warnings)
	}
	if len(c.Unread) > 0 {
		out.Line(0, "modules that cannot be read here are not compared: of listener %s",
			strings.Join(c.Unread, ", "))
	}
	return out.Err
}
