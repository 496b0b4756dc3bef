package contender

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/informerd/informerd/bench/measure"
)

// daemon is informerd as users run it: the program with a configuration of one listener that writes
// matching events to stdout, where they are counted. Other events cannot be counted, so the tally
// has matches only.
type daemon struct {
	program
	setup Setup
}

func newDaemon(s Setup) *daemon { return &daemon{program: program{name: "informerd"}, setup: s} }

// config has a buffer that blocks, since coalesced events would be work not done.
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
	if err := os.WriteFile(path, fmt.Appendf(nil, config, resource, d.setup.Filter),
		0o600); err != nil {
		return measure.Process{}, fmt.Errorf("cannot write the configuration: %w", err)
	}
	args := []string{"run", "--config", path, "--kubeconfig", d.setup.Kubeconfig}
	return d.start(ctx, exec.CommandContext(ctx, d.setup.Program, args...),
		func(out io.Reader) error { return count(out, t) })
}

// count reads events, one per line.
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
		// The attributes precede the data, the only other place for the same words.
		head, _, _ := bytes.Cut(line, []byte(`,"data":`))
		if bytes.Contains(head, []byte(`,"initial":true`)) {
			t.MatchedListed.Add(1)
		} else {
			t.MatchedChanges.Add(1)
		}
	}
}
