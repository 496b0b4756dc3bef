// Command demo shows informerd at work on a real control plane.
//
//	go run ./dev/demo         start both, act on the cluster, show what informerd prints, stop both; in less than a minute
//	go run ./dev/demo up      start both and leave them running
//	go run ./dev/demo down    stop what up started
//
// It runs in the root of the repository and needs the programs that "make demo" builds into bin.
// Everything it leaves behind is in .demo.
//
// # Promises
//
//   - The demo shows what informerd printed, shortened; the full lines are in
//     .demo/informerd.jsonl.
//   - Each act waits until informerd has printed the effects of the act. If they do not occur, the
//     demo fails and reports the missing ones.
//   - Whether it succeeds, fails, or is stopped by a signal or a closed terminal, it stops what it
//     started, in order, and nothing else. A control plane that is already running is left alone.
//   - The exit code is 0 for success, 1 for a failure, 2 for a wrong command line.
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
	// A closed reader (SIGPIPE) or terminal (SIGHUP) ends the demo in order, like Ctrl-C.
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
