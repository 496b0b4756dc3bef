package author

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/explain"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/informer/event"
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

// Run feeds events to a module, one after the other, and writes each result. It is an error if the
// module crashed on one of them.
func Run(ctx context.Context, o RunOptions, w io.Writer) error {
	return o.withModule(ctx, func(r *rig, path string, events []placedEvent) error {
		return runEvents(ctx, r, path, events, o.JSON, w)
	})
}

// withModule calls do with the module, loaded, and the events.
func (o RunOptions) withModule(ctx context.Context,
	do func(r *rig, path string, events []placedEvent) error) (err error) {
	spec, events, err := o.prepare()
	if err != nil {
		return err
	}
	r := newRig(ctx)
	defer func() { err = errors.Join(err, r.close(ctx)) }()
	if err := r.load(ctx, spec); err != nil {
		return loadHint(err, spec.Path)
	}
	defer func() { err = errors.Join(err, r.unload(ctx)) }()
	return do(r, spec.Path, events)
}

// loadHint adds what to do about a missing grant.
func loadHint(err error, path string) error {
	if strings.Contains(err.Error(), "this needs the grant") {
		return fmt.Errorf("%w; informerd plugin inspect %s shows all that it imports", err, path)
	}
	return err
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
	parser, informers := &object.Parser{}, map[string]*config.Informer{}
	if o.Configuration != "" {
		spec, parser, informers, err = o.ofListener()
	} else {
		spec, err = standalone(o.Module)
	}
	if err != nil {
		return spec, nil, err
	}
	if spec.Caches, err = o.caches(informers); err != nil {
		return spec, nil, err
	}
	events, err = readEvents(o.Events, o.Stdin, parser)
	return spec, events, err
}

// caches returns the caches of informers, with the objects that were passed.
func (o RunOptions) caches(informers map[string]*config.Informer) (*explain.Lookups, error) {
	given, all, seen := map[string][]config.Object{}, explain.NewLookups(), map[string]bool{}
	for _, text := range o.Caches {
		name, file, ok := strings.Cut(text, "=")
		if !ok || name == "" || file == "" {
			return nil, usage("--cache %q: write it as NAME=FILE", text)
		}
		objects, _, err := config.ReadObjects(file, nil)
		if err != nil {
			return nil, config.Errors{{Message: err.Error()}}
		}
		given[name] = append(given[name], objects...)
	}
	for name, objects := range document.Sorted(given) {
		inf := cmp.Or(informers[name], &config.Informer{Resource: name})
		if err := all.Add(name, inf, objects); err != nil {
			return nil, config.Errors{{Message: err.Error()}}
		}
		for _, object := range objects {
			var is struct{ Metadata event.Key }
			_ = json.Unmarshal(object.JSON, &is) // it was parsed
			key := name + " " + is.Metadata.String()
			if seen[key] {
				return nil, config.Errors{{Message: object.At + ": duplicate object " +
					wording.Printable(is.Metadata.String())}}
			}
			seen[key] = true
		}
	}
	return all, nil
}

// standalone returns a module that is not in a configuration: it has the default limits, and no
// grants.
func standalone(path string) (spec plugins.Spec, err error) {
	spec = plugins.Spec{Listener: "trial", Path: path}
	if spec.Wasm, err = readModule(path); err != nil {
		return spec, err
	}
	var limits config.Limits
	document.SetDefaults(&limits)
	spec.Limits = handlers.LimitsOf(limits)
	return spec, nil
}

// ofListener returns a listener's handler, what reads its objects, and the informers that it may
// look objects up in.
func (o RunOptions) ofListener() (spec plugins.Spec, parser *object.Parser,
	informers map[string]*config.Informer, err error) {
	cfg, err := config.Load(o.Configuration)
	if err != nil {
		return spec, nil, nil, err
	}
	if cfg.Listeners[o.Listener] == nil {
		return spec, nil, nil, usage("--listener: %w", plan.UnknownListener(cfg, o.Listener))
	}
	module := o.Module
	if module != "" {
		if module, err = filepath.Abs(module); err != nil {
			return spec, nil, nil, err
		}
	}
	spec, parser, err = handlers.Trial(cfg, o.Listener, module)
	return spec, parser, cfg.Listeners[o.Listener].Informers(), err
}

func runEvents(ctx context.Context, r *rig, module string, events []placedEvent, asJSON bool,
	w io.Writer) error {
	out := &page{w: w}
	if !asJSON {
		out.line("%s: loaded in %s", wording.Printable(module), took(r.loading))
		out.row("log", printed(r.log)...)
	}
	verdicts, crashes := map[string]int{}, 0
	for n, e := range events {
		o, err := r.handle(ctx, e.Event)
		if err != nil {
			return err
		}
		if o.crash != nil {
			crashes++
		} else {
			verdicts[o.Verdict]++
		}
		if asJSON {
			o.File, o.Line = e.file, e.line
			if err := wording.WriteJSON(w, o, ""); err != nil {
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
		return fmt.Errorf("%s: it crashed at %d of %s", module, crashes, count(len(events), "event"))
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
func (p *page) outcome(o outcome) {
	if o.crash != nil {
		p.row("crash", crashLines(o.crash)...)
		p.row("stack", printed(o.crash.Stack)...)
	} else {
		p.row("verdict", o.Verdict)
	}
	if o.Message != "" {
		p.row("message", wording.Printable(o.Message))
	}
	var emitted []string
	for _, e := range o.Emitted {
		emitted = append(emitted, e.String())
	}
	p.row("emitted", emitted...)
	p.row("log", printed(o.Log)...)
	p.row("used", fmt.Sprintf("%s fuel, %s, %s of memory", number(o.Fuel), took(o.Time),
		size(o.Memory)))
	p.row("calls", calls(o.Calls))
}

func crashLines(c *plugins.CrashError) []string {
	lines := printableLines(c.Cause.Error())
	lines[0] = fmt.Sprintf("%s in %s: %s", c.Reason, c.Func, lines[0])
	return lines
}

func printed(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = wording.Printable(line)
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
