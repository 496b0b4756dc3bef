package author

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/explain"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/plugins"
)

// Test runs the cases in files and folders, and writes which pass. It is an error if one fails, or
// if there are none.
func Test(ctx context.Context, paths []string, w io.Writer) error {
	files, err := findCases(paths)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("no case to run in %s", strings.Join(paths, ", "))
	}
	t := &tester{rig: newRig(ctx), modules: map[string][]byte{}, page: page{w: w}}
	start := time.Now()
	for _, file := range files {
		if err = t.one(ctx, file); err != nil {
			break
		}
	}
	if err = errors.Join(err, t.rig.close(ctx)); err != nil {
		return err
	}
	if t.failed > 0 {
		return fmt.Errorf("%d of %s failed", t.failed, count(len(files), "case"))
	}
	t.line("ok: %s, %s, %s", count(len(files), "case"), count(t.events, "event"),
		took(time.Since(start)))
	return t.err
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

// tester runs cases, and writes the result of each.
type tester struct {
	page
	rig     *rig
	modules map[string][]byte // by path

	failed, events int
}

// result is the result of one case.
type result struct {
	failures  []string // lines: what differs from what is expected
	events    int
	unchecked int // events without expectations
}

// fail adds a failure below a head, which is empty for one of the whole case.
func (r *result) fail(head string, text ...string) {
	indent := "      "
	if head != "" {
		r.failures = append(r.failures, indent+head)
		indent += "  "
	}
	for _, line := range text {
		r.failures = append(r.failures, indent+line)
	}
}

// one runs a case. The error is not a failure of the case.
func (t *tester) one(ctx context.Context, file string) error {
	data, err := readFile(file, document.MaxSize)
	if err != nil {
		return fmt.Errorf("the case cannot be read: %w", err)
	}
	r := &result{}
	start := time.Now()
	c, err := readCase(file, data)
	var mistakes config.Errors
	switch {
	case errors.As(err, &mistakes):
		r.fail("", printableLines(mistakes.Error())...)
	case err != nil:
		return err
	default:
		if err := t.run(ctx, c, r); err != nil {
			return err
		}
	}
	t.events += r.events
	if len(r.failures) > 0 {
		t.failed++
	}
	t.show(file, r, time.Since(start))
	return t.err
}

// run runs a case. Its failures are in the result.
func (t *tester) run(ctx context.Context, c *testCase, r *result) error {
	path, err := sole(filepath.Join(filepath.Dir(c.file), ".."))
	if err == nil && t.modules[path] == nil {
		t.modules[path], err = readModule(path)
	}
	if err != nil {
		r.fail("", err.Error())
		return nil
	}
	err = t.rig.load(ctx, plugins.Spec{Listener: c.file, Path: path, Wasm: t.modules[path],
		Config: c.Config, Grants: c.grants, Limits: handlers.LimitsOf(c.Limits), Caches: explain.NewLookups()})
	var refusal *plugins.LoadError
	switch {
	case errors.As(err, &refusal):
		r.refused(c, reasonOf(refusal))
		return nil
	case err != nil:
		return err
	case c.Refused != nil:
		r.fail(fmt.Sprintf("line %d:", c.document.Line("refused")), fmt.Sprintf("it is loaded, want it refused with %q",
			*c.Refused))
	}
	return errors.Join(r.play(ctx, c, t.rig), t.rig.unload(ctx))
}

// reasonOf returns a refusal's reason without what the case has already.
func reasonOf(refusal *plugins.LoadError) string {
	var crash *plugins.CrashError
	if errors.As(refusal.Err, &crash) && crash.Reason == plugins.ReasonRefused {
		return crash.Cause.Error()
	}
	return strings.TrimPrefix(refusal.Err.Error(), fmt.Sprintf("listener %q: ", refusal.Listener))
}

func (r *result) refused(c *testCase, reason string) {
	switch {
	case c.Refused == nil:
		r.fail("", append([]string{"it is refused:"}, printableLines(reason)...)...)
	case !strings.Contains(reason, *c.Refused):
		r.fail(fmt.Sprintf("line %d:", c.document.Line("refused")), fmt.Sprintf("it is refused with %q, want %q in it",
			wording.Printable(reason), *c.Refused))
	}
}

// play feeds the events to the module and compares the results.
func (r *result) play(ctx context.Context, c *testCase, tried *rig) error {
	for n, e := range c.events {
		o, err := tried.handle(ctx, e)
		if err != nil {
			return err
		}
		r.events++
		at := document.Item("events", n)
		x := c.Events[n].Expect
		if x == nil {
			x = &expect{}
			r.unchecked++
		}
		if wrong := x.compare(o, tried.handler.Values()); len(wrong) > 0 {
			r.fail(fmt.Sprintf("event %d, line %d: %s", n+1, c.document.Line(at), title(e)), wrong...)
		}
	}
	return nil
}

func (t *tester) show(file string, r *result, lasted time.Duration) {
	word, note := "ok  ", ""
	if len(r.failures) > 0 {
		word = "FAIL"
	}
	if r.unchecked > 0 {
		note = fmt.Sprintf(", %s without expect", count(r.unchecked, "event"))
	}
	t.line("%s  %s (%s, %s%s)", word, wording.Printable(file), count(r.events, "event"), took(lasted), note)
	for _, line := range r.failures {
		t.line("%s", line)
	}
}
