package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/audit"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/ledger"
)

func newAudit(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var output outputFlag
	var all bool
	wait := 10 * time.Second
	cmd := &cobra.Command{
		Use:   "audit [FILE] LISTENER",
		Short: "Compare what a listener's stream ended on with the cluster",
		Long: "List the objects of a listener of the informerd that runs with the configuration in the cluster, and compare them\n" +
			"with what the listener's stream ended on: for each object whether its last state was delivered, filtered or\n" +
			"dropped, waits, is a dead letter, or was never seen. The exit code is 1 if one was never seen.",
		Args: file.oneListener,
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := output.json()
			if err == nil && wait <= 0 {
				err = usage(fmt.Errorf("--wait %s: it must be positive", wait))
			}
			if err != nil {
				return err
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			client, err := file.dial(ctx)
			if err != nil {
				return err
			}
			defer client.Close()
			shown := &auditView{w: stdout, asJSON: asJSON, all: all}
			if isTerminal(stderr) {
				shown.progress = stderr
			}
			request := admin.Audit{Listener: args[0], All: all, Patience: wait}
			summary, err := client.Audit(ctx, request, shown.add, shown.goesOn)
			var unknown *audit.UnknownError
			if errors.As(err, &unknown) {
				return usage(err)
			}
			return shown.end(&summary, err)
		},
	}
	file.add(cmd)
	file.before(cmd)
	output.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false,
		"show the objects that were delivered or filtered as well")
	cmd.Flags().DurationVar(&wait, "wait", wait,
		"how long to look for an object that nobody has seen")
	return cmd
}

// oneListener takes the name of a listener, and says which there are if it is missing.
func (c *configuration) oneListener(cmd *cobra.Command, args []string) error {
	if len(args) == 1 {
		return nil
	}
	there := ""
	if len(c.paths) == 1 && !c.readsStdin() {
		if cfg, err := config.Load(c.paths[0]); err == nil {
			there = "; there are " + strings.Join(slices.Sorted(maps.Keys(cfg.Listeners)), ", ")
		}
	}
	return usage(fmt.Errorf("%s takes the name of one listener, found %d%s", cmd.CommandPath(),
		len(args), there))
}

// maxAudited is how many objects are shown to people, who want the counts first, unless they ask
// for all.
const maxAudited = 1000

// auditView shows an audit.
type auditView struct {
	w           io.Writer
	progress    io.Writer // nil: nobody looks
	asJSON, all bool
	objects     []audit.Object // for people, until all is known
	more        int
	shown       int
	table       *tabwriter.Writer
}

// goesOn shows how far an audit has come.
func (v *auditView) goesOn(objects int) {
	if v.progress != nil && !v.all {
		fmt.Fprintf(v.progress, "\r%d objects", objects)
	}
}

// add takes an object.
func (v *auditView) add(o audit.Object) error {
	switch {
	case v.asJSON:
		return writeLine(v.w, &o)
	case v.all:
		return v.write(&o)
	case o.Outcome != ledger.OutcomeNeverSeen && len(v.objects) >= maxAudited:
		v.more++
	default:
		v.objects = append(v.objects, o)
	}
	return nil
}

// write writes an object as a line of a table.
func (v *auditView) write(o *audit.Object) error {
	if v.shown%linesAligned == 0 {
		if v.table == nil {
			v.table = tabwriter.NewWriter(v.w, 0, 0, 2, ' ', 0)
			fmt.Fprintln(v.table, "OBJECT\tVERSION\tSEEN\tOUTCOME\tREASON")
		} else if err := v.table.Flush(); err != nil {
			return err
		}
	}
	v.shown++
	name := plain(o.Name)
	if o.Namespace != "" {
		name = plain(o.Namespace) + "/" + name
	}
	version := dash(o.Version)
	if o.Deleted {
		version = "deleted"
	}
	_, err := fmt.Fprintf(v.table, "%s\t%s\t%s\t%s\t%s\n", dash(name), version, dash(o.Seen),
		o.Outcome, o.Reason)
	return err
}

// end shows the rest, and returns the command's error.
func (v *auditView) end(s *audit.Summary, err error) error {
	if v.progress != nil && !v.all {
		fmt.Fprint(v.progress, "\r\x1b[K")
	}
	if err == nil && v.asJSON {
		err = writeLine(v.w, s)
	}
	if err != nil {
		return err
	}
	if !v.asJSON {
		if err := v.text(s); err != nil {
			return err
		}
	}
	if s.Counts[ledger.OutcomeNeverSeen] > 0 {
		return errNeverSeen
	}
	return nil
}

// errNeverSeen ends a command that has shown what was never seen.
var errNeverSeen = fmt.Errorf("%w: objects were never seen", errFound)

// auditOutcomes are those of an audit, as people read them.
var auditOutcomes = []string{ledger.OutcomeDelivered, ledger.OutcomeFiltered, ledger.OutcomeEarlier,
	ledger.OutcomeDropped, ledger.OutcomeDeadLetter, ledger.OutcomeWaiting,
	ledger.OutcomeNeverSeen}

func (v *auditView) text(s *audit.Summary) error {
	if v.table != nil { // all
		if err := v.table.Flush(); err != nil {
			return err
		}
	}
	var counts []string
	for _, outcome := range auditOutcomes {
		if n := s.Counts[outcome]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	line := fmt.Sprintf("%s: %s", plain(s.Listener), count(s.Objects, "object"))
	if len(counts) > 0 {
		line += ": " + strings.Join(counts, ", ")
	}
	if _, err := fmt.Fprintln(v.w, line); err != nil {
		return err
	}
	for i := range v.objects {
		if err := v.write(&v.objects[i]); err != nil {
			return err
		}
	}
	if v.table != nil {
		if err := v.table.Flush(); err != nil {
			return err
		}
	}
	if v.more > 0 {
		_, err := fmt.Fprintf(v.w, "and %d more; --all and -o json show them\n", v.more)
		return err
	}
	return nil
}
