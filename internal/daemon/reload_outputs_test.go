package daemon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// isOpen reports whether the process has a file open.
func isOpen(t *testing.T, path string) bool {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, fd := range all {
		if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == path {
			return true
		}
	}
	return false
}

// An output is closed when no listener uses it any more: one that waits for a cache to be complete
// still uses its output of before.
func TestAnOutputIsClosedWhenNobodyUsesIt(t *testing.T) {
	dir := t.TempDir()
	const listeners = "informers: {teams: {resource: configmaps}}\nlisteners:\n  pods: {informer: {resource: pods}, resync: 1s, outputs: [file]"
	const looks = `, filter: 'cached("teams", "shop", "a") != nil'`
	config := func(file, rest string) string {
		return "outputs: {file: {file: {path: " + filepath.Join(dir, file) + "}}}\n" + listeners +
			rest + "}\n"
	}
	lines := func(file string) int {
		text, _ := os.ReadFile(filepath.Join(dir, file))
		return strings.Count(string(text), "\n")
	}
	more := func(file string) {
		t.Helper()
		before := lines(file)
		eventually(t, func() error {
			if n := lines(file); n <= before {
				return fmt.Errorf("%s has %d lines, as before:\n", file, n)
			}
			return nil
		})
	}
	closed := func(file string) {
		t.Helper()
		eventually(t, func() error {
			if isOpen(t, filepath.Join(dir, file)) {
				return fmt.Errorf("%s is open", file)
			}
			return nil
		})
	}
	k := kubernetesWith(t, teamsAndPods())
	release := k.withhold("configmaps")
	d := startReloadable(t, config("a", ""), k)
	more("a")
	d.reload(t, config("b", looks))
	more("a")
	d.reload(t, config("c", looks))
	closed("b") // it never was used
	more("a")
	release()
	more("c")
	closed("a")
	if !isOpen(t, filepath.Join(dir, "c")) {
		t.Error("the output that is used is not open")
	}
	d.reload(t, config("c", looks+", workers: 3"))
	more("c")
	d.stop(t)
	closed("c")
	d.expectNoFailure(t)
}

// expectNoFailure expects the log to speak of no attempt that failed.
func (d *reloadable) expectNoFailure(t *testing.T) {
	t.Helper()
	for line := range strings.Lines(d.log.String()) {
		if strings.Contains(line, "level=WARN") && !strings.Contains(line, "suspicious setting") ||
			strings.Contains(line, "level=ERROR") || strings.Contains(line, "retried") {
			t.Error(line)
		}
	}
}

// A receiver is exchanged over and over, while messages are on their way: nothing fails.
func TestReceiversAreExchanged(t *testing.T) {
	var took, wrong atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		if err != nil {
			wrong.Add(1)
		}
		took.Add(int64(strings.Count(string(text), `"op":`)))
	}))
	defer server.Close()
	config := func(n int) string {
		return fmt.Sprintf("outputs: {hook: {webhook: {url: \"%s/%d\"}}}\nlisteners:\n"+
			"  pods: {informer: {resource: pods}, resync: 1s, outputs: [hook]}\n"+
			"  also: {informer: {resource: pods}, resync: 1s, outputs: [hook]}\n", server.URL, n)
	}
	var items []string
	for n := range 100 { // more would be a test of the machine
		items = append(items, named("shop", fmt.Sprint("p", n), "", ""))
	}
	d := startReloadable(t, config(0), kubernetesWith(t, map[string][]string{"pods": items}))
	for n := range 30 {
		if got := d.reload(t, config(n+1)); !strings.Contains(got, "output hook changed") {
			t.Fatal(got)
		}
	}
	eventually(t, func() error {
		if n := took.Load(); n < 400 {
			return fmt.Errorf("%d of 400 messages came", n)
		}
		return nil
	})
	d.stop(t)
	d.expectNoFailure(t)
	if wrong.Load() > 0 {
		t.Errorf("%d requests were cut off", wrong.Load())
	}
}
