package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// runner builds and runs tests.
type runner struct {
	root, work string
	flags      map[string][]string // of a folder's tests
}

// baseline runs the tests that the mutants name without any of them: each must exist and pass.
func (r *runner) baseline(mutants []mutant) error {
	byFolder := map[string][]string{}
	for _, m := range mutants {
		for _, t := range m.tests {
			byFolder[t.folder] = append(byFolder[t.folder], t.names...)
		}
	}
	for folder, names := range byFolder {
		slices.Sort(names)
		names = slices.Compact(names)
		program, err := r.build(folder, "")
		if err != nil {
			return err
		}
		help, _ := exec.Command(program, "-help").CombinedOutput()
		if strings.Contains(string(help), "rapid.nofailfile") {
			r.flags[folder] = []string{"-rapid.nofailfile", "-rapid.checks=5000"}
		}
		out, err := r.test(program, folder, names, "-test.v")
		if err != nil {
			return fmt.Errorf("the tests of %s fail without a mutant:\n%s", folder, out)
		}
		for _, name := range names {
			if !strings.Contains(out, "\n--- PASS: "+name+" ") {
				return fmt.Errorf("%s has no test %s, or it was skipped", folder, name)
			}
		}
	}
	return nil
}

// try returns an error unless each test that the mutant names fails with it.
func (r *runner) try(m mutant) error {
	overlay, err := r.overlay(m)
	if err != nil {
		return err
	}
	for _, t := range m.tests {
		program, err := r.build(t.folder, overlay)
		if err != nil {
			return fmt.Errorf("%s: the changed code does not compile: %w", m.path, err)
		}
		for _, name := range t.names {
			if _, err := r.test(program, t.folder, []string{name}); err == nil {
				return fmt.Errorf("%s: SURVIVED: %s passes with it", m.path, name)
			}
		}
	}
	return nil
}

// overlay writes the mutant's files and returns the path of what go test takes as -overlay.
func (r *runner) overlay(m mutant) (string, error) {
	changed, err := m.apply(r.root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for file, text := range changed {
		original, err := filepath.Abs(filepath.Join(r.root, file))
		if err != nil {
			return "", err
		}
		copied := filepath.Join(r.work, fmt.Sprintf("%s-%d.go", m.name, len(replace)))
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			return "", err
		}
		replace[original] = copied
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(r.work, m.name+".json")
	return path, os.WriteFile(path, text, 0o600)
}

// build compiles the tests of a folder.
func (r *runner) build(folder, overlay string) (program string, err error) {
	program = filepath.Join(r.work, "tests")
	args := []string{"test", "-c", "-o", program}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command("go", append(args, "./"+folder)...)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build the tests of %s: %w\n%s", folder, err, out)
	}
	return program, nil
}

// test runs tests from their own folder, where they find their data.
func (r *runner) test(program, folder string, names []string, flags ...string) (string, error) {
	args := []string{"-test.short", "-test.timeout=5m", "-test.run=^(" + strings.Join(names, "|") +
		")$"}
	cmd := exec.Command(program, slices.Concat(args, r.flags[folder], flags)...)
	cmd.Dir = filepath.Join(r.root, folder)
	out, err := cmd.CombinedOutput()
	return "\n" + string(out), err
}
