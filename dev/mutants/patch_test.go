package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who changes code that a mutant is about learns here which patch has to follow.
func TestEachPatchFitsTheCode(t *testing.T) {
	mutants, err := load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(mutants) < 33 {
		t.Errorf("there are only %d mutants", len(mutants))
	}
	for _, m := range mutants {
		for _, tests := range m.tests {
			code := testCode(t, filepath.Join("../..", tests.folder))
			for _, name := range tests.names {
				if !strings.Contains(code, "\nfunc "+name+"(") {
					t.Errorf("%s: %s has no test %s", m.path, tests.folder, name)
				}
			}
		}
	}
}

// testCode returns the text of a folder's tests.
func testCode(t *testing.T, folder string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(text)
	}
	return code.String()
}

const queue = "package queue\n\nfunc full(n int) bool {\n\treturn n > 9\n}\n"

const unbounded = "# No queue is full.\ntest queue TestFull\n--- queue/queue.go\n func full(n int) bool {\n-\treturn n > 9\n+\treturn false\n }\n"

// repository writes a file of code and a patch for it, and returns their root.
func repository(t *testing.T, code, patch string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module queue\n\ngo 1.26\n",
		"queue/queue.go": code,
		"queue/queue_test.go": "package queue\n\nimport \"testing\"\n\n" +
			"func TestFull(t *testing.T) {\n\tif !full(10) {\n\t\tt.Error(\"not full\")\n\t}\n}\n\n" +
			"func TestEmpty(t *testing.T) {\n\tif full(0) {\n\t\tt.Error(\"full\")\n\t}\n}\n",
		"queue/testdata/mutants/unbounded.patch": patch,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestWhatIsWrongWithAMutant(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short nothing is built")
	}
	fail := func(name, code, patch, want string) {
		t.Helper()
		err := run(repository(t, code, patch), nil)
		if want == "" && err == nil {
			return
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	fail("it is caught", queue, unbounded, "")
	fail("it survives", queue, strings.Replace(unbounded, "TestFull", "TestFull TestEmpty", 1),
		"unbounded.patch: SURVIVED: TestEmpty passes with it")
	fail("the code has changed", strings.Replace(queue, "n > 9", "n >= 10", 1), unbounded,
		"unbounded.patch: cannot apply it to queue/queue.go: its lines are there 0 times, not once")
	fail("the file has moved", queue, strings.Replace(unbounded, "queue/queue.go", "queue/fifo.go",
		1),
		"unbounded.patch: cannot apply it: open ")
	fail("there is no such test", queue, strings.Replace(unbounded, "TestFull", "TestFul", 1),
		"queue has no test TestFul")
	fail("it does not compile", queue, strings.Replace(unbounded, "return false", "return 0", 1),
		"unbounded.patch: the changed code does not compile")
	fail("it fails anyhow", strings.Replace(queue, "n > 9", "n > 99", 1),
		strings.Replace(unbounded, "n > 9", "n > 99", 1),
		"the tests of queue fail without a mutant")
	fail("it changes nothing", queue, strings.Replace(unbounded, "return false", "return n > 9", 1),
		"the change replaces nothing")
	fail("no tests", queue, strings.Replace(unbounded, "test queue TestFull\n", "", 1),
		"it needs a description, a test and a change")
	fail("a line that is none", queue, unbounded+"func\n",
		"unbounded.patch:8: expected a line with a blank, a plus or a minus: \"func\"")
	if err := run(repository(t, queue, unbounded), []string{"bounded"}); err == nil ||
		err.Error() != `unknown mutant "bounded"` {
		t.Error(err)
	}
}
