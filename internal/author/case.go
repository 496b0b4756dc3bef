package author

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// testCase is a file with events for the module in the folder above, and the expected results.
// Fields that are missing are not checked.
type testCase struct {
	// Description is for readers.
	Description string `json:"description"`
	// Config, Grants and Limits are as those of a handler in a configuration, with the same
	// defaults.
	Config json.RawMessage `json:"config"`
	Grants config.Grants   `json:"grants"`
	Limits config.Limits   `json:"limits"`
	// Refused is part of the text with which the module is refused when it is loaded. There are no
	// events then.
	Refused *string `json:"refused"`
	// Events are what the module gets, one after the other.
	Events []caseEvent `json:"events"`

	document *document.File
	file     string
	events   []event.Event // of Events, with their objects
	grants   plugins.Grants
}

// caseEvent is an event with the expected result.
type caseEvent struct {
	// Op is add, update, delete or resync. Default: update if there is an old object, else add.
	Op event.Op `json:"op"`
	// Object is the object, and File a file with it, relative to the folder of the case. One of
	// them is required.
	Object json.RawMessage `json:"object"`
	File   string          `json:"file"`
	// Old and OldFile are the same for the object before an update.
	Old     json.RawMessage `json:"old"`
	OldFile string          `json:"oldFile"`
	// Expect is the expected result. An event without one must not crash.
	Expect *expect `json:"expect"`
}

// expect is the expected result of an event.
type expect struct {
	// Verdict is done, drop, retry or fail.
	Verdict string `json:"verdict"`
	// Emitted is all that it emits. Missing data are not compared.
	Emitted []emission `json:"emitted"`
	// Fuel is the most that it may use.
	Fuel int `json:"fuel"`
	// KV are all values that it has then.
	KV map[string]string `json:"kv"`
}

// readCase reads and checks a case. The error is a config.Errors.
func readCase(file string, data []byte) (*testCase, error) {
	c := &testCase{file: file}
	var err error
	if c.document, err = config.ReadDocument("case", file, data, c); err != nil {
		return nil, err
	}
	config.CheckHandler(c.document, &c.Grants, &c.Limits, "")
	c.checkEvents()
	if err := c.document.Err(); err != nil {
		return nil, err
	}
	c.grants, err = handlers.TrialGrants(c.Grants)
	return c, err
}

func (c *testCase) wrong(field, hint, format string, args ...any) {
	c.document.Wrong(field, field+" "+fmt.Sprintf(format, args...)).Hint = hint
}

func (c *testCase) checkEvents() {
	switch {
	case c.Refused != nil && len(c.Events) > 0:
		c.wrong("refused", "remove it or the events",
			"is set, and there are events, which a module that is refused does not get")
	case c.Refused == nil && c.document.Missing("", "events"):
		c.document.Wrong("", "the case has no events")
	case c.Refused == nil && c.document.Good("events") && len(c.Events) == 0:
		c.wrong("events", "", "is an empty list")
	}
	var parser object.Parser
	for i := range c.Events {
		field := document.Item("events", i)
		if e, ok := c.event(&c.Events[i], field, &parser); ok {
			c.events = append(c.events, e)
		}
		if x := c.Events[i].Expect; x != nil {
			c.checkExpect(x, field+".expect")
		}
	}
}

// event reads the objects of an event.
func (c *testCase) event(given *caseEvent, field string, parser *object.Parser) (e event.Event,
	ok bool) {
	text := config.EventText{Op: given.Op}
	var isThere, old bool
	if text.Object, isThere, ok = c.object(field, "object", "file", given.Object,
		given.File); !ok {
		return e, false
	}
	if !isThere && c.document.Good(field) {
		c.wrong(field, "add object, or file with the path of one", "has no object")
		return e, false
	}
	if text.Old, old, ok = c.object(field, "old", "oldFile", given.Old, given.OldFile); !ok {
		return e, false
	}
	err := text.Complete(old)
	if err == nil {
		e, err = parseEvent(text, parser)
	}
	if err != nil {
		c.document.Wrong(field, field+": "+err.Error())
		return e, false
	}
	return e, true
}

// object returns an object that is in the case, or in a file of it.
func (c *testCase) object(event, inline, file string, object json.RawMessage,
	path string) (text []byte, isThere, ok bool) {
	in, named := c.document.Has(event+"."+inline), c.document.Has(event+"."+file)
	switch {
	case in && named:
		c.wrong(event, "keep one of them", "has both %s and %s", inline, file)
		return nil, true, false
	case in:
		return object, true, c.document.Good(event + "." + inline)
	case !named:
		return nil, false, true
	case !c.document.Good(event + "." + file):
		return nil, true, false
	}
	text, err := config.ReadObject(filepath.Join(filepath.Dir(c.file), path))
	if err != nil {
		c.document.Wrong(event+"."+file, event+"."+file+": "+err.Error())
		return nil, true, false
	}
	return text, true, true
}

var verdicts = []string{"done", "drop", "retry", "fail"}

func (c *testCase) checkExpect(x *expect, field string) {
	if c.document.Good(field+".verdict") && !slices.Contains(verdicts, x.Verdict) {
		c.wrong(field+".verdict", "", "must be done, drop, retry or fail, is %q", x.Verdict)
	}
	if x.Verdict != "" && x.Verdict != "done" && len(x.Emitted) > 0 {
		c.wrong(field+".emitted", "", "is set, but nothing is emitted with the verdict %s",
			x.Verdict)
	}
	if c.document.Good(field+".fuel") && x.Fuel < 1 {
		c.wrong(field+".fuel", "", "must be at least 1, is %d", x.Fuel)
	}
}

// compare returns the differences from what is expected, a line each. KV is what the module has
// then.
func (x *expect) compare(o outcome, kv map[string]string) (wrong []string) {
	if o.crash != nil {
		wrong = append(wrong, "it crashed:")
		for _, line := range crashLines(o.crash) {
			wrong = append(wrong, "  "+line)
		}
		return wrong
	}
	if x.Verdict != "" && x.Verdict != o.Verdict {
		reason := ""
		if o.Message != "" {
			reason = " (" + wording.Printable(o.Message) + ")"
		}
		wrong = append(wrong, fmt.Sprintf("verdict is %s%s, want %s", o.Verdict, reason, x.Verdict))
	}
	if x.Emitted != nil {
		wrong = append(wrong, x.compareEmitted(o.Emitted)...)
	}
	if x.KV != nil && !maps.Equal(kv, x.KV) {
		wrong = append(wrong, fmt.Sprintf("kv is %s, want %s", short(kv), short(x.KV)))
	}
	if x.Fuel > 0 && o.Fuel > int64(x.Fuel) {
		wrong = append(wrong, fmt.Sprintf("fuel is %d, want at most %d", o.Fuel, x.Fuel))
	}
	return wrong
}

func (x *expect) compareEmitted(emitted []emission) (wrong []string) {
	for i := range max(len(emitted), len(x.Emitted)) {
		switch {
		case i >= len(emitted):
			wrong = append(wrong, fmt.Sprintf("emitted[%d] is missing, want %s", i,
				short(x.Emitted[i])))
		case i >= len(x.Emitted):
			wrong = append(wrong, fmt.Sprintf("emitted[%d] is not wanted, is %s", i,
				short(emitted[i])))
		case !x.Emitted[i].matches(emitted[i]):
			wrong = append(wrong, fmt.Sprintf("emitted[%d] is %s, want %s", i, short(emitted[i]),
				short(x.Emitted[i])))
		}
	}
	return wrong
}

// matches reports whether what a module emitted is as expected. Missing data are not compared.
func (e emission) matches(got emission) bool {
	return e.Type == got.Type && (e.Data == nil || sameJSON(e.Data, got.Data))
}

// sameJSON reports whether two texts are the same JSON value.
func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// String returns the type, or "(data)" without one, and the data.
func (e emission) String() string {
	return wording.Printable(strings.TrimSpace(cmp.Or(e.Type, "(data)") + " " + oneLine(e.Data)))
}
