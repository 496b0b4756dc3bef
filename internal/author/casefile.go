package author

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/config/objects"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// Case is a file with events for a module and the expected results. Fields that are missing are not
// checked.
type Case struct {
	// Description is for readers.
	Description string `json:"description"`
	// Wasm is the module's file, relative to the folder of the case. Default: that of the command
	// line, or the only one in the folder above that of the case.
	Wasm string `json:"wasm"`
	// Config, Grants and Limits are as those of a handler in a configuration, with the same
	// defaults.
	Config json.RawMessage `json:"config"`
	Grants config.Grants   `json:"grants"`
	Limits config.Limits   `json:"limits"`
	// Now is the time in the module. Default: the real one.
	Now time.Time `json:"now"`
	// KV are the values that it finds.
	KV map[string]string `json:"kv"`
	// Cache are the objects in the caches of informers, by the informer's name, and Indexes are
	// indexes there, the name of each with the path of its field.
	Cache   map[string][]json.RawMessage `json:"cache"`
	Indexes map[string]map[string]string `json:"indexes"`
	// HTTP are the requests that it must make, each once and in any order, with their answers. It
	// must make no others.
	HTTP []Exchange `json:"http"`
	// Refused is part of the text with which the module is refused when it is loaded. There are no
	// events then.
	Refused *string `json:"refused"`
	// Events are what the module gets, one after the other.
	Events []CaseEvent `json:"events"`
}

// Exchange is a request and its answer.
type Exchange struct {
	Request struct {
		// Method is that of the request. Default: GET.
		Method string `json:"method"`
		// URL is the whole URL. Required.
		URL string `json:"url"`
		// Headers are those that the request must have, among others. Default: any.
		Headers map[string]string `json:"headers"`
		// Body is what the request must have, a text or a value. Default: anything.
		Body json.RawMessage `json:"body"`
	} `json:"request"`
	Answer struct {
		// Unavailable: the server cannot be reached. Default: false.
		Unavailable bool `json:"unavailable"`
		// Status is 200 to 599. Default: 200.
		Status int `json:"status"`
		// Headers are those of the answer.
		Headers map[string]string `json:"headers"`
		// Body is a text, or a value that is sent as JSON. Default: none.
		Body json.RawMessage `json:"body"`
	} `json:"answer"`
}

// CaseEvent is an event with the expected result.
type CaseEvent struct {
	// Op is add, update, delete or resync. Default: update if there is an old object, else add.
	Op event.Op `json:"op"`
	// Object is the object, and File a file with it, relative to the folder of the case. One of
	// them is required.
	Object json.RawMessage `json:"object"`
	File   string          `json:"file"`
	// Old and OldFile are the same for the object before an update.
	Old     json.RawMessage `json:"old"`
	OldFile string          `json:"oldFile"`
	// The rest is as for EventText.
	Initial           bool    `json:"initial"`
	FinalStateUnknown bool    `json:"finalStateUnknown"`
	Missed            int     `json:"missed"`
	Resumed           bool    `json:"resumed"`
	Expect            *Expect `json:"expect"`
}

// Expect is the expected result of an event.
type Expect struct {
	// Verdict is done, drop, retry or fail.
	Verdict string `json:"verdict"`
	// Message is the module's reason.
	Message *string `json:"message"`
	// Emitted is all that it emits. Missing data are not compared.
	Emitted []Emission `json:"emitted"`
	// Log are all lines that it writes, as in "info: text", or "stdout: text" for what it prints.
	Log []string `json:"log"`
	// Fuel is the most that it may use.
	Fuel int `json:"fuel"`
	// KV are all values that it has then.
	KV map[string]string `json:"kv"`
	// Crash is the reason of a crash: trap, deadline, fuel, memory, exit or protocol. Any crash
	// that is not expected fails the case.
	Crash string `json:"crash"`
}

// loadedCase is a case that was read, with everything in it parsed.
type loadedCase struct {
	Case
	document *config.Document
	file     string
	events   []event.Event
	caches   caches
	grants   plugins.Grants
	kv       map[string]string
	answers  []*answer
}

// readCase reads and checks a case. The error is a config.Errors.
func readCase(file string, data []byte) (*loadedCase, error) {
	c := &loadedCase{file: file}
	var err error
	if c.document, err = config.ReadDocument("case", file, data, &c.Case); err != nil {
		return nil, err
	}
	d := c.document
	d.CheckHandler(&c.Grants, &c.Limits, "")
	c.checkEvents()
	c.checkHTTP()
	c.checkCaches()
	c.kv = c.values("kv", c.KV)
	if err := d.Err(); err != nil {
		return nil, err
	}
	c.grants, err = handlers.TrialGrants(c.Grants, false)
	return c, err
}

func (c *loadedCase) wrong(field, hint, format string, args ...any) {
	c.document.Wrong(field, hint, field+" "+fmt.Sprintf(format, args...))
}

func (c *loadedCase) checkEvents() {
	switch {
	case c.Refused != nil && len(c.Events) > 0:
		c.wrong("refused", "remove it or the events",
			"is set, and there are events, which a module that is refused does not get")
	case c.Refused == nil && c.document.Missing("", "events"):
		c.document.Wrong("", "add events, or refused if the module is to be refused",
			"the case has no events")
	case c.Refused == nil && c.document.Good("events") && len(c.Events) == 0:
		c.wrong("events", "", "is an empty list")
	}
	var parser object.Parser
	for i := range c.Events {
		field := document.Item("events", i)
		e, ok := c.event(&c.Events[i], field, &parser)
		if ok {
			c.events = append(c.events, e)
		}
		if x := c.Events[i].Expect; x != nil {
			c.checkExpect(x, field+".expect")
		}
	}
}

// event reads the objects of an event.
func (c *loadedCase) event(given *CaseEvent, field string, parser *object.Parser) (e event.Event,
	ok bool) {
	text := config.EventText{Op: given.Op, Initial: given.Initial,
		FinalStateUnknown: given.FinalStateUnknown, Missed: given.Missed,
		Resumed: given.Resumed}
	var isThere, old bool
	text.Object, isThere, ok = c.object(field, "object", "file", given.Object, given.File)
	if !ok {
		return e, false
	}
	if !isThere && c.document.Good(field) {
		c.wrong(field, "add object, or file with the path of one", "has no object")
		return e, false
	}
	if text.Old, old, ok = c.object(field, "old", "oldFile", given.Old, given.OldFile); !ok {
		return e, false
	}
	if err := text.Complete(old); err != nil {
		c.document.Wrong(field, "", field+": "+err.Error())
		return e, false
	}
	e, err := parseEvent(text, parser)
	if err != nil {
		c.document.Wrong(field, "", field+": "+err.Error())
		return e, false
	}
	return e, true
}

// object returns an object that is in the case, or in a file of it.
func (c *loadedCase) object(event, inline, file string, object json.RawMessage,
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
	text, err := objects.One(filepath.Join(filepath.Dir(c.file), path))
	if err != nil {
		c.document.Wrong(event+"."+file, "", event+"."+file+": "+err.Error())
		return nil, true, false
	}
	return text, true, true
}

var (
	verdicts = []string{"done", "drop", "retry", "fail"}
	reasons  = []string{"trap", "deadline", "fuel", "memory", "exit", "protocol"}
)

func (c *loadedCase) checkExpect(x *Expect, field string) {
	word := func(name, value string, words []string) {
		if c.document.Good(field+"."+name) && !slices.Contains(words, value) {
			last := len(words) - 1
			c.wrong(field+"."+name, "", "must be %s or %s, is %q", strings.Join(words[:last], ", "),
				words[last], value)
		}
	}
	word("verdict", x.Verdict, verdicts)
	word("crash", x.Crash, reasons)
	if x.Crash != "" && (x.Verdict != "" || x.Message != nil || x.Emitted != nil) {
		c.wrong(field, "", "has a crash, and what only a verdict brings")
	}
	if x.Verdict != "" && x.Verdict != "done" && len(x.Emitted) > 0 {
		c.wrong(field+".emitted", "", "is set, but nothing is emitted with the verdict %s",
			x.Verdict)
	}
	if c.document.Good(field+".fuel") && x.Fuel < 1 {
		c.wrong(field+".fuel", "", "must be at least 1, is %d", x.Fuel)
	}
	x.KV = c.values(field+".kv", x.KV)
}

func (c *loadedCase) checkHTTP() {
	c.answers = []*answer{} // and not nil, which means that there is no case
	for i := range c.HTTP {
		x, field := &c.HTTP[i], document.Item("http", i)
		if !c.document.Has(field+".request.url") && !c.document.Has(field) {
			continue // it is not a mapping
		}
		if x.Request.URL == "" && c.document.Good(field) {
			c.wrong(field, "add request: {url: https://…}", "has no request.url")
			continue
		}
		a := &answer{method: x.Request.Method, url: x.Request.URL, headers: x.Request.Headers,
			unavailable: x.Answer.Unavailable,
			status:      x.Answer.Status, answers: x.Answer.Headers, text: body(x.Answer.Body),
			line: c.document.Line(field)}
		if c.document.Has(field + ".request.body") {
			a.body = append([]byte{}, body(x.Request.Body)...)
		}
		if a.method == "" {
			a.method = "GET"
		}
		if !c.document.Has(field + ".answer.status") {
			a.status = 200
		} else if a.status < 200 || a.status > 599 {
			c.wrong(field+".answer.status", "", "must be 200 to 599, is %d", a.status)
		}
		if a.unavailable && (len(a.text) > 0 || len(a.answers) > 0 || x.Answer.Status != 0) {
			c.wrong(field+".answer", "", "is unavailable, and so has no status, headers or body")
		}
		c.answers = append(c.answers, a)
	}
}

// body returns what is sent for a value: the text of a string, other values as JSON.
func body(value json.RawMessage) []byte {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return []byte(text)
	}
	return value
}

func (c *loadedCase) checkCaches() {
	c.caches = caches{}
	var parser object.Parser
	for name, objects := range c.Cache {
		c.caches.cache(name)
		for i, text := range objects {
			field := document.Item("cache."+name, i)
			if !c.document.Good(field) {
				continue
			}
			o, err := parser.Parse(text)
			if err == nil {
				err = c.caches.cache(name).add(o)
			}
			if err != nil {
				c.document.Wrong(field, "", field+": "+err.Error())
			}
		}
	}
	for name, indexes := range c.Indexes {
		for index, path := range indexes {
			if err := c.caches.cache(name).index(index, path); err != nil {
				field := "indexes." + name + "." + index
				c.document.Wrong(field, "", field+": "+err.Error())
			}
		}
	}
}

// inBase64 is the prefix of a value of kv that is not text.
const inBase64 = "base64:"

// values returns values of kv, with those decoded that are not text.
func (c *loadedCase) values(field string, given map[string]string) map[string]string {
	if given == nil {
		return nil
	}
	decoded := make(map[string]string, len(given))
	for key, value := range given {
		if code, ok := strings.CutPrefix(value, inBase64); ok {
			b, err := base64.StdEncoding.DecodeString(code)
			if err != nil {
				c.wrong(field, "", "has the value %q, which is not base64", value)
			}
			value = string(b)
		}
		decoded[key] = value
	}
	return decoded
}

// valueText is the inverse of values.
func valueText(value string) string {
	if utf8.ValidString(value) && !strings.HasPrefix(value, inBase64) &&
		!strings.ContainsRune(value, 0) {
		return value
	}
	return inBase64 + base64.StdEncoding.EncodeToString([]byte(value))
}
