package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/testcache"
	"github.com/informerd/informerd/pkg/plugins"
)

// asProgram has this test program be informerd, for those that call it.
const asProgram = "INFORMERD_IN_TEST"

func TestMain(m *testing.M) {
	plugins.CompilerMain()
	if os.Getenv(asProgram) != "" {
		os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	removeCache := testcache.Use()
	code := m.Run()
	removeCache()
	os.Exit(code)
}

// program returns the path of a program that is informerd: the one of $INFORMERD_BIN, which was not
// built for the race detector and so compiles handlers within seconds, or else these tests.
func program(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("INFORMERD_BIN"); path != "" {
		return path
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "informerd")
	script := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", asProgram, self)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// needs skips the test where a language has no compiler, unless GUESTS=required.
func needs(t *testing.T, missing bool, what string) {
	t.Helper()
	if !missing {
		return
	}
	if os.Getenv("GUESTS") == "required" {
		t.Fatalf("GUESTS=required: %s", what)
	}
	t.Skip(what)
}

const installed = "../../plugins/sdk/assemblyscript/node_modules"

// A project of each language builds and passes its tests at once, and the other commands work on
// it.
func TestPluginNewInEveryLanguage(t *testing.T) {
	if testing.Short() {
		t.Skip("compilers take seconds")
	}
	informerd := program(t)
	for _, language := range []string{"go", "c", "rust", "as"} {
		t.Run(language, func(t *testing.T) {
			dir, name := t.TempDir(), "first-"+language
			code, stdout, stderr := run(dir, "plugin new --lang "+language+" @/made/"+name)
			if code != exitOK || !strings.HasPrefix(stdout, "@/made/"+name+": a handler in ") {
				t.Fatalf("exit %d: %s%s", code, stdout, stderr)
			}
			project := filepath.Join(dir, "made", name)
			if language == "as" {
				linkInstalled(t, project)
			}
			makeProject(t, project, informerd)

			wasm := "@/made/" + name + "/" + name + ".wasm"
			object := " -e @/made/" + name + "/cases/objects/failed.yaml"
			inspected := inspectedABI(t, dir, wasm)
			if !strings.Contains(inspected, "  grants    none needed\n") ||
				!strings.Contains(inspected, "shows the names of functions") {
				t.Errorf("inspect:\n%s", inspected)
			}
			listener := "-c @/made/" + name + "/informerd.yaml -l " + strings.ToLower(name)
			_, stdout, stderr = run(dir, "plugin run "+listener+object)
			if !strings.Contains(stdout, `  emitted   com.example.`+name+
				` {"reason":"NodeLost"}`+"\n") {
				t.Errorf("run: %s%s", stdout, stderr)
			}
			code, stdout, stderr = run(dir, "plugin bench "+listener+object)
			if code != exitOK || !strings.Contains(stdout, "  rate      ") {
				t.Errorf("bench: exit %d: %s%s", code, stdout, stderr)
			}
			if code, stdout, stderr = run(dir, "validate --config @/made/"+name+
				"/informerd.yaml"); code != exitOK {
				t.Errorf("validate: exit %d: %s%s", code, stdout, stderr)
			}
		})
	}
}

// linkInstalled takes the compiler that the repository has in the place of one from the network.
func linkInstalled(t *testing.T, project string) {
	t.Helper()
	from, err := filepath.Abs(installed)
	if err != nil {
		t.Fatal(err)
	}
	_, missing := os.Stat(from)
	_, node := exec.LookPath("node")
	needs(t, missing != nil || node != nil, "AssemblyScript needs node and its compiler: make asc")
	if err := os.Symlink(from, filepath.Join(project, "node_modules")); err != nil {
		t.Fatal(err)
	}
}

// makeProject runs make, with its tests. That exit status 3 says that there is no compiler is known
// from make's output only.
func makeProject(t *testing.T, project, informerd string) {
	t.Helper()
	_, missing := exec.LookPath("make")
	needs(t, missing != nil, "there is no make")
	for _, target := range []string{"build", "test"} {
		command := exec.Command("make", target, "INFORMERD="+informerd)
		command.Dir = project
		command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "MAKEFLAGS=")
		text, err := command.CombinedOutput()
		var exit *exec.ExitError
		needs(t, errors.As(err, &exit) && bytes.Contains(text, []byte("Error 3")), string(text))
		if err != nil {
			t.Fatalf("make %s: %v\n%s", target, err, text)
		}
		if target == "test" && !bytes.Contains(text, []byte("ok: 3 cases, 4 events, ")) {
			t.Errorf("make test:\n%s", text)
		}
	}
}

func inspectedABI(t *testing.T, dir, wasm string) string {
	t.Helper()
	code, stdout, stderr := run(dir, "plugin inspect "+wasm)
	if code != exitOK || !strings.Contains(stdout, "  abi       informerd/v1\n") {
		t.Errorf("inspect: exit %d: %s%s", code, stdout, stderr)
	}
	return stdout
}

func TestPluginNewRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "full", "mine"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "full", "mine", "notes"), []byte("keep"),
		0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("a", 64)
	for args, want := range map[string]string{
		"--lang go":                 "informerd plugin new takes one folder, found 0 arguments",
		"mine":                      "which language? Add --lang go, rust, as or c",
		"--lang cobol mine":         `--lang "cobol": there are go, rust, as (AssemblyScript) and c`,
		"--lang go my_handler":      `"my handler": a name has letters, digits and dashes, and begins with a letter`,
		"--lang go 1st":             `"1st": a name has letters, digits and dashes, and begins with a letter`,
		"--lang go " + long:         "the name has 64 characters, at most 63 are allowed",
		"--lang go @/full/mine":     "the folder @/full/mine is not empty: choose another name",
		"--lang go @/full/mine too": "informerd plugin new takes one folder, found 2 arguments",
	} {
		code, stdout, stderr := run(dir, "plugin new "+args)
		if code != exitUsage || stdout != "" || stderr != "informerd: "+want+
			strings.Replace(usageHint, "COMMAND", "plugin new", 1) {
			t.Errorf("%s: exit %d: %s%s\nwant %s", args, code, stdout, stderr, want)
		}
	}
	if code, _, stderr := run(dir, "plugin new --lang go @/file/mine"); code != exitRun ||
		!strings.Contains(stderr, "not a directory") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", "*", "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("there is %v, %v", left, err)
	}
}
