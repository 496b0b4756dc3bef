// Package cli is the command line: it reads flags, calls package cluster and prints the results.
//
// Progress and errors go to stderr. Stdout has only what scripts need: the path of the kubeconfig,
// or the table of status. The exit status is 0, 1 for a failure (of status: an incomplete cluster),
// and 2 for a wrong command line.
// cluster that is not complete), and 2 for a wrong command line.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"text/tabwriter"

	"github.com/informerd/informerd/dev/cluster/internal/cluster"
)

const usage = `devcluster runs a Kubernetes control plane on loopback ports, for tests and demonstrations.

  devcluster up --dir DIR [--with controllers [--nodes N] [--kwok PATH]] [--feature-gates TEXT] [--timeout D]
      start etcd and the API server in the background, wait until they are ready and print the path of the
      admin kubeconfig, DIR/kubeconfig; with controllers: also the controller manager, the scheduler and
      kwok with N nodes (3), so that a Deployment becomes running pods; with feature gates: the API server has
      them, for example ShardedListAndWatch=true
  devcluster down --dir DIR
      stop it and remove its data; the logs stay in DIR/logs
  devcluster status --dir DIR
      say of each component whether it runs, its pid, its address and whether it is ready
  devcluster restart-apiserver --dir DIR [--feature-gates TEXT] [--timeout D]
      restart the API server alone, with the same port and data, and with other feature gates if they are
      given ('' for none); also starts one that was killed
`

// Exit statuses.
const (
	exitOK = iota
	exitFailure
	exitUsage
)

// errUsage marks an error in the command line itself.
var errUsage = errors.New("see devcluster help")

// errIncomplete makes status fail without a further message: the table shows why.
var errIncomplete = errors.New("not every component is running")

// app is one invocation.
type app struct {
	stdout, stderr io.Writer
}

// Main runs the command line and returns the exit status.
func Main(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	a := app{stdout: stdout, stderr: stderr}
	err := a.run(ctx, args)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return exitOK
	case errors.Is(err, errIncomplete):
		return exitFailure
	}
	fmt.Fprintln(stderr, "devcluster:", err)
	if errors.Is(err, errUsage) {
		return exitUsage
	}
	return exitFailure
}

func (a app) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("missing command; %w", errUsage)
	}
	switch command, rest := args[0], args[1:]; command {
	case "up":
		return a.up(ctx, rest)
	case "down":
		return a.down(ctx, rest)
	case "status":
		return a.status(ctx, rest)
	case "restart-apiserver":
		return a.restartAPIServer(ctx, rest)
	case "help", "-h", "-help", "--help":
		return flag.ErrHelp
	default:
		return fmt.Errorf("unknown command %q; %w", command, errUsage)
	}
}

func (a app) say(format string, args ...any) { fmt.Fprintf(a.stderr, format+"\n", args...) }

func (a app) up(ctx context.Context, args []string) error {
	o := cluster.Options{Say: a.say}
	var with string
	flags, dir := newFlags("up")
	flags.StringVar(&with, "with", "", "")
	flags.IntVar(&o.Nodes, "nodes", 0, "")
	flags.StringVar(&o.Kwok, "kwok", "", "")
	flags.StringVar(&o.FeatureGates, "feature-gates", "", "")
	flags.DurationVar(&o.Timeout, "timeout", cluster.DefaultTimeout, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	switch {
	case with != "" && with != "controllers":
		return fmt.Errorf("--with %s: only --with controllers is allowed; %w", with, errUsage)
	case with == "" && (o.Nodes != 0 || o.Kwok != ""):
		return fmt.Errorf("--nodes and --kwok need --with controllers; %w", errUsage)
	case o.Nodes < 0:
		return fmt.Errorf("--nodes %d: want at least one; %w", o.Nodes, errUsage)
	}
	o.Controllers = with != ""
	kubeconfig, err := cluster.Up(ctx, *dir, o)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, kubeconfig)
	return nil
}

func (a app) down(ctx context.Context, args []string) error {
	flags, dir := newFlags("down")
	if err := parse(flags, args); err != nil {
		return err
	}
	stopped, err := cluster.Down(ctx, *dir, a.say)
	if err != nil {
		return err
	}
	if stopped {
		a.say("stopped the cluster in %s", *dir)
	} else {
		a.say("no cluster is running in %s", *dir)
	}
	return nil
}

func (a app) status(ctx context.Context, args []string) error {
	flags, dir := newFlags("status")
	if err := parse(flags, args); err != nil {
		return err
	}
	status, err := cluster.Status(ctx, *dir)
	if err != nil {
		return err
	}
	complete := true
	table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "COMPONENT\tSTATE\tPID\tADDRESS\tREADY")
	for _, c := range status {
		if !c.Running() {
			complete = false
			fmt.Fprintf(table, "%s\tnot running\t-\t%s\tno\n", c.Name, c.Address)
			continue
		}
		ready := "yes"
		if c.Ready != nil {
			ready = "no: " + c.Ready.Error()
		}
		fmt.Fprintf(table, "%s\trunning\t%d\t%s\t%s\n", c.Name, c.PID, c.Address, ready)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("cannot print the status: %w", err)
	}
	if !complete {
		return errIncomplete
	}
	return nil
}

func (a app) restartAPIServer(ctx context.Context, args []string) error {
	flags, dir := newFlags("restart-apiserver")
	var gates *string
	flags.Func("feature-gates", "", func(text string) error {
		gates = &text
		return nil
	})
	timeout := flags.Duration("timeout", cluster.DefaultTimeout, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	return cluster.RestartAPIServer(ctx, *dir, gates, *timeout, a.say)
}

// newFlags makes a flag set that leaves printing to Main, with the flag that every command has.
func newFlags(command string) (flags *flag.FlagSet, dir *string) {
	flags = flag.NewFlagSet(command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	return flags, flags.String("dir", "", "")
}

func parse(flags *flag.FlagSet, args []string) error {
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return fmt.Errorf("%s: %w; %w", flags.Name(), err, errUsage)
	case flags.NArg() > 0:
		return fmt.Errorf("%s: %q is not a flag; %w", flags.Name(), flags.Arg(0), errUsage)
	case flags.Lookup("dir").Value.String() == "":
		return fmt.Errorf("%s: --dir is missing: set it to the directory of the cluster; %w",
			flags.Name(), errUsage)
	}
	return nil
}
