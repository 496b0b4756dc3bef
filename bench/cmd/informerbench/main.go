// Command informerbench compares informerd with client-go's informers on the same served bytes.
//
//	informerbench run     runs all contenders and prints tables, and whether the figures are reached
//	informerbench serve   serves lists and watches, for inspection or for other clients
//	informerbench client  runs one contender once and prints the measurements as JSON
//
// Run starts the other two, each as a separate process. It works on Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

const usage = `usage: informerbench run|serve|client [flags]; -h after the command lists its flags
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := command(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// These errors only set the exit code; the results have the details.
var (
	errFallsShort = errors.New("ratios fall short by more than a factor of two")
	errProblems   = errors.New("some measurements are missing")
)

func command(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	commands := map[string]func(context.Context, []string, io.Reader, io.Writer, io.Writer) error{
		"run": run, "serve": serve, "client": client,
	}
	if len(args) == 0 || commands[args[0]] == nil {
		fmt.Fprint(stderr, usage)
		return 2
	}
	err := commands[args[0]](ctx, args[1:], stdin, stdout, stderr)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	default:
		fmt.Fprintf(stderr, "informerbench %s: %v\n", args[0], err)
		return 1
	}
}
