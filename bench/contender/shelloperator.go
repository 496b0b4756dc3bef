package contender

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/informerd/informerd/bench/measure"
)

// shellOperator is flant/shell-operator, which does for hook programs what informerd does: it keeps
// all pods in an informer, evaluates a jq filter on them, and starts its hook where the filter's
// result has changed. Here the result is the pod if it matches, and null otherwise, so the hook
// gets the same objects as the daemon's output. It does not keep the full objects for the hook,
// which would take more memory. The hook's own cost is not measured. The release is 1.4.10, since
// newer ones were not available from the module proxy.
type shellOperator struct {
	program
	setup Setup
}

// shell-operator exits with 1 on SIGTERM.
func newShellOperator(s Setup) *shellOperator {
	return &shellOperator{program: program{name: "shell-operator", exitCode: 1}, setup: s}
}

// hook writes the number of matching objects of each call to the named pipe.
const hook = `#!/bin/sh
if [ "$1" = --config ]; then
cat <<'CONFIG'
configVersion: v1
kubernetes:
- name: bench
  apiVersion: %s
  kind: %s
  keepFullObjectsInMemory: false
  jqFilter: 'if .status.phase == "Failed" and ((.spec.nodeName // "") | startswith("ip-")) then . else null end'
CONFIG
exit
fi
what=changed
if grep -q '"type": "Synchronization"' "$BINDING_CONTEXT_PATH"; then what=listed; fi
echo "$what $(grep -c '"filterResult": {' "$BINDING_CONTEXT_PATH")" >'%s'
`

// Start implements Contender.
func (s *shellOperator) Start(ctx context.Context, t *Tally) (measure.Process, error) {
	dir, err := os.MkdirTemp(s.setup.Dir, "shell-operator-")
	if err != nil {
		return measure.Process{}, err
	}
	hooks, pipe := filepath.Join(dir, "hooks"), filepath.Join(dir, "counts")
	text := fmt.Appendf(nil, hook, s.setup.Kind.APIVersion(), s.setup.Kind.Name, pipe)
	err = errors.Join(os.Mkdir(hooks, 0o700), os.Mkdir(filepath.Join(dir, "tmp"), 0o700),
		os.WriteFile(filepath.Join(hooks, "count.sh"), text, 0o700), syscall.Mkfifo(pipe, 0o600))
	if err != nil {
		return measure.Process{}, fmt.Errorf("cannot write the hook: %w", err)
	}
	counts, err := os.OpenFile(pipe, os.O_RDWR, 0) // so that it does not end with a hook
	if err != nil {
		return measure.Process{}, fmt.Errorf("cannot open the hook's pipe: %w", err)
	}
	cmd := exec.CommandContext(ctx, s.setup.Program, "start", "--kube-config", s.setup.Kubeconfig,
		"--hooks-dir", hooks, "--tmp-dir", filepath.Join(dir, "tmp"),
		"--debug-unix-socket", filepath.Join(dir, "debug.socket"), "--listen-address", "127.0.0.1",
		"--listen-port", "0",
		"--log-level", "error", "--kube-client-qps", "1000", "--kube-client-burst", "1000")
	counted := make(chan error, 1)
	process, err := s.start(ctx, cmd, func(out io.Reader) error {
		_, err := io.Copy(&tail{}, out)
		return errors.Join(err, counts.Close(), <-counted, os.RemoveAll(dir))
	})
	if err != nil {
		return process, errors.Join(err, counts.Close())
	}
	go func() { counted <- hookCounts(counts, t) }()
	return process, nil
}

// hookCounts reads the hooks' output until the pipe is closed.
func hookCounts(pipe io.Reader, t *Tally) error {
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		var what string
		var n int64
		if _, err := fmt.Sscanf(lines.Text(), "%s %d", &what, &n); err != nil {
			return fmt.Errorf("the hook wrote %q: %w", lines.Text(), err)
		}
		if what == "listed" {
			t.MatchedListed.Add(n)
		} else {
			t.MatchedChanges.Add(n)
		}
	}
	return nil
}
