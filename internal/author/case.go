package author

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

// result is the result of one case.
type result struct {
	file     string
	failures []finding
	events   []happened
	log      []string // while it was loaded
	took     time.Duration

	module    string // its file
	unchecked int    // events without expectations
}

// finding is a difference from what is expected. Without an event it is about the whole case.
type finding struct {
	Event int      `json:"event,omitempty"` // from 1
	Line  int      `json:"line,omitempty"`
	Text  []string `json:"text"`

	about string
}

// happened is an event and its result.
type happened struct {
	Op     string `json:"op"`
	Object string `json:"object"`
	Outcome
	title string
	kv    map[string]string
}

func (r *result) fail(line int, text ...string) {
	r.failures = append(r.failures, finding{Line: line, Text: text})
}

// tester runs cases.
type tester struct {
	rig     *rig
	modules map[string][]byte // by path
	wasm    string            // for cases without one
}

// run runs a case. Its failures are in the result.
func (t *tester) run(ctx context.Context, c *loadedCase) (*result, error) {
	r := &result{file: c.file}
	start := time.Now()
	defer func() { r.took = time.Since(start) }()
	path, err := t.module(c)
	if err != nil {
		r.fail(0, err.Error())
		return r, nil
	}
	r.module = path
	spec := plugins.Spec{Listener: c.file, Path: path, Wasm: t.modules[path], Config: c.Config,
		Grants: c.grants,
		Limits: handlers.LimitsOf(c.Limits), Caches: c.caches}
	around := setting{web: &web{answers: c.answers}, kv: c.kv, now: c.Now}
	sub, err := t.rig.load(ctx, spec, around)
	var refusal *plugins.LoadError
	switch {
	case errors.As(err, &refusal):
		r.refused(c, reasonOf(refusal))
		return r, nil
	case err != nil:
		return nil, err
	}
	r.log = append(sub.log, sub.notes...)
	if c.Refused != nil {
		r.fail(c.document.Line("refused"), fmt.Sprintf("it is loaded, want it refused with %q",
			*c.Refused))
	}
	err = r.play(ctx, c, sub)
	return r, errors.Join(err, sub.close(ctx))
}

// module reads the module of a case.
func (t *tester) module(c *loadedCase) (path string, err error) {
	switch dir := filepath.Dir(c.file); {
	case c.Wasm != "" && filepath.IsAbs(c.Wasm):
		path = c.Wasm
	case c.Wasm != "":
		path = filepath.Join(dir, c.Wasm)
	case t.wasm != "":
		path = t.wasm
	default:
		if path, err = sole(filepath.Join(dir, "..")); err != nil {
			return "", err
		}
	}
	if t.modules[path] == nil {
		if t.modules[path], err = readModule(path); err != nil {
			return "", err
		}
	}
	return path, nil
}

// reasonOf returns a refusal's reason without what the case has already.
func reasonOf(refusal *plugins.LoadError) string {
	var crash *plugins.CrashError
	if errors.As(refusal.Err, &crash) && crash.Reason == plugins.ReasonRefused {
		return crash.Cause.Error()
	}
	return strings.TrimPrefix(refusal.Err.Error(), fmt.Sprintf("listener %q: ", refusal.Listener))
}

func (r *result) refused(c *loadedCase, reason string) {
	switch {
	case c.Refused == nil:
		r.fail(0, append([]string{"it is refused:"}, printableLines(reason)...)...)
	case !strings.Contains(reason, *c.Refused):
		r.fail(c.document.Line("refused"), fmt.Sprintf("it is refused with %q, want %q in it",
			printable(reason), *c.Refused))
	}
}

// play feeds the events to the module and compares the results.
func (r *result) play(ctx context.Context, c *loadedCase, sub *subject) error {
	for n, e := range c.events {
		o, err := sub.handle(ctx, e)
		if err != nil {
			return err
		}
		h := happened{Op: e.Op.String(), Object: e.Object.Key().String(), Outcome: o,
			title: title(e), kv: sub.values.All()}
		r.events = append(r.events, h)
		r.expect(c, n, e, h)
	}
	for _, a := range sub.web.unused() {
		r.fail(a.line, fmt.Sprintf("the request %s was not made", printable(a.method+" "+a.url)))
	}
	return nil
}

func (r *result) expect(c *loadedCase, n int, e event.Event, h happened) {
	x := c.Events[n].Expect
	if x == nil {
		x = &Expect{}
		r.unchecked++
	}
	wrong := x.compare(h)
	for _, asked := range h.Requests {
		if asked.Answer == unexpected {
			asked.Answer = "it was not expected"
			wrong = append(wrong, "the request "+asked.String())
		}
	}
	if len(wrong) == 0 {
		return
	}
	line := c.document.Line(document.Item("events", n) + ".expect")
	if line == 0 {
		line = c.document.Line(document.Item("events", n))
	}
	r.failures = append(r.failures, finding{Event: n + 1, Line: line, Text: wrong, about: title(e)})
}

// compare returns the differences, a line each.
func (x *Expect) compare(h happened) (wrong []string) {
	switch {
	case h.Crash != nil && x.Crash != h.Crash.Reason:
		wrong = append(wrong, "it crashed:")
		for _, line := range crashLines(*h.Crash) {
			wrong = append(wrong, "  "+line)
		}
		return wrong
	case h.Crash == nil && x.Crash != "":
		wrong = append(wrong, fmt.Sprintf("its verdict is %s, want a crash of reason %s", h.Verdict,
			x.Crash))
	}
	if x.Verdict != "" && x.Verdict != h.Verdict {
		reason := ""
		if h.Message != "" {
			reason = " (" + printable(h.Message) + ")"
		}
		wrong = append(wrong, fmt.Sprintf("verdict is %s%s, want %s", h.Verdict, reason, x.Verdict))
	}
	if x.Message != nil && *x.Message != h.Message {
		wrong = append(wrong, fmt.Sprintf("message is %s, want %s", short(h.Message),
			short(*x.Message)))
	}
	if x.Emitted != nil {
		wrong = append(wrong, x.compareEmitted(h.Emitted)...)
	}
	if x.Log != nil {
		wrong = differences("log", list(h.Log), list(x.Log), wrong)
	}
	if x.KV != nil {
		wrong = differences("kv", values(h.kv), values(x.KV), wrong)
	}
	if x.Fuel > 0 && h.Fuel > int64(x.Fuel) {
		wrong = append(wrong, fmt.Sprintf("fuel is %d, want at most %d", h.Fuel, x.Fuel))
	}
	return wrong
}

func (x *Expect) compareEmitted(emitted []Emission) (wrong []string) {
	var got, want []any
	for i, e := range emitted {
		unchecked := i < len(x.Emitted) && x.Emitted[i].Data == nil
		got = append(got, e.value(unchecked))
	}
	for _, e := range x.Emitted {
		want = append(want, e.value(false))
	}
	return differences("emitted", got, want, nil)
}

// value returns an emission as JSON decodes it.
func (e Emission) value(withoutData bool) any {
	members := map[string]any{}
	if e.Type != "" {
		members["type"] = e.Type
	}
	if e.Data != nil && !withoutData {
		data, err := decoded(e.Data)
		if err != nil {
			data = string(e.Data)
		}
		members["data"] = data
	}
	return members
}

func list(lines []string) []any {
	all := make([]any, len(lines))
	for i, line := range lines {
		all[i] = line
	}
	return all
}

func values(kv map[string]string) map[string]any {
	all := make(map[string]any, len(kv))
	for key, value := range kv {
		all[key] = valueText(value)
	}
	return all
}

// observed returns the result of an event as an expectation, in YAML.
func (h happened) observed(before map[string]string) string {
	var b strings.Builder
	b.WriteString("expect:\n")
	member := func(name string, value any) {
		fmt.Fprintf(&b, "  %s: %s\n", name, flow(value))
	}
	if h.Crash != nil {
		fmt.Fprintf(&b, "  crash: %s\n", h.Crash.Reason)
		return b.String()
	}
	fmt.Fprintf(&b, "  verdict: %s\n", h.Verdict)
	if h.Message != "" {
		member("message", h.Message)
	}
	items := func(name string, all []string) {
		if len(all) > 0 {
			fmt.Fprintf(&b, "  %s:\n    - %s\n", name, strings.Join(all, "\n    - "))
		}
	}
	var emitted, log []string
	for _, e := range h.Emitted {
		// Decoded and encoded again, since JSON has escapes that YAML lacks.
		ordered := struct {
			Type any `json:"type,omitempty"`
			Data any `json:"data,omitempty"`
		}{}
		members := e.value(false).(map[string]any)
		ordered.Type, ordered.Data = members["type"], members["data"]
		emitted = append(emitted, flow(ordered))
	}
	for _, line := range h.Log {
		log = append(log, flow(line))
	}
	items("emitted", emitted)
	items("log", log)
	if !maps.Equal(before, h.kv) {
		member("kv", values(h.kv))
	}
	return b.String()
}

// flow returns a value as JSON that is also YAML.
func flow(v any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return "null" // cannot happen: it was decoded from JSON
	}
	return string(escapeControls([]byte(strings.TrimSpace(b.String()))))
}
