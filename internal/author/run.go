package author

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// RunOptions are those of Run.
type RunOptions struct {
	Setup
	Events []string // files; - is Stdin
	Old    string   // a file with the object before, which makes the one event an update
	Stdin  io.Reader
	JSON   bool
}

// Run feeds events to a module, one after the other, and writes each result. The error is ErrFailed
// if the module crashed on one of them.
func Run(ctx context.Context, o RunOptions, w io.Writer) error {
	if err := o.check(); err != nil {
		return err
	}
	if len(o.Events) == 0 {
		return usage("which events? Name a file with --event, - is stdin")
	}
	p, err := o.prepare()
	if err != nil {
		return err
	}
	events, err := readEvents(o.Events, o.Stdin, p.parser)
	if err == nil && o.Old != "" {
		err = o.makeUpdate(events, p.parser)
	}
	if err != nil {
		return err
	}
	r := newRig(ctx)
	sub, err := r.load(ctx, p.spec, p.setting)
	if err != nil {
		return errors.Join(loadHint(err, p.spec), r.close(ctx))
	}
	err = runEvents(ctx, sub, p, events, o.JSON, w)
	return errors.Join(err, sub.close(ctx), r.close(ctx))
}

// makeUpdate makes the one event an update of the object in the file Old.
func (o RunOptions) makeUpdate(events []placedEvent, parser *object.Parser) error {
	old, err := readEvents([]string{o.Old}, o.Stdin, parser)
	switch {
	case err != nil:
		return err
	case len(events) != 1 || events[0].Op != event.Add:
		return usage("--old is the object before the one of --event, which must be one object; several updates are written into a file of events, each with object and old")
	case len(old) != 1:
		return usage("--old %s: it must have one object, it has %d", o.Old, len(old))
	case old[0].Object.Key() != events[0].Object.Key():
		return usage("--old is %s, and --event %s: they are not the same object",
			old[0].Object.Key(), events[0].Object.Key())
	}
	events[0].Op, events[0].Old = event.Update, old[0].Object
	return nil
}

// loadHint adds what to do about a missing grant.
func loadHint(err error, spec plugins.Spec) error {
	if strings.Contains(err.Error(), "this needs the grant") {
		return fmt.Errorf("%w; informerd plugin inspect %s shows all that it imports", err,
			spec.Path)
	}
	return err
}

// runLine is the result of an event as JSON.
type runLine struct {
	Event  string `json:"event"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Op     string `json:"op"`
	Object string `json:"object"`
	Outcome
}

func runEvents(ctx context.Context, sub *subject, p prepared, events []placedEvent, asJSON bool,
	w io.Writer) error {
	out := &page{w: w}
	if !asJSON {
		out.line("%s: loaded in %s", printable(p.spec.Path), took(sub.loading))
		out.row("log", printed(sub.log)...)
		out.row("host", printed(sub.notes)...)
	}
	verdicts, crashes := map[string]int{}, 0
	for n, e := range events {
		o, err := sub.handle(ctx, e.Event)
		if err != nil {
			return err
		}
		if o.Crash != nil {
			crashes++
		} else {
			verdicts[o.Verdict]++
		}
		if asJSON {
			line := runLine{fmt.Sprint(n + 1), e.file, e.line, e.Op.String(),
				e.Object.Key().String(), o}
			if err := writeJSON(w, line); err != nil {
				return err
			}
			continue
		}
		out.line("")
		out.line("event %d: %s", n+1, title(e.Event))
		out.outcome(o)
	}
	if !asJSON {
		out.line("")
		out.line("%s: %s", count(len(events), "event"), tally(verdicts, crashes))
	}
	if out.err != nil {
		return out.err
	}
	if crashes > 0 {
		return failure("%s: it crashed at %d of %s", p.spec.Path, crashes,
			count(len(events), "event"))
	}
	return nil
}

func tally(verdicts map[string]int, crashes int) string {
	var parts []string
	for _, verdict := range slices.Sorted(maps.Keys(verdicts)) {
		parts = append(parts, fmt.Sprintf("%s %s", number(verdicts[verdict]), verdict))
	}
	switch {
	case crashes == 1:
		parts = append(parts, "1 crash")
	case crashes > 1:
		parts = append(parts, number(crashes)+" crashes")
	}
	return strings.Join(parts, ", ")
}

// outcome writes the result of an event.
func (p *page) outcome(o Outcome) {
	if o.Crash != nil {
		p.row("crash", crashLines(*o.Crash)...)
		p.row("stack", printed(o.Crash.Stack)...)
	} else {
		p.row("verdict", o.Verdict)
	}
	if o.Message != "" {
		p.row("message", printable(o.Message))
	}
	var emitted []string
	for _, e := range o.Emitted {
		emitted = append(emitted, e.String())
	}
	p.row("emitted", emitted...)
	p.row("log", printed(o.Log)...)
	var requests []string
	for _, r := range o.Requests {
		requests = append(requests, r.String())
	}
	p.row("requests", requests...)
	p.row("host", printed(o.Notes)...)
	p.row("used", fmt.Sprintf("%s fuel, %s, %s of memory", number(o.Fuel), took(o.Time),
		size(o.Memory)))
	if o.late > 0 {
		p.row("late", fmt.Sprintf(
			"it ended %s after its deadline: the machine or the host was busy", took(o.late)))
	}
	p.row("calls", calls(o.Calls))
}

func crashLines(c Crash) []string {
	lines := printableLines(c.Text)
	lines[0] = fmt.Sprintf("%s in %s: %s", c.Reason, c.Func, lines[0])
	return lines
}

func printed(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = printable(line)
	}
	return out
}

// String returns the type, or "(data)" without one, and the data.
func (e Emission) String() string {
	typ := e.Type
	if typ == "" {
		typ = "(data)"
	}
	return printable(strings.TrimSpace(typ + " " + oneLine(e.Data)))
}

// String returns the request and its answer.
func (r Request) String() string {
	text := r.Method + " " + r.URL
	if r.Body != "" {
		text += " " + r.Body
	}
	return printable(text) + ": " + r.Answer
}

// calls returns how often each function of the host was called.
func calls(all map[string]uint64) string {
	if len(all) == 0 {
		return "none of the host"
	}
	sum, parts := uint64(0), []string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		sum += all[name]
		parts = append(parts, fmt.Sprintf("%s %s", name, number(all[name])))
	}
	return fmt.Sprintf("%s of the host: %s", number(sum), strings.Join(parts, ", "))
}
