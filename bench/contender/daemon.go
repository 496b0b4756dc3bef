package contender

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/informerd/informerd/bench/measure"
)

// daemon is informerd as people run it: its program with a configuration of one listener that writes
// what matches to stdout, where it is counted. What does not match cannot be counted, so the tally has
// only matches.
type daemon struct {
	setup Setup
	cmd   *exec.Cmd
	done  chan error
}

func newDaemon(s Setup) *daemon { return &daemon{setup: s} }

// config has a buffer that blocks, since events that are coalesced would be work not done.
const config = `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  bench:
    informer: {resource: %s}
    buffer: {capacity: 1024, overflow: block}
    filter: |
      %s
    outputs: [stdout]
outputs:
  stdout: {stdout: {}}
`

// Start implements Contender.
func (d *daemon) Start(ctx context.Context, t *Tally) (measure.Process, error) {
	resource := d.setup.Kind.Resource
	if d.setup.Kind.Group != "" {
		resource += "." + d.setup.Kind.Group
	}
	path := filepath.Join(d.setup.Dir, "informerd.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, config, resource, d.setup.Filter), 0o600); err != nil {
		return measure.Process{}, fmt.Errorf("cannot write the configuration: %w", err)
	}
	d.cmd = exec.CommandContext(ctx, d.setup.Program, "run", "--config", path, "--kubeconfig", d.setup.Kubeconfig)
	d.cmd.Cancel = func() error { return d.cmd.Process.Signal(syscall.SIGTERM) }
	d.cmd.WaitDelay = 10 * time.Second
	var log tail
	d.cmd.Stderr = &log
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return measure.Process{}, err
	}
	if err := d.cmd.Start(); err != nil {
		return measure.Process{}, fmt.Errorf("cannot start informerd: %w", err)
	}
	d.done = make(chan error, 1)
	go func() {
		err := count(out, t)
		if exit := d.cmd.Wait(); exit != nil {
			err = errors.Join(err, fmt.Errorf("informerd: %w: %s", exit, log.last()))
		}
		d.done <- err
	}()
	return measure.Other(d.cmd.Process.Pid), nil
}

// count reads events, one a line.
func count(r io.Reader, t *Tally) error {
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading informerd's output: %w", err)
		}
		// The attributes stand before the data, which alone may hold the same words.
		head, _, _ := bytes.Cut(line, []byte(`,"data":`))
		if bytes.Contains(head, []byte(`,"initial":true`)) {
			t.MatchedListed.Add(1)
		} else {
			t.MatchedChanges.Add(1)
		}
	}
}

// Stop implements Contender.
func (d *daemon) Stop() error {
	if d.done == nil {
		return nil
	}
	// An error means that it has ended, which done tells of.
	_ = d.cmd.Process.Signal(syscall.SIGTERM)
	return <-d.done
}

// tail keeps the end of a log.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 4 << 10
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(p), nil
}

func (t *tail) last() []byte { return bytes.TrimSpace(t.text) }
