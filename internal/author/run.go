package author

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// RunOptions select the module that is run, by itself or as a listener of a configuration, and the
// events that it gets.
type RunOptions struct {
	Module string // its file; may be empty if Listener is set
	// Configuration is a configuration's file, and Listener the name of a listener in it.
	Configuration, Listener string
	// Caches are objects for the caches of informers, as in NAME=FILE.
	Caches []string
	Events []string // files; - is Stdin
	Stdin  io.Reader
	JSON   bool
}

// Run feeds events to a module, one after the other, and writes each result. The error is ErrFailed
// if the module crashed on one of them.
func Run(ctx context.Context, o RunOptions, w io.Writer) (err error) {
	spec, events, err := o.prepare()
	if err != nil {
		return err
	}
	r := newRig(ctx)
	defer func() { err = errors.Join(err, r.close(ctx)) }()
	sub, err := r.load(ctx, spec)
	if err != nil {
		return loadHint(err, spec.Path)
	}
	defer func() { err = errors.Join(err, sub.close(ctx)) }()
	return runEvents(ctx, sub, spec.Path, events, o.JSON, w)
}

// prepare returns the module, ready to be loaded, and the events.
func (o RunOptions) prepare() (spec plugins.Spec, events []placedEvent, err error) {
	switch {
	case o.Configuration == "" && o.Listener != "":
		return spec, nil, usage("--listener needs --config: it is the name of a listener in a configuration")
	case o.Configuration != "" && o.Listener == "":
		return spec, nil, usage("--config needs --listener: a configuration may have several handlers")
	case o.Configuration == "" && o.Module == "":
		return spec, nil, usage("which module? Name its file")
	case len(o.Events) == 0:
		return spec, nil, usage("which events? Name a file with --event, - is stdin")
	}
	parser, all := &object.Parser{}, caches{}
	if o.Configuration != "" {
		spec, parser, err = o.ofListener(all)
	} else {
		spec, err = standalone(o.Module)
	}
	if err != nil {
		return spec, nil, err
	}
	spec.Caches = all
	for _, text := range o.Caches {
		name, file, ok := strings.Cut(text, "=")
		if !ok || name == "" || file == "" {
			return spec, nil, usage("--cache %q: write it as NAME=FILE", text)
		}
		given, err := readEvents([]string{file}, nil, parser)
		if err != nil {
			return spec, nil, err
		}
		for _, e := range given {
			if err := all.cache(name).add(e.Object); err != nil {
				return spec, nil, config.Errors{{File: e.file, Line: e.line, Message: err.Error()}}
			}
		}
	}
	events, err = readEvents(o.Events, o.Stdin, parser)
	return spec, events, err
}

// standalone returns a module that is not in a configuration: it has the default limits, and no
// grants.
func standalone(path string) (spec plugins.Spec, err error) {
	spec = plugins.Spec{Listener: "trial", Path: path}
	if spec.Wasm, err = readModule(path); err != nil {
		return spec, err
	}
	var limits config.Limits
	d, err := config.ReadDocument("limits", "limits", []byte("{}"), &limits)
	if err != nil {
		return spec, err
	}
	d.Check(&limits, "") // the configuration's defaults
	spec.Limits = handlers.LimitsOf(limits)
	return spec, nil
}

// ofListener returns a listener's handler.
func (o RunOptions) ofListener(all caches) (spec plugins.Spec, parser *object.Parser, err error) {
	cfg, err := config.Load(o.Configuration)
	if err != nil {
		return spec, nil, err
	}
	module := o.Module
	if module != "" {
		if module, err = filepath.Abs(module); err != nil {
			return spec, nil, err
		}
	}
	trial, err := handlers.NewTrial(cfg, o.Listener, module)
	if err != nil {
		return spec, nil, err
	}
	for name, indexes := range trial.Indexes {
		for index, path := range indexes {
			if err := all.cache(name).index(index, path); err != nil {
				return spec, nil, err
			}
		}
	}
	return trial.Spec, trial.Parser, nil
}

// runLine is the result of an event as JSON.
type runLine struct {
	File    string            `json:"file"`
	Line    int               `json:"line"`
	Op      string            `json:"op"`
	Object  string            `json:"object"`
	Verdict string            `json:"verdict,omitempty"` // empty after a crash
	Message string            `json:"message,omitempty"`
	Emitted []emission        `json:"emitted,omitempty"`
	Log     []string          `json:"log,omitempty"`
	Crash   string            `json:"crash,omitempty"`
	Stack   []string          `json:"stack,omitempty"`
	Fuel    int64             `json:"fuel"`
	NS      int64             `json:"ns"`
	Calls   map[string]uint64 `json:"calls"`
	Memory  int64             `json:"memory"`
}

func runEvents(ctx context.Context, sub *subject, module string, events []placedEvent, asJSON bool,
	w io.Writer) error {
	out := &page{w: w}
	if !asJSON {
		out.line("%s: loaded in %s", printable(module), took(sub.loading))
		out.row("log", printed(sub.log)...)
	}
	verdicts, crashes := map[string]int{}, 0
	for n, e := range events {
		o, err := sub.handle(ctx, e.Event)
		if err != nil {
			return err
		}
		if o.crash != nil {
			crashes++
		} else {
			verdicts[o.verdict]++
		}
		if asJSON {
			if err := writeJSON(w, o.asJSON(e)); err != nil {
				return err
			}
			continue
		}
		out.line("\nevent %d: %s", n+1, title(e.Event))
		out.outcome(o)
	}
	if !asJSON {
		out.line("\n%s: %s", count(len(events), "event"), tally(verdicts, crashes))
	}
	if out.err != nil {
		return out.err
	}
	if crashes > 0 {
		return failure("%s: it crashed at %d of %s", module, crashes, count(len(events), "event"))
	}
	return nil
}

func (o outcome) asJSON(e placedEvent) runLine {
	line := runLine{File: e.file, Line: e.line, Op: e.Op.String(), Object: e.Object.Key().String(),
		Verdict: o.verdict, Message: o.message, Emitted: o.emitted, Log: o.log, Fuel: o.fuel,
		NS: o.time.Nanoseconds(), Calls: o.calls, Memory: o.memory}
	if o.crash != nil {
		line.Crash, line.Stack = string(o.crash.Reason), o.crash.Stack
	}
	return line
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
func (p *page) outcome(o outcome) {
	if o.crash != nil {
		p.row("crash", crashLines(o.crash)...)
		p.row("stack", printed(o.crash.Stack)...)
	} else {
		p.row("verdict", o.verdict)
	}
	if o.message != "" {
		p.row("message", printable(o.message))
	}
	var emitted []string
	for _, e := range o.emitted {
		emitted = append(emitted, e.String())
	}
	p.row("emitted", emitted...)
	p.row("log", printed(o.log)...)
	p.row("used", fmt.Sprintf("%s fuel, %s, %s of memory", number(o.fuel), took(o.time),
		size(o.memory)))
	p.row("calls", calls(o.calls))
}

func crashLines(c *plugins.CrashError) []string {
	lines := printableLines(c.Cause.Error())
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
