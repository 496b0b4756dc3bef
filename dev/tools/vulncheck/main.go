// Command vulncheck runs govulncheck, from its own folder, on the modules in the given folders. It
// first checks whether the vulnerability database can be reached. If not, it prints one line with
// the reason, and the exit code is 0.
//
//	GOVULNDB            another database than https://vuln.go.dev: an URL, or file:// and a folder
//	VULNCHECK=required  an unreachable database is a failure
//
// A finding, or any other error, is a failure: exit code 1.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := check{
		database: os.Getenv("GOVULNDB"),
		required: os.Getenv("VULNCHECK") == "required",
		out:      os.Stderr,
		scan:     govulncheck,
	}
	if err := c.run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "vulncheck:", err)
		os.Exit(1)
	}
}

// check is one run of this program.
type check struct {
	database string // "": the Go project's own
	required bool
	out      io.Writer
	scan     func(ctx context.Context, database, folder string) error
}

func (c check) run(ctx context.Context, folders []string) error {
	if c.database == "" {
		c.database = "https://vuln.go.dev"
	}
	c.database = strings.TrimSuffix(c.database, "/")
	err := probe(ctx, c.database)
	var unreachable *unreachableError
	switch {
	case errors.As(err, &unreachable) && !c.required:
		fmt.Fprintf(c.out, "vulncheck: NOT RUN: %v (GOVULNDB can name a mirror, VULNCHECK=required makes this a failure)\n", err)
		return nil
	case err != nil:
		return err
	}
	var failed []error
	for _, folder := range folders {
		if err := c.scan(ctx, c.database, folder); err != nil {
			failed = append(failed, fmt.Errorf("govulncheck in %s: %w", folder, err))
		}
	}
	return errors.Join(failed...)
}

// govulncheck runs the govulncheck program built together with this one. Its exit code is not 0 if
// it has found something.
func govulncheck(ctx context.Context, database, folder string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(filepath.Dir(self), "govulncheck"), "-db",
		database, "./...")
	cmd.Dir = folder
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
