package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/internal/wording"
)

func newCheckpoint(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Show what a restart goes on with",
		Args:  knownCommand,
		RunE:  showHelp,
	}
	cmd.AddCommand(newCheckpointShow(stdin, stdout, stderr))
	return cmd
}

func newCheckpointShow(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	output := textOrJSON()
	var cluster string
	cmd := &cobra.Command{
		Use:   "show FILE",
		Short: "Show how far informers and listeners are in the checkpoint",
		Long:  "Show what the checkpoint in state.dir has of each informer and of each listener, whether informerd runs or not.",
		Args:  file.args,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return file.withState(cmd, stderr, func(ctx context.Context, dir string) error {
				shown, err := checkpointIn(ctx, dir, cluster)
				if err != nil {
					return err
				}
				if output.json() {
					return wording.WriteJSON(stdout, shown, "")
				}
				return shown.write(stdout)
			})
		},
	}
	cmd.Flags().StringVar(&cluster, "cluster", "", "of which of several clusters the checkpoint is")
	return withFlags(cmd, &file, &output)
}

// shownCheckpoint is what the folder has, and what a daemon says of it.
type shownCheckpoint struct {
	*keeper.Summary
	Running *admin.Checkpoint `json:"running,omitempty"` // nil if no informerd runs
}

// checkpointIn returns the checkpoint of a cluster in a folder for state, "" if there is only one.
func checkpointIn(ctx context.Context, dir, cluster string) (shown shownCheckpoint, err error) {
	client, err := admin.Dial(ctx, dir)
	switch {
	case err == nil:
		defer client.Close()
		if shown.Running, err = client.Checkpoint(ctx); err != nil {
			return shown, err
		}
	case !errors.Is(err, admin.ErrNotRunning):
		return shown, err
	}
	shown.Summary, err = keeper.Summarize(statefolder.CheckpointIn(dir, cluster))
	if errors.Is(err, fs.ErrNotExist) {
		clusters, _ := filepath.Glob(statefolder.CheckpointIn(dir, "*")) // the pattern is well-formed
		for i, path := range clusters {
			clusters[i] = filepath.Base(filepath.Dir(path))
		}
		if len(clusters) > 0 {
			return shown, fmt.Errorf("there is a checkpoint for each of several clusters in %s: choose one with --cluster, of %s",
				dir, wording.Some(clusters, 20))
		}
		err = fmt.Errorf("there is no checkpoint in %s: a listener has one if it says checkpoint: true, once informerd has run", dir)
	}
	return shown, err
}

// write writes tables of informers and listeners.
func (s *shownCheckpoint) write(w io.Writer) error {
	fmt.Fprintf(w, "%d bytes, last written %s ago\n", s.Bytes, ago(s.Committed))
	switch {
	case s.Running == nil:
		fmt.Fprintln(w, "no informerd runs")
	case s.Running.Failed != "":
		fmt.Fprintf(w, "informerd runs without it, since %s ago: %s\n", ago(s.Running.Current),
			wording.Printable(s.Running.Failed))
	case s.Running.Current.IsZero():
		fmt.Fprintln(w, "informerd runs, and has not added anything so far")
	default:
		fmt.Fprintf(w, "informerd runs, and all but the last %s is in it\n", ago(s.Running.Current))
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nINFORMER\tOBJECTS\tVERSION\tLISTENERS")
	for _, in := range s.Informers {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\n", wording.Printable(scopeText(in.Resource, in.Namespace, in.LabelSelector, in.FieldSelector)), in.Objects, dash(in.Version),
			wording.Printable(strings.Join(in.Listeners, ", ")))
	}
	fmt.Fprintln(table, "\nLISTENER\tUNFINISHED\tBEHIND\tVIOLATIONS\tUNSENT")
	for _, l := range s.Listeners {
		var unsent []string
		for _, name := range slices.Sorted(maps.Keys(l.Unsent)) {
			unsent = append(unsent, fmt.Sprintf("%s %d", name, l.Unsent[name]))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\n", wording.Printable(l.Name), wording.Count(l.Unfinished, "object"),
			wording.Count(int(l.Behind), "version"), l.Violations,
			wording.Printable(cmp.Or(strings.Join(unsent, ", "), "-")))
	}
	return table.Flush()
}

func ago(t time.Time) string { return duration.HumanDuration(max(0, time.Since(t))) }
