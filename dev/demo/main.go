// Command demo shows informerd at work on a real control plane.
//
//	go run ./dev/demo         start both, act on the cluster, show what informerd prints, stop both; below a minute
//	go run ./dev/demo up      start both and leave them running
//	go run ./dev/demo down    stop what up started
//
// It runs in the root of the repository and needs what "make demo" builds into bin. Everything it
// leaves is in .demo.
//
// What is promised:
//   - What is shown of informerd is what informerd printed, shortened; the whole lines are in
//     .demo/informerd.jsonl.
//   - Each act waits until informerd has printed what the act must cause. If that does not come,
//     the demo fails and says what was not seen.
//   - Whether it ends well, fails, or is stopped by a signal or a closed terminal: what it started
//     is stopped, in order, and nothing else is. A control plane that runs already is left alone.
//   - The exit code is 0 if all was seen, 1 if not, 2 for a wrong command line.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	d := demo{
		Devcluster: "bin/devcluster", Informerd: "bin/informerd", Config: "configs/quickstart.yaml",
		Dir: ".demo", Screen: newScreen(os.Stdout),
	}
	command := d.Play
	switch {
	case len(args) == 0:
	case len(args) == 1 && args[0] == "up":
		command = d.Up
	case len(args) == 1 && args[0] == "down":
		command = d.Down
	default:
		fmt.Fprintln(os.Stderr, "usage: go run ./dev/demo [up|down]")
		return 2
	}
	// A reader that went away (SIGPIPE) and a terminal that was closed (SIGHUP) end the demo in
	// order, like Ctrl-C.
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	if err := command(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		return 1
	}
	return 0
}
