package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandLines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cluster")
	f := func(want int, stdout, stderr string, args ...string) {
		t.Helper()
		var out, errOut bytes.Buffer
		if got := Main(args, &out, &errOut); got != want {
			t.Errorf("%v: exit status %d, want %d", args, got, want)
		}
		if !strings.HasPrefix(out.String(), stdout) || stdout == "" && out.Len() > 0 {
			t.Errorf("%v: stdout %q, want %q", args, &out, stdout)
		}
		if !strings.Contains(errOut.String(), stderr) || stderr == "" && errOut.Len() > 0 {
			t.Errorf("%v: stderr %q, want %q", args, &errOut, stderr)
		}
	}
	f(exitOK, "devcluster runs a Kubernetes control plane", "", "help")
	f(exitOK, "devcluster runs a Kubernetes control plane", "", "up", "-h")
	f(exitUsage, "", "missing command")
	f(exitUsage, "", `unknown command "start"`, "start")
	f(exitUsage, "", "up: --dir is missing", "up")
	f(exitUsage, "", `down: "x" is not a flag`, "down", "--dir", dir, "x")
	f(exitUsage, "", "status: flag provided but not defined: -x", "status", "--dir", dir, "--x")
	f(exitUsage, "", "--with everything: only --with controllers is allowed", "up", "--dir", dir,
		"--with", "everything")
	f(exitUsage, "", "--nodes and --kwok need --with controllers", "up", "--dir", dir, "--nodes",
		"4")
	f(exitUsage, "", "--nodes -1", "up", "--dir", dir, "--with", "controllers", "--nodes", "-1")
	f(exitOK, "", "no cluster is running in "+dir, "down", "--dir", dir)
	f(exitFailure, "", "no cluster is running in ", "status", "--dir", dir)
	f(exitFailure, "", "start one with up", "restart-apiserver", "--dir", dir)
}
