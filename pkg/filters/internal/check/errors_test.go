package check_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/check"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/event"
)

func TestCompileErrors(t *testing.T) {
	var b strings.Builder
	for _, text := range []string{
		``, " \n ", `object.`, `object.spec = 1`, `any(object.spec.list, # > 1`, `"open`, `1 +`,
		`a &`,
		"op == \"add\" &&\n\tobejct.spec.x == 1", `opp == "add"`, `colour`, `chnaged("x")`,
		`xyzzy("x")`, `now()`, `repeat("x", 9)`, `groupBy(object.x, .y)`, `toJSON(object)`,
		`op == "udpate"`, `"deleted" != op`, `op in ["add", "patch"]`, `op == "something else"`,
		`op == 5`, `op + 1 == 2`, `missed`, `op`, `nil`, `len(object.spec.x)`, `[1]`, `1..3`,
		`date("2026-01-01")`, `date("2026-01-01") * 2 == nil`, `object.x > [1]`, `object.x in 5`,
		`changed()`, `changed(object.spec)`, `changed("spec..x")`, `changed("")`, `label()`,
		`label(5)`, `label("a", "b")`, `annotation(nil)`, `lower()`, `trim("a", "b", "c")`,
		`len(1, 2)`,
		`date("2026-01-01", "x", "Europe/Berlin") == nil`, `date(object.x).Unix() > 5`,
		`object.foo()`, `$env.op == "add"`, `$env == nil`,
		`object.name matches "("`, `object.name matches "(a{1000}){1000}"`,
		`object.name matches "` + strings.Repeat("x", values.MaxPattern+1) + `"`,
		`object.name matches "(abcdefghijklmnop){999}"`,
		`any(object.a, any(.b, any(.c, # == 1)))`, `5 in 1..100000`, `{(object.x): 1}.x == 1`,
		`b"x" == object.x`, `.foo == 1`, `# == 1`, `let op = 1; true`,
		`let x = 1; let x = 2; x == 1`,
		`became()`, `became(5)`, `became(object.a == 1 && op == "update")`, `became(old.x == 1)`,
		`became(changed("x"))`, `became(became(object.x))`, `let x = object.a; became(x == 1)`,
		`let x = label("a"); let y = [x]; became(5 in y)`, `any(object.list, became(.x == 1))`,
		`any(object.list, {let y = #; became(y)})`,
		`owner()`, `owner(5)`, `condition("a", "b")`, `quantity("abc") > 5`,
		`quantity("1e999999999") > 5`, `quantity() == nil`, `quantity(object.x) > "1 GB"`,
		`"1GB" < quantity(object.x)`, `quantity(object.x) in ["1Gi", "x"]`,
		`quantity(object.x) == true`, `sum(object.l, quantity(.x)) > "lots"`,
		`quantity("1Gi").value == 1`, `quantity(object.x) + quantity("1") > "two"`,
		`quantity(object.x) / 2 > "1"`, `2 / quantity(object.x) > "1"`,
		`quantity(object.x) % 2 > "1"`, `quantity(object.x) * quantity("1") > "1"`,
		`quantity(object.x) + age() > "1"`, `quantity(object.x) + "one" > "1"`,
		`"lots" - quantity(object.x) > "1"`,
		`age() + "soon" > "1h"`, `age() / 2 > "1h"`, `semver(object.x) + 1 > "2.0.0"`,
		`ip(object.x) + 1 == "10.0.0.2"`, `image(object.x) + ":1" == "a:1"`,
		`duration("10 minutes") == nil`, `duration(5)`, `age() > "10 m"`, `age() > 600`,
		`"1w" < age()`, `age("yesterday") == nil`, `age(5) == nil`, `age("a", "b") == nil`,
		`duration(object.x) in ["1h", "1y"]`,
		`semver("one.two") == nil`, `semver(object.x) < "1.x"`, `semver(object.x).majr == 1`,
		`semver(object.x) >= 1.28`, `ip("10.0.0.256") == nil`, `ip(object.x) == "host"`,
		`ip(object.x) in "10.0.0.0/33"`, `ip(object.x) in cidr("10.0.0.0")`,
		`"10.0.0" in cidr(object.x)`, `"10.0.0.0/x" in cidr(object.x)`, `ip(object.x).octet == 1`,
		`glob("*")`, `glob("*", 5)`, `glob("` + strings.Repeat("*", values.MaxPattern+1) +
			`", object.x)`,
		`image("Not An Image") == nil`, `image(object.x).tags == nil`,
		`image(object.x).version == nil`,
		`cached("pod", "a", "b") == nil`, `cached("things", "a", "b") == nil`,
		`cached(object.x, "a", "b") == nil`, `cached("pods") == nil`, `cached() == nil`,
		`cached("pods", 5, "b") == nil`,
		`clusters("pod", "a", "b") == []`, `clusters(object.x, "a", "b") == []`, `clusters("pods", "a") == []`,
		`any(clusters("pods", "a", "b"), .clutser == "c")`, `clusters("pods", "a", "b")[0].metadata.name == "b"`,
		`clusters("pods", "a", "b")[0].cluster`, `clustres("pods", "a", "b") == []`,
		`let clusters = 1; true`, `clusters == []`,
		`byIndex("slices", "servce", "a") == []`, `byIndex("slices", object.x, "a") == []`,
		`byIndex("pods", "node", "a") == []`, `byIndex("slices", "service") == []`,
		`clutser == "a"`, `let cluster = 1; true`, `let image = 1; true`,
		`cluster.region == "eu"`, `cluster["a.b/c"] == 1 && colour`, `cluster[0] == "p"`,
		`cluster[object.x] == 1`, `cluster?.lables?.region == "eu"`, `cluster.labels("a") == "b"`,
		`cluster`, `cluster.name`, `cluster.labels`, `cluster.labels.region`,
		`cluster.labels["a.b/c"] && true`, `cluster > 5`, `cluster.name > 5`, `cluster + 1 == "a"`,
		`cluster.name + 1 == "a" && colour`, `cluster.name.x == 1`, `cluster.labels.a.b == 1`,
		`cluster.labels[0] == "a"`, `"a" in cluster`, `any(cluster.labels, # == "eu")`,
		`cluster.labels + "a" == nil`, `let c = cluster; c.labels.a == "b"`,
		`object.spec.ünï == 1 && objekt.x`, `"日本" == objct`,
		strings.Repeat(" ", 100) + `obj.x == ` + strings.Repeat("1 + ", 50) + "1",
	} {
		b.WriteString(compileError(t, lang.Expression{Text: text}) + "\n\n")
	}
	filtertest.Golden(t, "compile-errors", b.String())
}

// compileError returns the text of an expression's mistake.
func compileError(t *testing.T, source lang.Expression) string {
	t.Helper()
	source.File, source.Line, source.Listener = "config.yaml", 31, "pods"
	source.Informers = map[string][]string{"pods": nil, "slices": {"service", "node"}}
	_, err := filters.Compile(source)
	var ce *lang.CompileError
	if !errors.As(err, &ce) {
		t.Errorf("%s: got %v", source.Text, err)
		return ""
	}
	return err.Error()
}

// Each kind says in its own words what it has not and what it must return.
func TestCompileErrorsOfKinds(t *testing.T) {
	var b strings.Builder
	for _, kind := range []lang.Kind{lang.KindFilter, lang.KindSelect, lang.KindDeny,
		lang.KindMessage} {
		rule := ""
		if kind >= lang.KindDeny {
			rule = "no-latest"
		}
		for _, text := range []string{
			`op == "add"`, `old.x == 1`, `initial`, `missed > 1`, `resumed`, `changed("x")`,
			`became(object.x)`, `any(object.l, .x == old)`, `opp == "add"`, `colour`, `now()`,
			`$env == nil`, `object.foo()`, `b"x" == nil`,
			`groupBy(object.x, .y)`, `let op = 1; true`, `len(object.x)`, `cluster`, `[1]`,
			`{"a": 1}`, `filter(object.x, true)`, `nil`, `object.spec = 1`, ``,
		} {
			source := lang.Expression{Text: text, File: "config.yaml", Line: 31, Listener: "pods",
				Kind: kind, Rule: rule}
			if _, err := filters.Compile(source); err == nil {
				b.WriteString(kind.Word().Name + ": " + text + "\n  is right\n\n")
				continue
			}
			b.WriteString(kind.Word().Name + ": " + compileError(t, source) + "\n\n")
		}
	}
	filtertest.Golden(t, "compile-errors-of-kinds", b.String())
}

func TestCompileErrorPlace(t *testing.T) {
	text := "op == \"add\" &&\r\n  obejct.x == 1"
	tests := []struct {
		source lang.Expression
		want   string
	}{
		{lang.Expression{Text: text},
			"filter:2:3: unknown name \"obejct\"; did you mean \"object\"?\n    obejct.x == 1\n    ^"},
		{lang.Expression{Text: text, File: "a.yaml"},
			"a.yaml:2:3: unknown name \"obejct\"; did you mean \"object\"?\n    obejct.x == 1\n    ^"},
		{lang.Expression{Text: text, File: "a.yaml", Line: 7, Listener: "l"},
			"a.yaml:8:3: listener \"l\": unknown name \"obejct\"; did you mean \"object\"?\n    obejct.x == 1\n    ^"},
	}
	for _, tt := range tests {
		_, err := filters.Compile(tt.source)
		if err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"text", "true" + strings.Repeat(" ", lang.MaxSource),
			"the expression has 16388 bytes, the limit is 16384"},
		{"nodes", "missed == 1" + strings.Repeat("+1", lang.MaxNodes),
			"the expression has more than 2000 nodes"},
		{"parentheses", strings.Repeat("(", 8000) + "true" + strings.Repeat(")", 8000), ""},
		{"not", strings.Repeat("!", 16000) + "true", "the expression has more than 2000 nodes"},
		{"shared nodes", strings.Repeat("(", 60) + "true" + strings.Repeat(" ?: true)", 60),
			"the expression has more than 2000 nodes"},
		{"chained comparison", "missed < " + strings.Repeat("(1 < ", 60) + "missed" +
			strings.Repeat(" < 2)", 60) + " < 3", "the expression has more than 2000 nodes"},
		{"shared nodes in a variable", "let x = " + strings.Repeat("(", 60) + "true" +
			strings.Repeat(" ?: true)", 60) + "; x", "the expression has more than 2000 nodes"},
		{"shared nodes in became", "became(" + strings.Repeat("(", 60) + "true" +
			strings.Repeat(" ?: true)", 60) + ")", "the expression has more than 2000 nodes"},
		{"variables in variables", strings.Repeat("let x = (", 100) + "true" +
			strings.Repeat("); true", 100), ""},
		{"sums of quantities", strings.Repeat("quantity(object.x) + ", 280) +
			`quantity(object.y) > "5"`, ""},
		{"lists", strings.Repeat("[", 4000) + strings.Repeat("]", 4000) + " == nil",
			"the expression has more than 2000 nodes"},
	}
	for _, tt := range tests {
		_, err := filters.Compile(lang.Expression{Text: tt.text})
		var ce *lang.CompileError
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (!errors.As(err, &ce) || ce.Message != tt.want):
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

func TestEvalErrors(t *testing.T) {
	ev := filtertest.Update(t)
	var b strings.Builder
	for _, text := range []string{
		`object.spec.digits > 3`, "op == \"update\" &&\n  object.spec.replicas < object.spec.text",
		`object.spec.yes >= 1`, `object.spec.list < object.spec.list`, `object.spec.m > 1`,
		`object.spec.replicas`, `object.spec.text`, `object.spec`, `object.spec.text && true`,
		`object.spec.replicas ? true : false`, `!object.spec.list`, `any(object.spec.list, #)`,
		`any(object.spec.m, true)`, `any(object.spec.text, true)`, `count(object.spec.list) == 0`,
		`sum(object.spec.names) == 0`, `1 in object.spec.text`, `"a" in object.spec.replicas`,
		`object.spec.replicas contains "x"`, `object.spec.list startsWith "x"`,
		`object.spec.text endsWith object.spec.m`, `object.spec.replicas matches "x"`,
		`object.spec.text matches object.spec.list`,
		`object.spec.digits matches object.spec.digits + "("`, `object.spec.text + 1 == nil`,
		`object.spec.digits - 1 == nil`, `object.spec.list * 2 == nil`, `object.spec.half % 2 == 0`,
		`object.spec.replicas % object.spec.zero == 0`, `-object.spec.text == nil`,
		`+object.spec.text == nil`, `date(object.spec.created) + object.spec.replicas == nil`,
		`len(object.spec.replicas) == 1`, `lower(object.spec.replicas) == nil`,
		`upper(object.spec.m) == nil`, `string(object.spec.m) == nil`,
		`keys(object.spec.list) == nil`, `values(object.spec.text) == nil`,
		`first(object.spec.text) == nil`, `object.spec.list["a":] == nil`,
		`object.spec.text..3 == nil`, `trimPrefix(object.spec.text, object.spec.replicas) == nil`,
		`became(object.spec.replicas)`,
		`became(object.spec.replicas > 0 && object.metadata.labels.app > 3)`,
		`owner(object.spec.list) == nil`, `condition(object.spec.m) == nil`,
		`quantity(object.spec.list) == nil`, `quantity(object.spec.yes) == nil`,
		`quantity("1") * object.spec.m == nil`,
		`quantity("1") > object.spec.yes`, `-quantity("1") == nil`,
		`quantity("1") && true`, `(object.a ?? quantity("1")) contains "x"`, `len(quantity("1")) == 0`,
		`lower(quantity("1")) == nil`, `any(quantity("1"), true)`,
		`sum([quantity("1"), duration("1s")]) == nil`, `sum([duration("1s"), 1]) == nil`,
		`sum([1, duration("1s")]) == nil`, `sum([ip("::1")]) == nil`,
		`duration(object.spec.replicas) == nil`, `duration(object.spec.list) == nil`,
		`duration("1h") > object.spec.replicas`, `duration("1h") > quantity("1")`,
		`age(object.spec.replicas) == nil`, `age(object.spec.list) == nil`,
		`semver(object.spec.half) == nil`, `semver("1.2.3") > object.spec.half`,
		`ip(object.spec.list) == nil`, `ip("::1") < ip("::2")`, `cidr("::/8") < "::/9"`,
		`5 in cidr("::/8")`, `object.spec.m in cidr("::/8")`, `ip("::1") in object.spec.replicas`,
		`ip("::1") in image("a")`, `image("a") < "b"`, `image(object.spec.m) == nil`,
		`glob(object.spec.list, "x")`, `glob("*", object.spec.replicas)`,
		`cached("pods", object.spec.list, "x") == nil`,
		`cached("pods", "a", object.spec.replicas) == nil`,
		`byIndex("pods", "node", object.spec.m) == nil`, `clusters("pods", object.spec.list, "x") == nil`,
		`string(object.spec.list) == nil`,
	} {
		f, err := filters.Compile(lang.Expression{Text: text, File: "config.yaml", Line: 31,
			Listener:  "pods",
			Informers: map[string][]string{"pods": {"node"}}})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		ok, err := f.Evaluator().Match(ev)
		var ee *lang.EvalError
		if ok || !errors.As(err, &ee) || errors.Is(err, lang.ErrBudget) ||
			!errors.Is(err, lang.ErrUnknown) {
			t.Errorf("%s: got %v, %v", text, ok, err)
			continue
		}
		if strings.Contains(err.Error(), "日") || strings.Contains(err.Error(), "Gr") ||
			strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%s: shows the object: %v", text, err)
		}
		b.WriteString(text + "\n\t" + err.Error() + "\n")
	}
	filtertest.Golden(t, "eval-errors", b.String())
}

// An error spoils no later event.
func TestAfterAnError(t *testing.T) {
	e := filtertest.Compile(t, `any(object.spec.list, # > 1)`).Evaluator()
	for i := range 4 {
		text, wantErr := `{"spec":{"list":[1,2]}}`, false
		if i%2 == 0 {
			text, wantErr = `{"spec":{"list":[1,"x"]}}`, true
		}
		ok, err := e.Match(event.Event{Op: event.Add, Object: filtertest.NewObject(t, text)})
		if ok == wantErr || (err != nil) != wantErr {
			t.Errorf("%d: %v, %v", i, ok, err)
		}
	}
}

func TestNearest(t *testing.T) {
	tests := []struct{ name, want string }{
		{"objct", "object"}, {"opbject", "object"}, {"missd", "missed"}, {"oldd", "old"}, {
			"ops", "op"}, {"lable", "label"},
		{"anotation", "annotation"}, {"filters", "filter"}, {"xyz", ""}, {
			strings.Repeat("x", 5000), ""},
	}
	for _, tt := range tests {
		if got := check.Nearest(tt.name,
			append(lang.Functions(), lang.Variables...)); got != tt.want {
			t.Errorf("%.20s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
