package author

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
)

// TestOptions are those of Test.
type TestOptions struct {
	Paths   []string // of cases, and of folders with cases
	Wasm    string   // the module of cases without one
	Run     string   // a regular expression for the paths of the cases that are run; empty: all
	Verbose bool     // write the result of each event
	JSON    bool
	Update  bool // write the results of events without expectations into their cases
}

// Test runs cases and writes which pass. The error is ErrFailed if one fails, or if there are none.
func Test(ctx context.Context, o TestOptions, w io.Writer) error {
	only, err := regexp.Compile(o.Run)
	if err != nil {
		return usage("--run: %v", err)
	}
	if len(o.Paths) == 0 {
		return usage("which cases? Name a folder or files")
	}
	files, err := findCases(o.Paths)
	if err != nil {
		return err
	}
	files = slices.DeleteFunc(files, func(file string) bool {
		return !only.MatchString(filepath.ToSlash(file))
	})
	if len(files) == 0 {
		return failure("no case to run in %s", strings.Join(o.Paths, ", "))
	}
	rig := newRig(ctx)
	t := &tester{rig: rig, modules: map[string][]byte{}, wasm: o.Wasm}
	r := &report{options: o, page: page{w: w}}
	start := time.Now()
	for _, file := range files {
		if err = r.one(ctx, t, file); err != nil {
			break
		}
	}
	if err = errors.Join(err, rig.close(ctx)); err != nil {
		return err
	}
	return r.end(len(files), time.Since(start))
}

// findCases returns the files of cases. In folders, objects and names that begin with a dot are
// skipped; a file that is passed by name is a case.
func findCases(paths []string) (files []string, err error) {
	add := func(file string) {
		if !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("the cases cannot be read: %w", err)
		}
		if !info.IsDir() {
			add(path)
			continue
		}
		err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case file != path && strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
			case d.Type().IsRegular() && isYAML(file) && !isObject(file):
				add(file)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("the cases cannot be read: %w", err)
		}
	}
	return files, nil
}

func isYAML(file string) bool {
	ext := filepath.Ext(file)
	return ext == ".yaml" || ext == ".yml"
}

// isObject reports whether a file is a Kubernetes object, to which cases refer.
func isObject(file string) bool {
	data, err := readFile(file, document.MaxSize)
	if err != nil {
		return false
	}
	members := document.Members(file, data)
	return slices.Contains(members, "apiVersion") && slices.Contains(members, "kind") &&
		!slices.Contains(members, "events")
}

// report writes the results of cases.
type report struct {
	page
	options TestOptions
	failed  int
	events  int
	updated int
}

// caseLine is the result of a case as JSON.
type caseLine struct {
	Case     string     `json:"case"`
	OK       bool       `json:"ok"`
	NS       int64      `json:"ns"`
	Failures []finding  `json:"failures,omitempty"`
	Log      []string   `json:"log,omitempty"`
	Events   []happened `json:"events,omitempty"`
	Updated  int        `json:"updated,omitempty"`
}

// one runs a case. The error is not a failure of the case.
func (r *report) one(ctx context.Context, t *tester, file string) error {
	res := &result{file: file}
	data, err := readFile(file, document.MaxSize)
	if err != nil {
		return fmt.Errorf("the case cannot be read: %w", err)
	}
	updated := 0
	c, err := readCase(file, data)
	var mistakes config.Errors
	switch {
	case errors.As(err, &mistakes):
		res.fail(0, printableLines(mistakes.Error())...)
	case err != nil:
		return err
	default:
		if res, err = t.run(ctx, c); err != nil {
			return err
		}
		if r.options.Update && res.unchecked > 0 && len(res.events) == len(c.Events) {
			if err := res.stale(); err != nil {
				res.fail(0, printableLines("nothing was written: "+err.Error())...)
			} else if updated, err = update(c, res, data); err != nil {
				res.fail(0, printableLines(err.Error())...)
			}
		}
	}
	r.events, r.updated = r.events+len(res.events), r.updated+updated
	if len(res.failures) > 0 {
		r.failed++
	}
	if r.options.JSON {
		return writeJSON(r.w, caseLine{file, len(res.failures) == 0, res.took.Nanoseconds(),
			res.failures, res.log, res.events, updated})
	}
	r.show(res, updated)
	return r.err
}

func (r *report) show(res *result, updated int) {
	word, note := "ok  ", ""
	switch {
	case len(res.failures) > 0:
		word = "FAIL"
	case res.unchecked > 0 && res.unchecked == len(res.events) && updated == 0:
		word, note = "none", ", nothing is expected: add expect, or use --update"
	case res.unchecked > 0 && updated == 0:
		note = fmt.Sprintf(", %s without expect", count(res.unchecked, "event"))
	}
	if updated > 0 {
		note += fmt.Sprintf(", %s written", count(updated, "expectation"))
	}
	r.line("%s  %s (%s, %s%s)", word, printable(res.file), count(len(res.events), "event"),
		took(res.took), note)
	if r.options.Verbose {
		r.row("log", printed(res.log)...)
		for n, h := range res.events {
			r.line("  -- event %d: %s", n+1, h.title)
			r.outcome(h.Outcome)
		}
	}
	for _, f := range res.failures {
		switch {
		case f.Event > 0:
			r.line("      event %d, line %d: %s", f.Event, f.Line, f.about)
		case f.Line > 0:
			r.line("      line %d:", f.Line)
		}
		indent := "        "
		if f.Event == 0 && f.Line == 0 {
			indent = "      "
		}
		for _, text := range f.Text {
			r.line("%s%s", indent, text)
		}
	}
}

func (r *report) end(cases int, whole time.Duration) error {
	if r.failed > 0 {
		return failure("%d of %s failed", r.failed, count(cases, "case"))
	}
	if !r.options.JSON {
		r.line("ok: %s, %s, %s", count(cases, "case"), count(r.events, "event"), took(whole))
	}
	return r.err
}

// update writes the results of events without expectations into the case.
func update(c *loadedCase, res *result, data []byte) (written int, err error) {
	members := map[int]string{}
	before := c.kv
	for n, h := range res.events {
		if c.Events[n].Expect == nil {
			members[n] = h.observed(before)
		}
		before = h.kv
	}
	if len(members) == 0 {
		return 0, nil
	}
	text, err := c.document.AddToItems("events", members)
	if err != nil {
		return 0, err
	}
	again, err := readCase(c.file, text)
	if err != nil {
		return 0, fmt.Errorf("%s: nothing was written, since the result would not be a case: %w",
			c.file, err)
	}
	for n := range again.Events {
		if again.Events[n].Expect == nil {
			return 0, fmt.Errorf("%s: nothing was written, since event %d could not be found again",
				c.file, n+1)
		}
	}
	info, err := os.Stat(c.file)
	if err != nil {
		return 0, err
	}
	return len(members), os.WriteFile(c.file, text, info.Mode().Perm())
}
