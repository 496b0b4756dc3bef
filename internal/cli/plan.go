package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/changes"
	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/internal/plan/warnings"
	"github.com/informerd/informerd/internal/rights"
)

func newPlan(stdin io.Reader, stdout io.Writer) *cobra.Command {
	file := configuration{stdin: stdin, policies: true}
	var fields fieldCheck
	var listeners []string
	var against []string
	var summary, exitCode bool
	format := formatFlag{formats: []string{"text", "json"}}
	cmd := &cobra.Command{
		Use:   "plan FILE [--listener NAME]… [--summary] [--against FILE]…",
		Short: "Show what a configuration requests from the API server, what is shared, and where each listener decides",
		Long: "Show what a configuration requests from the API server, which listeners share that, and what is decided before and\n" +
			"behind each listener's buffer, and where it sends what. Conditions before the buffer drop an event at once; what\n" +
			"they let in waits in the buffer until select, rules and filter are evaluated, in this order. Where a selector\n" +
			"would make the API server send less, plan suggests it: for listeners that share an informer with --listener.\n" +
			"Expressions are cut after 100 characters; with --listener, they are shown whole.\n" +
			"With --against, it is what a reload would change that ran with the other configuration, as lines of both plans.\n" +
			"With --exit-code as well, the exit code is 1 if there is something. A handler whose module cannot be loaded is shown\n" +
			"as that, and the exit code is 3.\n" +
			"With -o json, the plan is one object: informers with their listeners, outputs and other requests.",
		Args: file.args,
		RunE: func(cmd *cobra.Command, _ []string) (failure error) {
			if err := format.check(); err != nil {
				return err
			}
			switch {
			case summary && format.format != "text":
				return usage(errors.New("--summary is text: leave -o json out"))
			case exitCode && len(against) == 0:
				return usage(errors.New("--exit-code says what --against finds: name a file with it"))
			case len(against) == 0:
			case slices.Contains(against, ""):
				return usage(errors.New("--against names no file"))
			case slices.Contains(against, "-") && file.readsStdin():
				return usage(errors.New("--config and --against cannot both be standard input"))
			}
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			cfg, err := file.load(schemas, false)
			if err != nil {
				return err
			}
			for _, name := range listeners {
				if cfg.Listeners[name] == nil && len(against) == 0 {
					return commandError(plan.UnknownListener(cfg, name))
				}
			}
			p, err := daemon.Plan(contextOf(cmd), cfg, daemon.BuildOptions{Schemas: schemas})
			var wrong config.Errors // with the modules of handlers
			if p == nil && errors.As(err, &wrong) {
				p = withoutModules(cfg, schemas, wrong)
			}
			if p == nil {
				return err
			}
			defer func() {
				if failure == nil || err != nil && errors.Is(failure, errFound) {
					failure = err
				}
			}()
			if len(against) > 0 {
				other := configuration{stdin: stdin, policies: true, flag: "against",
					paths: against}
				before, err := other.load(schemas, false)
				if err != nil {
					return err
				}
				for _, name := range listeners {
					if cfg.Listeners[name] == nil && before.Listeners[name] == nil {
						return commandError(plan.UnknownListener(cfg, name))
					}
				}
				was, mistakes := plan.Compile(before, schemas) // its modules may be elsewhere
				if len(mistakes) > 0 {
					return mistakes
				}
				changed, err := writeChanged(stdout, was, p, schemas, listeners,
					format.format == "json", summary)
				if err == nil && changed && exitCode {
					return errFound
				}
				return err
			}
			switch {
			case summary:
				all, err := p.Shown(listeners...)
				if err != nil {
					return err
				}
				return all.WriteSummary(stdout)
			case format.format == "json":
				return writePlanJSON(stdout, p, schemas, listeners)
			}
			return writePlan(stdout, p, schemas, listeners)
		},
	}
	file.add(cmd)
	cmd.Flags().StringArrayVarP(&listeners, "listener", "l", nil,
		"show only this listener, with its informers and outputs; may be repeated")
	cmd.Flags().BoolVar(&summary, "summary", false,
		"write one line for each listener: what it watches, what decides, and what goes where; with --against, one for each change")
	cmd.Flags().StringArrayVar(&against, "against", nil,
		"another configuration, - is standard input; several are read as one: show what a reload would change that ran with it")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false,
		"with --against, exit with 1 if a reload would change something, or refuse to")
	fields.add(cmd)
	format.add(cmd)
	return cmd
}

// withoutModules returns the plan of a configuration with these mistakes, nil if others are among
// them than with the modules of handlers.
func withoutModules(cfg *config.Config, schemas plan.Schemas, wrong config.Errors) *plan.Plan {
	p, mistakes := plan.Compile(cfg, schemas)
	if len(mistakes) > 0 {
		return nil
	}
	found := 0
	for _, l := range p.Listeners {
		for _, mistake := range wrong {
			if strings.HasPrefix(mistake.Field, l.Field+".handler") {
				l.NotLoaded = append(l.NotLoaded, strings.TrimPrefix(mistake.Message,
					fmt.Sprintf("listener %q: ", l.Config.Name)))
				found++
			}
		}
	}
	for _, mistake := range wrong {
		if mistake.Field == "" { // it names the policies that are not loaded
			found++
		}
	}
	if found < len(wrong) {
		return nil
	}
	return p
}

// writeChanged writes what a reload would change, and reports whether it is anything.
func writeChanged(w io.Writer, before, after *plan.Plan, schemas plan.Schemas, listeners []string,
	asJSON, summary bool) (changed bool, err error) {
	c, err := changes.Compare(before, after)
	if err != nil {
		return false, err
	}
	if len(listeners) > 0 {
		c = c.Of(listeners)
	}
	c.Warn(warnings.Of(before, schemas, listeners...), warnings.Of(after, schemas, listeners...))
	for i, text := range c.Warnings {
		c.Warnings[i] = words.Plain(text)
	}
	switch {
	case asJSON:
		return c.Any(), writeIndented(w, c)
	case summary:
		return c.Any(), c.WriteSummary(w)
	}
	return c.Any(), c.Write(w)
}

func writeIndented(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// writePlan writes a plan, or the part of some listeners.
func writePlan(w io.Writer, p *plan.Plan, schemas plan.Schemas, listeners []string) error {
	write := p.Write
	if len(listeners) > 0 {
		write = func(w io.Writer) error { return p.WriteListeners(w, listeners...) }
	}
	if err := write(w); err != nil {
		return err
	}
	if err := rights.WriteOthers(w, p, listeners...); err != nil {
		return err
	}
	out := shown.Lines{Writer: w}
	for i, warning := range warnings.Of(p, schemas, listeners...) {
		if i == 0 {
			out.Line(0, "\nwarnings")
		}
		out.Line(1, "%s", words.Plain(warning.Error()))
	}
	if len(listeners) == 0 {
		out.Line(0, orderOfEvents)
	}
	return out.Err
}

// writePlanJSON writes the same as JSON.
func writePlanJSON(w io.Writer, p *plan.Plan, schemas plan.Schemas, listeners []string) error {
	all, err := p.Shown(listeners...)
	if err != nil {
		return err
	}
	all.Requests = append(all.Requests, rights.Others(p, listeners...)...)
	for _, warning := range warnings.Of(p, schemas, listeners...) {
		all.Warnings = append(all.Warnings, warning.Error())
	}
	return writeIndented(w, all)
}

// orderOfEvents says what a plan's lines about listeners mean.
const orderOfEvents = `
An event that surely does not meet the conditions before the buffer is dropped at once. The others wait there until
select, rules and filter are evaluated, in this order; what these let through goes to the handler and the outputs.`
