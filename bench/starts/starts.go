package starts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/objects"
)

// Limit is how many times the CPU of informerd validate a start may take, until all listeners
// listen.
const Limit = 2.5

// Result is the CPU of one process each.
type Result struct{ Validate, Run time.Duration }

// Measure starts informerd with many listeners. It builds the program first.
func Measure(ctx context.Context, listeners int) (r Result, err error) {
	dir, err := os.MkdirTemp("", "starts")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	program, file := filepath.Join(dir, "informerd"), filepath.Join(dir, "c.yaml")
	if err := build(ctx, program); err != nil {
		return r, err
	}
	s, err := apiserver.New(apiserver.Config{Collections: []apiserver.Collection{
		{Kind: objects.Pods, Count: 10, Size: objects.Medium, Events: 1}}})
	if err != nil {
		return r, err
	}
	defer s.Close()
	l, err := apiserver.Listen(s, dir)
	if err != nil {
		return r, err
	}
	defer l.Close()
	if err := os.WriteFile(file, configuration(dir, listeners), 0o600); err != nil {
		return r, err
	}
	validate := exec.CommandContext(ctx, program, "validate", file)
	if out, err := validate.CombinedOutput(); err != nil {
		return r, fmt.Errorf("informerd validate: %w: %s", err, out[:min(len(out), 1000)])
	}
	r.Validate = cpu(validate)
	r.Run, err = start(ctx, exec.CommandContext(ctx, program, "run", "-c", file, "--kubeconfig",
		l.Plain), listeners)
	return r, err
}

// build builds the program in its own module, which has other dependencies.
func build(ctx context.Context, program string) error {
	module, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/informerd/informerd").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "./cmd/informerd")
	build.Dir = strings.TrimSpace(string(module))
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	return nil
}

// configuration returns one with so many listeners.
func configuration(dir string, listeners int) []byte {
	var b bytes.Buffer
	b.WriteString("apiVersion: informerd.dev/v1alpha1\nkind: Config\n" +
		"informers: {p: {resource: pods}}\noutputs:\n")
	for i := range 10 {
		fmt.Fprintf(&b, "  o%d: {file: {path: %s}, when: op != 'delete'}\n", i,
			filepath.Join(dir, fmt.Sprint(i)))
	}
	b.WriteString("listeners:\n")
	for i := range listeners {
		fmt.Fprintf(&b, "  l%d: {informer: p, select: label('t')=='%d', filter: op!='add', outputs: [o%d,o%d]}\n",
			i, i, i%10, (i+3)%10)
	}
	return b.Bytes()
}

// start runs informerd until all listeners listen, and returns its CPU.
func start(ctx context.Context, run *exec.Cmd, listeners int) (time.Duration, error) {
	log := &counter{text: `msg=listening `, wanted: listeners, reached: make(chan struct{})}
	run.Stderr = log
	if err := run.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	select {
	case <-log.reached:
	case err := <-ended:
		return 0, fmt.Errorf("informerd run ended: %w", err)
	case <-ctx.Done():
		return 0, errors.Join(ctx.Err(), <-ended)
	}
	// What it does to stop is not part of the start.
	if err := run.Process.Signal(syscall.SIGKILL); err != nil {
		return 0, err
	}
	<-ended
	return cpu(run), nil
}

func cpu(c *exec.Cmd) time.Duration {
	return c.ProcessState.UserTime() + c.ProcessState.SystemTime()
}

// counter counts the lines with a text.
type counter struct {
	text    string
	wanted  int
	reached chan struct{}
	rest    string // of a line that is not complete
}

func (c *counter) Write(p []byte) (int, error) {
	lines := strings.Split(c.rest+string(p), "\n")
	c.rest = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		if strings.Contains(line, c.text) {
			if c.wanted--; c.wanted == 0 {
				close(c.reached)
			}
		}
	}
	return len(p), nil
}
