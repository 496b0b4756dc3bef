package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/rights"
	"github.com/informerd/informerd/internal/wording"
)

func newPlan(stdin io.Reader, stdout io.Writer) *cobra.Command {
	file := configuration{stdin: stdin, policies: true}
	var fields fieldCheck
	var listeners, against []string
	var exitCode bool
	format := textOrJSON()
	cmd := &cobra.Command{
		Use:   "plan FILE [--listener NAME]… [--against FILE]…",
		Short: "Show what a configuration requests from the API server, what is shared, and where each listener decides",
		Long: "Show what a configuration requests from the API server, which listeners share that, what is decided before and\n" +
			"behind each listener's buffer, and where it sends. Conditions before the buffer drop an event at once; what they\n" +
			"let in waits in the buffer until select, rules and filter are evaluated, in this order.\n" +
			"With --against, it is what a reload would change that ran with the other configuration, and the difference of the\n" +
			"two plans; what is in the files of handlers is not compared. With --exit-code, the exit code is 1 if there is any.",
		Args: file.args,
		RunE: func(*cobra.Command, []string) error {
			switch {
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
			p, err := file.plan(schemas, false)
			if err != nil {
				return err
			}
			var before *plan.Plan
			if len(against) > 0 {
				other := configuration{stdin: stdin, policies: true, flag: "against",
					paths: against}
				if before, err = other.plan(schemas, false); err != nil {
					return err
				}
			}
			for _, name := range listeners {
				if p.Config.Listeners[name] == nil &&
					(before == nil || before.Config.Listeners[name] == nil) {
					return usage(fmt.Errorf("--listener: %w",
						plan.UnknownListener(p.Config, name)))
				}
			}
			if before == nil {
				return writePlan(stdout, p, schemas, listeners, format.json())
			}
			d, err := difference(before, p, listeners)
			if err == nil {
				err = d.write(stdout, format.json())
			}
			if err == nil && exitCode && len(d.Changes)+len(d.Restart)+len(d.Lines) > 0 {
				return errFound
			}
			return err
		},
	}
	cmd.Flags().StringArrayVarP(&listeners, "listener", "l", nil,
		"show only this listener, with its informers and outputs; may be repeated")
	cmd.Flags().StringArrayVar(&against, "against", nil,
		"another configuration, - is standard input; several are read as one: show what a reload would change that ran with it")
	cmd.Flags().BoolVar(&exitCode, "exit-code", false,
		"with --against, exit with 1 if a reload would change something, or refuse to")
	return withFlags(cmd, &file, &fields, &format)
}

// plan returns the plan of the configuration. With kubeconfig, the kubeconfig that it names must be
// readable.
func (c *configuration) plan(schemas plan.Schemas, kubeconfig bool) (*plan.Plan, error) {
	cfg, err := c.load(schemas, kubeconfig)
	if err != nil {
		return nil, err
	}
	p, mistakes := plan.Compile(cfg, schemas)
	if len(mistakes) > 0 {
		return nil, plan.NotLoaded(cfg, mistakes)
	}
	return p, nil
}

// writePlan writes a plan, or the part of some listeners. What is about the whole configuration is
// in the whole plan alone.
func writePlan(w io.Writer, p *plan.Plan, schemas plan.Schemas, listeners []string,
	asJSON bool) error {
	all, err := listing(p, listeners)
	if err != nil {
		return err
	}
	if len(listeners) == 0 {
		resources, _ := plan.ResourceWarnings(p.Config, schemas)
		for _, w := range plan.InOrder(p.Config, slices.Concat(p.Config.Warnings(), p.Warnings(),
			resources)) {
			if !w.Absent {
				all.Warnings = append(all.Warnings, wording.Printable(w.Error()))
			}
		}
	}
	if asJSON {
		return wording.WriteJSON(w, all, "  ")
	}
	return all.Write(w)
}

func listing(p *plan.Plan, listeners []string) (*plan.Listing, error) {
	all, err := p.List(listeners...)
	if err == nil {
		all.Requests = append(all.Requests, rights.Others(p, listeners...)...)
	}
	return all, err
}

// planDifference is how two plans differ. Its fields are the JSON form.
type planDifference struct {
	Restart []string      `json:"restart,omitempty"` // settings for which a reload would be refused
	Changes admin.Changes `json:"changes"`
	Lines   []string      `json:"lines,omitempty"` // a unified diff of the plans
}

// difference compares two plans, or the parts of some listeners.
func difference(before, after *plan.Plan, listeners []string) (d planDifference, err error) {
	d.Changes = admin.Changes{}
	for _, mistake := range daemon.NeedRestart(before.Config, after.Config) {
		d.Restart = append(d.Restart, mistake.Field)
	}
	var texts [2]string
	outputs := map[string]bool{}
	for i, p := range []*plan.Plan{before, after} {
		here := slices.DeleteFunc(slices.Clone(listeners), func(name string) bool {
			return p.Config.Listeners[name] == nil
		})
		if len(listeners) > 0 && len(here) == 0 {
			continue
		}
		all, err := listing(p, here)
		if err != nil {
			return d, err
		}
		for j := range all.Informers {
			for k := range all.Informers[j].Listeners {
				all.Informers[j].Listeners[k].Warnings = nil // which have places
			}
		}
		for j := range all.Outputs {
			outputs[all.Outputs[j].Name], all.Outputs[j].Warnings = true, nil
		}
		var text strings.Builder
		if err := all.Write(&text); err != nil {
			return d, err
		}
		texts[i] = strings.TrimSuffix(text.String(), "\n") // SplitLines adds one
	}
	for _, c := range daemon.Changes(before, after) {
		if len(listeners) == 0 || c.Kind == "listener" && slices.Contains(listeners, c.Name) ||
			c.Kind == "output" && outputs[c.Name] {
			d.Changes = append(d.Changes, c)
		}
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		FromFile: before.Config.File(), A: difflib.SplitLines(texts[0]),
		ToFile: after.Config.File(), B: difflib.SplitLines(texts[1]), Context: 3})
	if text != "" {
		d.Lines = strings.Split(strings.TrimRight(text, "\n"), "\n")
	}
	return d, err
}

func (d planDifference) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return wording.WriteJSON(w, d, "  ")
	}
	if len(d.Restart) > 0 {
		if _, err := fmt.Fprintf(w, "a reload would refuse it, since this needs a restart: %s\n",
			strings.Join(d.Restart, ", ")); err != nil {
			return err
		}
	}
	if err := writeChanges(w, d.Changes, false); err != nil {
		return err
	}
	for _, line := range d.Lines {
		if _, err := fmt.Fprintln(w, wording.Printable(line)); err != nil {
			return err
		}
	}
	return nil
}
