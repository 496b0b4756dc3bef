package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/rights"
)

func newPlan(stdin io.Reader, stdout io.Writer) *cobra.Command {
	file := configuration{stdin: stdin, policies: true}
	var fields fieldCheck
	var listeners []string
	cmd := &cobra.Command{
		Use:   "plan FILE [--listener NAME]…",
		Short: "Show what a configuration requests from the API server, what is shared, and where each listener decides",
		Long: "Show what a configuration requests from the API server, which listeners share that, and what is decided before and\n" +
			"behind each listener's buffer, and where it sends what. Where a selector would make the API server send less, plan\n" +
			"suggests it. Expressions are cut after 100 characters; with --listener, they are shown whole.",
		Args: file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schemas, err := fields.schemas()
			if err != nil {
				return err
			}
			cfg, err := file.load(schemas, false)
			if err != nil {
				return err
			}
			for _, name := range listeners {
				if cfg.Listeners[name] == nil {
					return commandError(plan.UnknownListener(cfg, name))
				}
			}
			p, err := daemon.Plan(contextOf(cmd), cfg, daemon.BuildOptions{Schemas: schemas})
			if err != nil {
				return err
			}
			return writePlan(stdout, p, listeners)
		},
	}
	file.add(cmd)
	cmd.Flags().StringArrayVarP(&listeners, "listener", "l", nil,
		"show only this listener, with its informers and outputs; may be repeated")
	fields.add(cmd)
	return cmd
}

// writePlan writes a plan, or the part of some listeners.
func writePlan(w io.Writer, p *plan.Plan, listeners []string) error {
	write := p.Write
	if len(listeners) > 0 {
		write = func(w io.Writer) error { return p.WriteListeners(w, listeners...) }
	}
	if err := write(w); err != nil {
		return err
	}
	return rights.WriteOthers(w, p, listeners...)
}
