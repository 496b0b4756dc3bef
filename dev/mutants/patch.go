package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mutant is a defect, as its patch describes it:
//
//	# The queue is not bounded.
//	test pkg/informer TestQueueIsBounded TestQueueModel
//	--- pkg/informer/queue.go
//	-		if q.deltas < q.limit {
//	+		if true {
//
// Lines with # say what the defect is. Behind "test" comes a folder, and the tests in it that must
// fail; there may be several such lines. "---" begins the changes of a file, whose path is relative
// to the root, and "@@" another change of the same file. The lines of a change are as in a diff:
// those with a blank or a minus must be in the file, in one place; those with a blank or a plus
// replace them.
type mutant struct {
	name  string
	path  string // of the patch
	tests []tests
	edits []edit
}

// tests are those of a folder that must fail.
type tests struct {
	folder string
	names  []string
}

// edit is a change of consecutive lines.
type edit struct {
	file     string
	old, new []string
}

// load reads all patches below root. It fails if one of them does not fit the code.
func load(root string) ([]mutant, error) {
	var mutants []mutant
	var problems []error
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if ok, _ := filepath.Match("*/testdata/mutants/*.patch", tail(path, 4)); !ok {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m, err := parse(path, string(text))
		if err == nil {
			_, err = m.apply(root)
		}
		if err != nil {
			problems = append(problems, err)
		}
		mutants = append(mutants, m)
		return nil
	})
	if err = errors.Join(append(problems, err)...); err != nil {
		return nil, err
	}
	if len(mutants) == 0 {
		return nil, fmt.Errorf("no testdata/mutants/*.patch below %s", root)
	}
	return mutants, nil
}

// tail returns the last n elements of a path.
func tail(path string, n int) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	return strings.Join(parts[max(len(parts)-n, 0):], "/")
}

func parse(path, text string) (mutant, error) {
	m := mutant{path: path, name: strings.TrimSuffix(filepath.Base(path), ".patch")}
	described, file := false, ""
	for n, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		wrong := func(problem string) (mutant, error) {
			return m, fmt.Errorf("%s:%d: %s: %q", path, n+1, problem, line)
		}
		switch {
		case strings.HasPrefix(line, "# ") && file == "":
			described = true
		case strings.HasPrefix(line, "test ") && file == "":
			words := strings.Fields(line)
			if len(words) < 3 {
				return wrong("expected a folder and names of tests")
			}
			m.tests = append(m.tests, tests{words[1], words[2:]})
		case strings.HasPrefix(line, "--- "):
			file = strings.TrimPrefix(line, "--- ")
			m.edits = append(m.edits, edit{file: file})
		case file == "":
			return wrong("expected a line with #, test or ---")
		case line == "@@":
			m.edits = append(m.edits, edit{file: file})
		default:
			if err := m.edits[len(m.edits)-1].add(line); err != nil {
				return wrong(err.Error())
			}
		}
	}
	if !described || len(m.tests) == 0 || len(m.edits) == 0 {
		return m, fmt.Errorf("%s: it needs a description, a test and a change", path)
	}
	return m, nil
}

func (e *edit) add(line string) error {
	switch {
	case line == "":
		e.old, e.new = append(e.old, ""), append(e.new, "")
	case line[0] == ' ':
		e.old, e.new = append(e.old, line[1:]), append(e.new, line[1:])
	case line[0] == '-':
		e.old = append(e.old, line[1:])
	case line[0] == '+':
		e.new = append(e.new, line[1:])
	default:
		return errors.New("expected a line with a blank, a plus or a minus")
	}
	return nil
}

// apply returns the changed text of each file.
func (m mutant) apply(root string) (map[string][]byte, error) {
	changed := map[string][]byte{}
	for _, e := range m.edits {
		text, ok := changed[e.file]
		if !ok {
			var err error
			if text, err = os.ReadFile(filepath.Join(root, e.file)); err != nil {
				return nil, fmt.Errorf("%s: cannot apply it: %w", m.path, err)
			}
		}
		text, err := e.apply(text)
		if err != nil {
			return nil, fmt.Errorf("%s: cannot apply it to %s: %w", m.path, e.file, err)
		}
		changed[e.file] = text
	}
	return changed, nil
}

func (e edit) apply(text []byte) ([]byte, error) {
	if len(e.old) == 0 || strings.Join(e.old, "\n") == strings.Join(e.new, "\n") {
		return nil, errors.New("the change replaces nothing")
	}
	// Whole lines: the text begins and ends with a newline for this.
	from, to := lines(e.old), lines(e.new)
	text = append([]byte("\n"), text...)
	if n := bytes.Count(text, from); n != 1 {
		return nil, fmt.Errorf("its lines are there %d times, not once:%s", n, from)
	}
	return bytes.Replace(text, from, to, 1)[1:], nil
}

func lines(of []string) []byte {
	text := "\n"
	for _, line := range of {
		text += line + "\n"
	}
	return []byte(text)
}
