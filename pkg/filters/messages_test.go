package filters_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

func messageEvaluator(t testing.TB, kind lang.Kind, text string) *eval.Evaluator {
	t.Helper()
	source := filtertest.SampleSource(text)
	// outputs are shared by listeners
	source.Kind, source.Listener, source.Cluster, source.Output = kind, "", "", "out"
	return filtertest.SampleEvaluator(t, source, nil)
}

// about is a message without a report.
func about(t testing.TB, text string) *lang.Message {
	return &lang.Message{Event: event.Event{Op: event.Add, Object: filtertest.NewObject(t, text)},
		Cluster: "c", ClusterLabels: map[string]string{"region": "us", "a.b/c": "d"},
		Listener: "l", Resource: "nodes", Name: "n1", UID: "u", Type: "t", ID: "i",
		Subject: "nodes//n1"}
}

func TestMatchMessage(t *testing.T) {
	report, plain := filtertest.SampleMessage(t), about(t, `{"metadata":{"name":"n1"}}`)
	plain.Event.Resumed = true
	for text, want := range map[string][2]bool{ // of the report, and of the other
		`severity in ["high", "critical"]`: {true, false},
		`rule == nil`:                      {false, true},
		`rule == nil && severity == nil && message == nil && violated == nil && since == nil`: {
			false, true},
		`violated`:                          {true, false},
		`not violated`:                      {false, true},
		`violated == false`:                 {false, false},
		`data == nil`:                       {false, true},
		`data.n[1] == 2.5`:                  {true, false},
		`data.nothing.at.all == nil`:        {true, true},
		`namespace == ""`:                   {false, true},
		`cluster == "c" && listener == "l"`: {false, true},
		`cluster.name == "c" && cluster.labels.region == "us"`: {false, true},
		`cluster.labels.region == "eu"`:                        {true, false},
		`cluster.labels["a.b/c"] != "d"`:                       {true, false},
		`"region" in cluster.labels`:                           {true, true},
		`"zone" in cluster.labels`:                             {false, false},
		`cluster.labels.zone == nil`:                           {true, true},
		`resource == "pods" || name == "n1"`:                   {true, true},
		`name == object.metadata.name`:                         {true, true},
		`changed("status.phase")`:                              {true, false},
		`became(object.status.phase == "Running")`:             {true, false},
		`became(object.status.phase == "Running" && violated)`: {true, false},
		`op == "update" && old.status.phase == "Pending"`:      {true, false},
		`initial || missed > 1`:                                {true, false},
		`resumed`:                                              {false, true},
		`age(since) > "9m" && age(since) < "11m"`:              {true, false},
		`since > date("2026-01-02")`:                           {true, false},
		`any(data.n, # == 1)`:                                  {true, false},
		`resource + "/" + namespace + "/" + name == subject`:   {true, true},
		`let n = name; n startsWith "web" && n == name`:        {true, false},
	} {
		e := messageEvaluator(t, lang.KindWhen, text)
		for i, m := range []*lang.Message{report, plain, report} {
			if ok, err := e.MatchMessage(m); ok != want[i%2] || err != nil {
				t.Errorf("%s, %d: %v, %v", text, i, ok, err)
			}
		}
	}
}

// A rule that reports since time has passed has no op.
func TestAMessageWithoutAnOp(t *testing.T) {
	m := filtertest.SampleMessage(t)
	m.Event.Op, m.Event.Old = 0, nil
	for text, want := range map[string]bool{
		`op == ""`: true, `op != "add"`: true, `old == nil`: true, `changed("spec")`: false,
		`op != "add" && op != "update" && op != "delete" && op != "resync"`: true,
	} {
		e := messageEvaluator(t, lang.KindWhen, text)
		if ok, err := e.MatchMessage(m); ok != want || err != nil {
			t.Errorf("%s: %v, %v", text, ok, err)
		}
	}
	source := filtertest.SampleSource(
		`op != "add" && op != "update" && op != "delete" && op != "resync"`)
	source.Kind = lang.KindWhen
	f, err := filters.Compile(source)
	if err != nil || len(f.Warnings()) > 0 || len(f.Conditions().List) > 0 ||
		!f.Conditions().Ops.Has(event.Add) {
		t.Error(err, f.Warnings(), f.Conditions())
	}
}

func TestJSONOf(t *testing.T) {
	m := filtertest.SampleMessage(t)
	m.Event.Object = filtertest.NewObject(t,
		`{"metadata":{"name":"web-1"},"big":1e400,"exact":1.50,`+
			`"huge":12345678901234567890, "text":"a\u00e9\"\n<&>","null":null,"list":[1, {"b":2,"a":1}]}`)
	for text, want := range map[string]string{
		`nil`: `null`, `true`: `true`, `1`: `1`, `-2.5`: `-2.5`, `1e21`: `1e+21`, `0.1`: `0.1`,
		`"x\"\\\n\u0001ü<"`:           `"x\"\\\u000a\u0001ü<"`,
		`object.big`:                  `1e400`,
		`object.exact`:                `1.50`,
		`object.huge`:                 `12345678901234567890`,
		`object.text`:                 `"a\u00e9\"\n<&>"`,
		`object.text + ""`:            `"aé\"\u000a<&>"`,
		`object.null`:                 `null`,
		`object.nothing.at.all`:       `null`,
		`object.list`:                 `[1, {"b":2,"a":1}]`,
		`object.list[1:]`:             `[{"b":2,"a":1}]`,
		`[object.list, object.null]`:  `[[1, {"b":2,"a":1}],null]`,
		`1 / 0`:                       `null`,
		`object.big * 1`:              `null`,
		`[]`:                          `[]`,
		`{}`:                          `{}`,
		`1..3`:                        `[1,2,3]`,
		`{"b": 1, "a": {"x": [nil]}}`: `{"a":{"x":[null]},"b":1}`,
		`{"text": rule + " on " + name, "ok": !violated}`: `{"ok":false,"text":"restarts on web-1"}`,
		`{name: name, "n": object.list}`:                  `{"n":[1, {"b":2,"a":1}],"name":"web-1"}`,
		`since`:                                           `"2026-01-02T03:05:00Z"`,
		`age(since)`:                                      `"10m0s"`,
		`quantity("1024Mi")`:                              `"1Gi"`,
		`semver("v1.2")`:                                  `"1.2.0"`,
		`data`:                                            `{"team": "shop", "n": [1, 2.50]}`,
		`[cluster.name, cluster.labels]`:                  `["prod-eu-1",{"a.b/c":"","region":"eu"}]`,
		`data.n`:                                          `[1, 2.50]`,
		`map(data.n, ({"v": #}))`:                         `[{"v":1},{"v":2.50}]`,
		`filter(data.n, # > 1)`:                           `[2.50]`,
		`keys(object.list[1])`:                            `["b","a"]`,
		`object.list == object.list`:                      `true`,
		`len(object.list)`:                                `2`,
		`old.spec.containers[1].name`:                     `"proxy"`,
		`{"object": object, "old": false}`: `{"object":` + m.Event.Object.JSON() +
			`,"old":false}`,
	} {
		e := messageEvaluator(t, lang.KindData, text)
		for range 2 {
			got, err := e.JSONOf(m)
			if err != nil || got != want || !json.Valid([]byte(got)) {
				t.Errorf("%s: %s, %v, want %s", text, got, err, want)
			}
		}
	}
	e := messageEvaluator(t, lang.KindData, `object`)
	whole, err := e.JSONOf(m)
	if err != nil || whole != m.Event.Object.JSON() {
		t.Error(whole, err)
	}
	// it does not change with the next message
	other, err := e.JSONOf(filtertest.SampleMessage(t))
	if err != nil || other == whole || whole != m.Event.Object.JSON() {
		t.Error(other, err)
	}
}

func TestTextOf(t *testing.T) {
	m := filtertest.SampleMessage(t)
	long := strings.Repeat("ü", 30_000)
	m.Event.Object = filtertest.NewObject(t,
		`{"a":"`+long+`","b":"`+long+`","c":"`+long+long+`","n":2.5,"l":[]}`)
	for text, want := range map[string]string{
		`"k8s." + cluster + "." + resource`: "k8s.prod-eu-1.pods",
		`namespace + "." + name`:            "shop.web-1",
		`cluster.labels.region`:             "eu",
		`cluster.labels.zone`:               "",
		`violated ? "firing" : "resolved"`:  "firing",
		`object.n`:                          "2.5",
		`nil`:                               "",
		`"x" + object.nothing`:              "",
		`since`:                             "2026-01-02T03:05:00Z",
		`object.a`:                          long,
		`severity + " " + message`:          "high web-1 restarted 9 times",
		`data.team`:                         "shop",
	} {
		e := messageEvaluator(t, lang.KindText, text)
		for range 2 {
			got, err := e.TextOf(m)
			if err != nil || got != want || !utf8.ValidString(got) {
				t.Errorf("%s: %q, %v", text, got, err)
			}
		}
	}
	for text, want := range map[string]string{
		`object.c`:            `config.yaml:12:8: output "out": the text has more than 65536 bytes`,
		`object.a + object.b`: `config.yaml:12:10: output "out": the expression made a text of more than 65536 bytes`,
		`object.l`:            `config.yaml:12:8: output "out": this expression must return text, this returned list`,
		`data`:                `config.yaml:12:1: output "out": this expression must return text, this returned object`,
	} {
		got, err := messageEvaluator(t, lang.KindText, text).TextOf(m)
		var ee *lang.EvalError
		if got != "" || !errors.As(err, &ee) || err.Error() != want || ee.Output != "out" ||
			errors.Is(err, lang.ErrBudget) != strings.Contains(want, "more than") {
			t.Errorf("%s: %.50q, %v", text, got, err)
		}
	}
}

// Data is bounded, for any object and expression.
func TestJSONIsBounded(t *testing.T) {
	m := filtertest.SampleMessage(t)
	m.Event.Object = filtertest.NewObject(t, `{"a":"`+strings.Repeat("x", 1<<20)+`"}`)
	doubled := `let x0 = []; `
	for i := range 30 {
		doubled += fmt.Sprintf("let x%d = [x%d, x%[2]d]; ", i+1, i)
	}
	doubled += "x30"
	for _, text := range []string{
		`[object, object, object, object, object]`, `map(1..9, object)`, doubled,
		`map(1..99, ({"a": object.a[0:60000]}))`,
		`{"a": [object.a, object.a], "b": map(1..3, object)}`,
	} {
		got, err := messageEvaluator(t, lang.KindData, text).JSONOf(m)
		if got != "" || !errors.Is(err, lang.ErrBudget) {
			t.Errorf("%.60s: %d bytes, %v", text, len(got), err)
		}
	}
	if got, err := messageEvaluator(t, lang.KindData, `[object, object, object]`).JSONOf(
		m); err != nil ||
		len(got) < 3<<20 {
		t.Error(len(got), err)
	}
}

// What outputs do not have, and what they must return, is said when they are compiled.
func TestCompileErrorsOfOutputs(t *testing.T) {
	schema := &lang.Schema{Type: "object", Fields: map[string]*lang.Schema{
		"spec": {Type: "object", Fields: map[string]*lang.Schema{
			"replicas": {Type: "integer"}, "list": {Type: "array"}}}}}
	when, data, text := []lang.Kind{lang.KindWhen}, []lang.Kind{lang.KindData},
		[]lang.Kind{lang.KindText}
	all := []lang.Kind{lang.KindWhen, lang.KindData, lang.KindText}
	for _, tt := range []struct {
		kinds      []lang.Kind
		text, want string
	}{
		{all, `severty == "high"`, `unknown name "severty"; did you mean "severity"?`},
		{all, `cached("nodes", "", name) == nil`,
			`cached is not available in outputs; ask for other objects in the filter or in a handler`},
		{all, `byIndex("services", "app", name) == nil`,
			`byIndex is not available in outputs; ask for other objects in the filter or in a handler`},
		{all, `clusters("nodes", "", name) == []`,
			`clusters is not available in outputs; ask for other objects in the filter or in a handler`},
		{all, `object.spec.replica == 1`,
			`there is no field replica in object.spec; did you mean replicas?`},
		{all, `b"x"`, `bytes are not available in outputs; write a text in quotes`},
		{all, `op == "created"`, `op is never "created"; did you mean "add"?`},
		{all, `let name = 1; true`, `cannot redeclare name`},
		{all, ``, `the expression is empty`},
		{all, `cluster.region == ""`,
			`cluster has no such field; there are cluster.name and cluster.labels`},
		{when, `cluster.labels.a`,
			`when must return true or false, cluster.labels.a is a string; compare it, as in cluster.labels.a != nil`},
		{text, `cluster.labels`, `this expression must return text, cluster.labels is an object`},
		{when, `name`, `when must return true or false, this returns string`},
		{when, `[violated]`, `when must return true or false, this returns list`},
		{when, `object.spec.replicas`,
			`when must return true or false, object.spec.replicas is an integer; compare it, as in object.spec.replicas != nil`},
		{text, `{"a": 1}`, `this expression must return text, this returns object`},
		{text, `[name]`, `this expression must return text, this returns list`},
		{text, `object.spec.list`, `this expression must return text, object.spec.list is a list`},
		{text, `{{ .name }} is broken`,
			`a map key must be a quoted string, a number, a identifier, or an expression enclosed in parentheses (unexpected token Bracket("{"))`},
		{data, `[1, map(object.spec.list, {"v": #, "w": [.a]})]`,
			`unexpected ":"; here it is written as in map(object.spec.containers, ({name: .name, image: .image}))`},
		{data, "{\"a\": name\n \"b\": namespace}", `unexpected "b"`},
		{data, `{"a": name, 'b': "x" 'c': namespace}`, `unexpected "c"`},
		{data, `{"a": "x" name}`, `unexpected "name"`},
		{data, `{"a": name`, `the expression ends too early`},
	} {
		for _, kind := range tt.kinds {
			_, err := filters.Compile(lang.Expression{Text: tt.text, Kind: kind, Output: "out",
				Schema: schema, Informers: map[string][]string{"nodes": nil, "services": {"app"}}})
			var ce *lang.CompileError
			if !errors.As(err, &ce) || ce.Message != tt.want ||
				!strings.Contains(err.Error(), `output "out": `) {
				t.Errorf("%s %s: %v\nwant %s", kind.Word().Name, tt.text, err, tt.want)
			}
		}
	}
	_, err := filters.Compile(lang.Expression{Text: `severity == "high"`})
	if err == nil || !strings.Contains(err.Error(),
		`unknown name "severity"; only the expressions of outputs have it`) {
		t.Error(err)
	}
}

// The names of messages are free in all other expressions.
func TestNamesOfMessagesAreFreeElsewhere(t *testing.T) {
	ev, _ := filtertest.Sample(t)
	for _, name := range lang.MessageVariables {
		if name == "type" {
			continue // a name of expr
		}
		text := "let " + name + " = object.spec.nothing; " + name + " == nil && (" + name +
			" + 1) == nil"
		if ok, err := filtertest.SampleEvaluator(t, filtertest.SampleSource(text),
			nil).Match(ev); !ok ||
			err != nil {
			t.Errorf("%s: %v, %v", text, ok, err)
		}
	}
}

func TestTheWrongQuestionOfMessages(t *testing.T) {
	m := filtertest.SampleMessage(t)
	words := map[lang.Kind]string{
		lang.KindFilter: "a filter: use Match", lang.KindMessage: "a message: use Text",
		lang.KindWhen: "a when: use MatchMessage", lang.KindData: "a data: use JSONOf",
		lang.KindText: "a text: use TextOf",
	}
	for kind, word := range words {
		e := messageEvaluator(t, kind, `true`)
		questions := map[string]func() error{
			"Match":        func() error { _, err := e.Match(m.Event); return err },
			"Text":         func() error { _, err := e.Text(m.Event); return err },
			"MatchMessage": func() error { _, err := e.MatchMessage(m); return err },
			"JSONOf":       func() error { _, err := e.JSONOf(m); return err },
			"TextOf":       func() error { _, err := e.TextOf(m); return err },
		}
		for method, ask := range questions {
			err, right := ask(), strings.HasSuffix(word, " "+method)
			if right && err != nil || !right && (err == nil ||
				err.Error() != `config.yaml:12:1: output "out": this expression is `+word) {
				t.Errorf("%s of %s: %v", method, word, err)
			}
		}
	}
}

func TestExplainMessage(t *testing.T) {
	m := filtertest.SampleMessage(t)
	explained := func(kind lang.Kind, text string) string {
		source := filtertest.SampleSource(text)
		source.Kind = kind
		f, err := filters.Compile(source)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := filtertest.ExplainMessage(t, f, m).Write(&b); err != nil {
			t.Fatal(err)
		}
		if x := filtertest.ExplainMessage(t, f, m); x.Matched && kind != lang.KindWhen {
			t.Errorf("%s: %v", text, x)
		}
		return b.String()
	}
	for _, tt := range []struct {
		kind       lang.Kind
		text, want string
	}{
		{lang.KindWhen, `severity == "high" && name == "db"`,
			"false  severity == \"high\" && name == \"db\"\n├─ true   severity == \"high\"\n│  └─ severity = \"high\"\n└─ false  name == \"db\"\n   └─ name = \"web-1\"\n"},
		{lang.KindData, `{"a": data.n}`,
			"{\"a\": data.n} = {\"a\":[1,2.50]}\n└─ data.n = [1,2.50]\n"},
		{lang.KindText, `name`, "name = \"web-1\"\n"},
	} {
		if got := explained(tt.kind, tt.text); got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.text, got, tt.want)
		}
	}
}

// An evaluator of an output is used again and again, for messages of several listeners, and
// keeps nothing of one for the next.
func TestMessagesOneAfterAnother(t *testing.T) {
	e := messageEvaluator(t, lang.KindText,
		`listener + "/" + name + "/" + string(data.a) + "/" + string(since)`)
	e.Clock = func() time.Time { return time.Time{} }
	for i, tt := range []struct{ listener, name, data, want string }{
		{"a", "x", `{"a":1}`, "a/x/1/2026-01-02T03:05:00Z"},
		{"b", "y", ` {"a" : "z"} `, "b/y/z/2026-01-02T03:05:00Z"},
		{"b", "y", ``, ""},
		{"b", "y", `[1]`, ""},
		{"c", "", `{"a":true}`, "c//true/2026-01-02T03:05:00Z"},
	} {
		m := filtertest.SampleMessage(t)
		m.Listener, m.Name, m.Data = tt.listener, tt.name, tt.data
		if got, err := e.TextOf(m); got != tt.want || err != nil {
			t.Errorf("%d: %q, %v", i, got, err)
		}
	}
}
