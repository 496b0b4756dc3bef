package filters_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestExplain(t *testing.T) {
	pod := event.Event{Op: event.Update, Object: filtertest.NewObject(t, filtertest.LargePod(9)),
		Old: filtertest.NewObject(t, filtertest.LargePod(9))}
	other := filtertest.Update(t)
	_, caches := filtertest.Sample(t)
	var b strings.Builder
	for _, tt := range []struct {
		ev    event.Event
		texts []string
	}{
		{pod, []string{
			`any(object.status.containerStatuses, .restartCount > 5) && changed("status.containerStatuses")`,
			`label("tier") == "backend" && object.status.phase == "Running"`,
			`any(object.spec.containers[0].env, .name == "SETTING_7")`,
			`count(object.spec.containers, any(.env, .value endsWith "number 1") || .resources.limits.memory == "1Gi") == 1`,
			`let s = object.status; s.phase in ["Running", "Pending"] && len(s.containerStatuses) == 2`,
		}},
		{other, []string{
			`true`, `object.spec.nothing`, `object.spec.replicas`, `object`,
			`1 + 2 == 3 && op == "update"`, `(((object.spec.yes)))`,
			"op == \"add\" ||\n  // a comment\n  object.spec.text /* and\none more */ == 'a'",
			`1 < object.spec.replicas < 9 && object.spec.replicas not in [1, 2] and !(object.spec.no) && -object.spec.replicas < 0`, `any(object.spec.list, 1 < # < 3)`,
			`object.spec.nothing ?? object.spec.no ?? true`, `(object.spec.nothing ?: "x") == "x"`,
			`object.spec.yes ? object.spec.half == 1 : object.spec.list[0] == 1`,
			`if (object.spec.no) { initial } else if missed > 1 { object.spec.yes } else { false }`,
			`any(object.spec.list, {let x = # * 2; x > 2})`,
			`object.spec.list | filter(# > 1) | any({# == 3})`,
			`findLast(object.spec.list, # < 3) == 2 && findLastIndex(object.spec.list, # > 5) == nil`,
			`any(object.spec.deep.list, any(.k.v, # == 3)) && any([[1, 2], object.spec.list], any(#, # == 3))`, `object["sp" + "ec"].list[missed] == 3`, `{"a": [object.spec.half]}.a[0] == object.spec.list[1:][0]`,
			`cluster.name == cluster && cluster.labels["re" + "gion"] == "eu" && "a" in cluster.labels`,
			`any(clusters("services", "shop", "web"), .cluster != cluster && .object.spec.ports != nil)`,
			`cluster.labels.region == "eu" && cluster.labels.zone == nil && len(cluster.labels) > 1`,
			`sum(object.spec.list) > 5 && count([object.spec.yes, object.spec.no]) == 1`,
			`object?.spec?.m["a"] == 1 && object.spec.m.b == 2`,
			`object.spec.list == 1..3 && object.spec.big > 1e300`,
			`date(object.spec.created) > date("2026-01-01") && duration(object.spec.age) == duration("90s")`, `object.spec.list[0] == 1; object.spec.no`, `label(object.spec.names[0] + "pp") matches "^w" && annotation("x/y") == "ja"`,
			// What fails.
			`object.spec.text > 3 && initial`,
			`op == "update" && any(object.spec.mixed, # > 0 && # < 1)`, `any(object.spec.list, #)`,
			`!object.spec.list`, `object.spec.text && true`, `1..object.spec.huge == nil`,
			`any(object.spec.list, any(#, true))`,
		}},
	} {
		for _, text := range tt.texts {
			f, err := filters.Compile(lang.Expression{Text: text, File: "config.yaml", Line: 31,
				Listener: "pods", Cluster: "prod", ClusterLabels: map[string]string{"region": "eu"},
				Informers: map[string][]string{"services": nil}})
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if err := filtertest.Explain(t, f, tt.ev, caches).Write(&b); err != nil {
				t.Error(err)
			}
			b.WriteString("\n")
		}
	}
	filtertest.Golden(t, "explain", b.String())
}

// What is printed is there for programs, too.
func TestExplanation(t *testing.T) {
	text := "op == \"update\" &&\n  any(object.spec.list, 2 == #) && (initial || object.spec.x)"
	f, err := filters.Compile(lang.Expression{Text: text, File: "config.yaml", Line: 12, Column: 5})
	if err != nil {
		t.Fatal(err)
	}
	x := filtertest.Explain(t, f, event.Event{Op: event.Update,
		Object: filtertest.NewObject(t, `{"spec":{"list":[4,3,1,2,5]}}`)}, nil)
	if x.Matched || x.Err != nil || x.Value != "false" {
		t.Errorf("got %v, %v, %s", x.Matched, x.Err, x.Value)
	}
	var got []string
	var visit func(s filters.Step)
	visit = func(s filters.Step) {
		got = append(got, fmt.Sprintf("%d:%d %q %t %d %q", s.Line, s.Column, s.Text, s.Evaluated,
			s.Runs, s.Values))
		for _, c := range s.Children {
			visit(c)
		}
	}
	visit(x.Root)
	want := []string{
		fmt.Sprintf(`12:5 %q true 1 ["false"]`, text),
		`12:5 "op == \"update\"" true 1 ["true"]`,
		`12:5 "op" true 1 ["\"update\""]`,
		`13:7 "any(object.spec.list, 2 == #)" true 1 ["true"]`,
		`13:11 "object.spec.list" true 1 ["[4,3,1,2,5]"]`,
		`13:29 "2 == #" true 4 ["[0] false" "[1] false" "[3] true"]`,
		`13:34 "#" true 4 ["[0] 4" "[1] 3" "[3] 2"]`,
		`13:41 "initial || object.spec.x" true 1 ["false"]`,
		`13:41 "initial" true 1 ["false"]`,
		`13:52 "object.spec.x" true 1 ["nil"]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The condition of became is shown for the object; that it was true of old as well is said in
// words.
func TestExplanationOfBecame(t *testing.T) {
	running, pending := filtertest.NewObject(t, `{"status":{"phase":"Running"}}`),
		filtertest.NewObject(t, `{"status":{"phase":"Pending"}}`)
	for _, tt := range []struct {
		text string
		ev   event.Event
		want string
	}{
		{`became(object.status.phase == "Running")`,
			event.Event{Op: event.Update, Object: running, Old: running},
			"false  became(object.status.phase == \"Running\"): it was true of old, too\n└─ true   object.status.phase == \"Running\"\n   └─ object.status.phase = \"Running\"\n"},
		{`!became(object.status.phase == "Running")`,
			event.Event{Op: event.Update, Object: running, Old: running},
			"true   !became(object.status.phase == \"Running\")\n└─ false  became(object.status.phase == \"Running\"): it was true of old, too\n   └─ true   object.status.phase == \"Running\"\n      └─ object.status.phase = \"Running\"\n"},
		{`became(object.status.phase == "Running")`,
			event.Event{Op: event.Update, Object: running, Old: pending},
			"true   became(object.status.phase == \"Running\")\n└─ true   object.status.phase == \"Running\"\n   └─ object.status.phase = \"Running\"\n"},
		{`became(object.status.phase == "Running")`,
			event.Event{Op: event.Update, Object: pending, Old: running},
			"false  became(object.status.phase == \"Running\")\n└─ false  object.status.phase == \"Running\"\n   └─ object.status.phase = \"Pending\"\n"},
		{`"a " + object.status.phase + (" b" + object.status.phase) + "." == ""`,
			event.Event{Op: event.Add, Object: running},
			"false  \"a \" + object.status.phase + (\" b\" + object.status.phase) + \".\" == \"\"\n└─ \"a \" + object.status.phase + (\" b\" + object.status.phase) + \".\" = \"a Running bRunning.\"\n   ├─ object.status.phase = \"Running\"\n   └─ \" b\" + object.status.phase = \" bRunning\"\n      └─ object.status.phase = \"Running\"\n"},
		{`became(object.status.phase == "Running")`, event.Event{Op: event.Add, Object: running},
			"false  became(object.status.phase == \"Running\")\n└─ object.status.phase == \"Running\": not evaluated\n"},
	} {
		var b strings.Builder
		if err := filtertest.Explain(t, filtertest.Compile(t, tt.text), tt.ev, nil).Write(&b); err != nil ||
			b.String() != tt.want {
			t.Errorf("%s, %s: %v\n%s\nwant\n%s", tt.text, tt.ev.Op, err, b.String(), tt.want)
		}
	}
}

func TestExplanationOfAMessage(t *testing.T) {
	var b strings.Builder
	x := filters.MessageExplanation("a\nb", filters.Step{Text: `"a\n" + object.x`, Evaluated: true,
		Runs: 1, Values: []string{`"a\nb"`}})
	if err := x.Write(&b); err != nil || b.String() != "\"a\\n\" + object.x = \"a\\nb\"\n" {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

// same checks that an explanation has the answer of Match.
func same(t interface{ Fatalf(string, ...any) }, f *filters.Filter, ev event.Event) {
	matched, err := f.Evaluator().Match(ev)
	x := filtertest.Explain(t, f, ev, nil)
	if errors.Is(err, lang.ErrBudget) || errors.Is(x.Err, lang.ErrBudget) {
		return // which may have been time's
	}
	if x.Matched != matched || fmt.Sprint(x.Err) != fmt.Sprint(err) || x.Root.Text == "" {
		t.Fatalf("%s, %s: matched %v, %v, explained %v, %v", x.Root.Text, ev.Op,
			matched, err,
			x.Matched, x.Err)
	}
	var b strings.Builder
	if err := x.Write(&b); err != nil || b.Len() > 4<<20 {
		t.Fatalf("%s: wrote %d bytes, %v", x.Root.Text, b.Len(), err)
	}
	checkStep(t, x.Root)
}

func checkStep(t interface{ Fatalf(string, ...any) }, s filters.Step) {
	if len(s.Values) > filters.ShownRuns || s.Evaluated != (s.Runs > 0) ||
		s.Evaluated != (len(s.Values) > 0) {
		t.Fatalf("%s: evaluated %v, %d runs, %q", s.Text, s.Evaluated, s.Runs, s.Values)
	}
	for _, v := range s.Values {
		if n := len([]rune(v)); n > filters.ShownValue+20 || filters.Printable(v) != v &&
			!strings.Contains(v, " ") {
			t.Fatalf("%s: %d characters: %q", s.Text, n, v)
		}
	}
	for _, c := range s.Children {
		if c.Evaluated && !s.Evaluated {
			t.Fatalf("%s was evaluated, and not what it is part of", c.Text)
		}
		checkStep(t, c)
	}
}

func TestExplainGivesWhatMatchGives(t *testing.T) {
	ev := filtertest.Update(t)
	for _, text := range filtertest.TrueExpressions {
		f := filtertest.Compile(t, text)
		for _, op := range event.Ops {
			ev.Op = op
			same(t, f, ev)
		}
	}
}

func TestExplainGivesWhatMatchGivesOfRandomExpressions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := object.Parser{APIVersion: "v1", Kind: "Pod"}
		now, err1 := p.Parse([]byte(filtertest.DrawObject(t)))
		then, err2 := p.Parse([]byte(filtertest.DrawObject(t)))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for range 5 {
			if f, err := filters.Compile(
				lang.Expression{Text: filtertest.DrawExpression(t, 3, false)}); err == nil {
				same(t, f, event.Event{Op: event.Update, Missed: 2, Object: now, Old: then})
			}
		}
	})
}

// The text of each part means what the part means.
func TestTextsOfParts(t *testing.T) {
	n := 0
	for _, text := range append(slices.Clone(filtertest.TrueExpressions),
		`(1 + 2) * (object.a + (3)) > 0`,
		`((object.a)).b.c == [((1)), (2)]`,
		`if (object.a) { true } else { if (object.b) { (false) } else { true } }`,
		`(let x = (object.a); (x == 1))`, `object.l | map((# + 1)) | any(((# > 1)))`,
		`::lower(object.a) == "x"`, `(object.a ? (object.b) : (object.c)) == nil`,
		`not (object.a not in (object.b))`, `object.a[(1):(2)] == (nil)`) {
		tree, err := parser.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		x := lang.NewExtents(text)
		for _, node := range filters.PartsOf(tree, text) {
			got, _ := x.Text(node)
			// within a predicate # means something
			again, err := parser.Parse(`any([], {` + got + `})`)
			if err != nil {
				t.Errorf("%s: %q: %v", text, got, err)
				continue
			}
			body := again.Node.(*ast.BuiltinNode).Arguments[1].(*ast.PredicateNode).Node
			if body.String() != node.String() {
				t.Errorf("%s: %q is the text of %q", text, got, node)
			}
			n++
		}
	}
	if n < 500 {
		t.Errorf("only %d parts", n)
	}
}

func TestShortValue(t *testing.T) {
	o := filtertest.NewObject(t,
		`{"a":"x\u001b[31m\u202e\n\"","l":[null,{"k\u0007":1.50}],"big":1e400,"long":"`+
			strings.Repeat("é", 200)+`","deep":`+strings.Repeat("[", 200)+strings.Repeat("]", 200)+
			`}`)
	field := func(path string) any {
		v := object.MustCompilePath(path).Lookup(o)
		return values.Refer(&v)
	}
	tests := []struct {
		value any
		want  string
	}{
		{nil, "nil"}, {true, "true"}, {7, "7"}, {0.5, "0.5"}, {"a\tb", `"a\tb"`}, {
			field("a"), `"x\x1b[31m\u202e\n\""`}, {field("l"), `[null,{"k\a":1.50}]`}, {
			field("big"), "1e400"},
		{field("long"), `"` + strings.Repeat("é", 78) + "…"}, {
			field("deep"), strings.Repeat("[", 79) + "…"}, {[]any{1, "x", nil}, `[1,"x",null]`}, {
			[]int{1, 2}, "[1,2]"},
		{map[string]any{"b": 1, "a": []any{}}, `{"a":[],"b":1}`}, {90*time.Second + 5e6, `"1m30s"`}, {-61*time.Second - 1, `"-1m1s"`}, {1500 * time.Millisecond, `"1.5s"`}, {
			time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), `"2026-01-02T03:04:05Z"`},
		{strings.Repeat("x", 78), `"` + strings.Repeat("x", 78) + `"`}, {
			strings.Repeat("x", 79), `"` + strings.Repeat("x", 78) + "…"}, {"\xff", `"\xff"`}, {
			filters.Failed(), "failed"},
		{values.ParseImage("a"), `"docker.io/library/a:latest"`},
		{event.Update, `"update"`}, {struct{ x int }{1}, `"object"`}, {
			(*brokenStringer)(nil), `"object"`},
	}
	for _, tt := range tests {
		if got := filters.ShortValue(tt.value); got != tt.want {
			t.Errorf("%v: got %s, want %s", tt.value, got, tt.want)
		}
	}
}

type brokenStringer struct{ s string }

func (b *brokenStringer) String() string { return b.s }

// A long and a deep expression are cut, line by line.
func TestWriteIsBounded(t *testing.T) {
	ev := filtertest.Update(t)
	for _, text := range []string{strings.Repeat("!", 1900) + "initial",
		"initial" + strings.Repeat(" || initial", 600), strings.Repeat("(", 800) + "missed" +
			strings.Repeat("+1)", 800) + " > 3",
		`object.spec.text == "` + strings.Repeat("x\t\\n", 3000) + `"`} {
		f := filtertest.Compile(t, text)
		same(t, f, ev)
		var b strings.Builder
		if err := filtertest.Explain(t, f, ev, nil).Write(&b); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(line)); n > filters.ShownText+3*filters.ShownDepth+
				3*filters.ShownValue+40 {
				t.Errorf("%.20s: a line of %d characters", text, n)
			}
		}
	}
}

func TestWriteGivesTheWritersError(t *testing.T) {
	if err := filtertest.Explain(t, filtertest.Compile(t, `initial`), filtertest.Update(t),
		nil).Write(brokenWriter{}); err == nil ||
		err.Error() != "full" {
		t.Errorf("got %v", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

// Explaining overruns the same bounds.
func TestExplainIsBounded(t *testing.T) {
	f := filtertest.Compile(t, `any(object.items, any(object.items, .n < 0))`)
	x := filtertest.Explain(t, f, filtertest.Items(t, 3000), nil)
	if x.Matched || !errors.Is(x.Err, lang.ErrBudget) || x.Root.Values[0] != "failed" {
		t.Errorf("got %v, %v, %q", x.Matched, x.Err, x.Root.Values)
	}
}

// What is shown of a value is short; machines get all of it, within a bound.
func TestExplainHasWholeValues(t *testing.T) {
	for text, want := range map[string][2]string{
		`duration("50.773413161s") > duration("1s")`: {`"50.773s"`, `"50.773413161s"`},
		`duration("821.24569ms") > duration("1s")`:   {`"821ms"`, `"821.24569ms"`},
		`duration("1.5ms") > duration("1s")`:         {`"1.5ms"`, `"1.5ms"`},
	} {
		s := filtertest.Explain(t, filtertest.Compile(t, text), filtertest.Update(t), nil).Root.Children[0]
		if s.Values[0] != want[0] || s.Whole[0] != want[1] {
			t.Errorf("%s: %s, %s", text, s.Values, s.Whole)
		}
	}
	long := filtertest.Explain(t, filtertest.Compile(t, `object != nil`), event.Event{Op: event.Add,
		Object: filtertest.NewObject(t, filtertest.LargePod(9))}, nil).Root.Children[0]
	if n := len([]rune(long.Values[0])); n != 80 {
		t.Errorf("%d characters are shown", n)
	}
	if n := len([]rune(long.Whole[0])); n < 1000 || n > 10_000 {
		t.Errorf("%d characters are whole", n)
	}
}

// For any expression and objects, an explanation has the answer of Match.
func FuzzExplain(f *testing.F) {
	for _, text := range filtertest.TrueExpressions {
		f.Add(text, filtertest.After, filtertest.Before)
	}
	for _, text := range []string{
		`any(object.spec.list, any(object.spec.list, any(object.spec.list, # < 0)))`,
		`object.spec.text + object.spec.text matches "(a*)*b"`,
		`let a = object; let b = [a, a]; b == b`, `object[object]`,
		`if object.a {1} else if (op) {let x = 1; x} else {(2)} == 1`,
		`object.spec.list[object.spec.half]`, `$env["@begins0"]`, `object?.["x"]?.y`,
		`find(object.spec.list, # > 9).x.y == nil`, `1 < missed ?: 2 < 3`,
		`any(any(object.l, true) ? object.l : object.l, {1; # == 2})`,
	} {
		f.Add(text, `{"metadata":{"name":"x"},"spec":[null,[],{},"",0,1e999,-0,{"":{"":""}}]}`,
			filtertest.After)
	}
	f.Fuzz(func(t *testing.T, text, now, then string) {
		filter, err := filters.Compile(lang.Expression{Text: text})
		if err != nil {
			return
		}
		p := object.Parser{APIVersion: "v1", Kind: "Pod"}
		o, err1 := p.Parse([]byte(now))
		old, err2 := p.Parse([]byte(then))
		if err1 != nil || err2 != nil {
			return
		}
		for _, op := range event.Ops {
			same(t, filter, event.Event{Op: op, Object: o, Old: old})
		}
	})
}
