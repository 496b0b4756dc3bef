package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With --against, plan says what a reload would change, also from standard input, of a
// configuration whose modules are elsewhere.
func TestPlanAgainst(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	now := write("now.yaml", ofTwo)
	before := strings.Replace(ofTwo, "nodes: {", "nodes: {handler: {wasm: none.wasm}, ", 1)
	old := write("old.yaml", before)
	bad := write("bad.yaml", strings.Replace(ofTwo, "kind: Config", "kind: Pod", 1))
	changed := "listener nodes: changed handler\n--- " + old + "\n+++ " + now + "\n"
	for _, c := range []struct {
		args           []string
		stdin          string
		code           int
		stdout, stderr string // how they begin
	}{
		{[]string{"--against", old}, "", exitOK, changed, ""},
		{[]string{"--against", "-"}, before, exitOK, "listener nodes: changed handler\n", ""},
		{[]string{"--against", now}, "", exitOK, "nothing has changed\n", ""},
		{[]string{"--against", bad}, "", exitConfig, "", bad + ":2:"},
		{[]string{"--against", ""}, "", exitUsage, "", "informerd: --against names no file"},
		{[]string{"--against", old, "-l", "nodes"}, "", exitOK, changed, ""},
		{[]string{"--against", old, "-l", "pods"}, "", exitOK, "nothing has changed", ""},
		{[]string{"--against", old, "--against", old}, "", exitUsage, "",
			"informerd: --against " + old + " is there twice"},
		{[]string{"--against", old, "--exit-code"}, "", exitRun, changed, ""},
		{[]string{"--against", old, "--exit-code", "-o", "json"}, "", exitRun, "{\n", ""},
		{[]string{"--against", now, "--exit-code"}, "", exitOK, "nothing has changed\n", ""},
		{[]string{"--against", old, "--exit-code", "-l", "pods"}, "", exitOK,
			"nothing has changed\n", ""},
		{[]string{"--against", bad, "--exit-code"}, "", exitConfig, "", bad + ":2:"},
		{[]string{"--against", old, "--exit-code", "-l", "podz"}, "", exitUsage, "", `informerd: --listener: there is no listener "podz"`},
		{[]string{"--exit-code"}, "", exitUsage, "", "informerd: --exit-code says what --against finds"},
		{[]string{"--against", dir}, "", exitUsage, "", "informerd: --against " + dir + " is a folder"},
		{[]string{"--against", filepath.Join(dir, "none")}, "", exitConfig, "",
			filepath.Join(dir, "none") + ": the configuration cannot be read"},
	} {
		var stdout, stderr bytes.Buffer
		code := execute(append([]string{"plan", now}, c.args...), strings.NewReader(c.stdin),
			&stdout, &stderr)
		if code != c.code || !strings.HasPrefix(stdout.String(), c.stdout) ||
			!strings.HasPrefix(stderr.String(), c.stderr) || c.stderr == "" && stderr.Len() > 0 {
			t.Errorf("%q: exit code %d\n%s%s", c.args, code, &stdout, &stderr)
		}
	}
	var stdout, stderr bytes.Buffer
	Main([]string{"plan", now, "--against", old, "-o", "json"}, &stdout, &stderr)
	var got planDifference
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || len(got.Changes) != 1 ||
		got.Changes[0].Name != "nodes" || len(got.Lines) == 0 {
		t.Errorf("%v\n%s%s", err, &stdout, &stderr)
	}
}
