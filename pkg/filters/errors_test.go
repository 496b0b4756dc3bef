package filters

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
)

var updateGolden = flag.Bool("update", false, "write testdata/*.golden anew")

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name + ".golden"
	if *updateGolden {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

func TestCompileErrors(t *testing.T) {
	var b strings.Builder
	for _, text := range []string{
		``, " \n ", `object.`, `object.spec = 1`, `any(object.spec.list, # > 1`, `"open`, `1 +`, `a &`,
		"op == \"add\" &&\n\tobejct.spec.x == 1", `opp == "add"`, `colour`, `chnaged("x")`, `xyzzy("x")`, `now()`, `repeat("x", 9)`, `groupBy(object.x, .y)`, `toJSON(object)`,
		`op == "udpate"`, `"deleted" != op`, `op in ["add", "patch"]`, `op == "something else"`,
		`op == 5`, `op + 1 == 2`, `missed`, `op`, `nil`, `len(object.spec.x)`, `[1]`, `1..3`, `date("2026-01-01")`, `date("2026-01-01") * 2 == nil`, `object.x > [1]`, `object.x in 5`,
		`changed()`, `changed(object.spec)`, `changed("spec..x")`, `changed("")`, `label()`, `label(5)`, `label("a", "b")`, `annotation(nil)`, `lower()`, `trim("a", "b", "c")`, `len(1, 2)`,
		`date("2026-01-01", "x", "Europe/Berlin") == nil`, `date(object.x).Unix() > 5`, `object.foo()`, `$env.op == "add"`, `$env == nil`,
		`object.name matches "("`, `object.name matches "(a{1000}){1000}"`, `object.name matches "` + strings.Repeat("x", MaxPattern+1) + `"`,
		`object.name matches "(abcdefghijklmnop){999}"`,
		`any(object.a, any(.b, any(.c, # == 1)))`, `5 in 1..100000`, `{(object.x): 1}.x == 1`, `b"x" == object.x`, `.foo == 1`, `# == 1`, `let op = 1; true`, `let x = 1; let x = 2; x == 1`,
		`object.spec.ünï == 1 && objekt.x`, `"日本" == objct`,
		strings.Repeat(" ", 100) + `obj.x == ` + strings.Repeat("1 + ", 50) + "1",
	} {
		_, err := Compile(Source{Text: text, File: "config.yaml", Line: 31, Listener: "pods"})
		var ce *CompileError
		if !errors.As(err, &ce) {
			t.Errorf("%s: got %v", text, err)
			continue
		}
		b.WriteString(err.Error() + "\n\n")
	}
	golden(t, "compile-errors", b.String())
}

func TestCompileErrorPlace(t *testing.T) {
	text := "op == \"add\" &&\r\n  obejct.x == 1"
	tests := []struct {
		source Source
		want   string
	}{
		{Source{Text: text}, "filter:2:3: unknown name \"obejct\"; did you mean \"object\"?\n    obejct.x == 1\n    ^"},
		{Source{Text: text, File: "a.yaml"}, "a.yaml:2:3: unknown name \"obejct\"; did you mean \"object\"?\n    obejct.x == 1\n    ^"},
		{Source{Text: text, File: "a.yaml", Line: 7, Listener: "l"}, "a.yaml:8:3: listener \"l\": unknown name \"obejct\"; did you mean \"object\"?\n    obejct.x == 1\n    ^"},
	}
	for _, tt := range tests {
		_, err := Compile(tt.source)
		if err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestTooLarge(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"text", "true" + strings.Repeat(" ", MaxSource), "the expression has 16388 bytes, the limit is 16384"},
		{"nodes", "missed == 1" + strings.Repeat("+1", MaxNodes), "the expression has more than 2000 nodes"},
		{"parentheses", strings.Repeat("(", 8000) + "true" + strings.Repeat(")", 8000), ""},
		{"not", strings.Repeat("!", 16000) + "true", "the expression has more than 2000 nodes"},
		{"shared nodes", strings.Repeat("(", 60) + "true" + strings.Repeat(" ?: true)", 60), "the expression has more than 2000 nodes"},
		{"chained comparison", "missed < " + strings.Repeat("(1 < ", 60) + "missed" + strings.Repeat(" < 2)", 60) + " < 3", "the expression has more than 2000 nodes"},
		{"lists", strings.Repeat("[", 4000) + strings.Repeat("]", 4000) + " == nil", "the expression has more than 2000 nodes"},
	}
	for _, tt := range tests {
		_, err := Compile(Source{Text: tt.text})
		var ce *CompileError
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (!errors.As(err, &ce) || ce.Message != tt.want):
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

func TestEvalErrors(t *testing.T) {
	ev := update(t)
	var b strings.Builder
	for _, text := range []string{
		`object.spec.digits > 3`, "op == \"update\" &&\n  object.spec.replicas < object.spec.text", `object.spec.yes >= 1`, `object.spec.list < object.spec.list`, `object.spec.m > 1`,
		`object.spec.replicas`, `object.spec.text`, `object.spec`, `object.spec.text && true`, `object.spec.replicas ? true : false`, `!object.spec.list`, `any(object.spec.list, #)`,
		`any(object.spec.m, true)`, `any(object.spec.text, true)`, `count(object.spec.list) == 0`, `sum(object.spec.names) == 0`, `1 in object.spec.text`, `"a" in object.spec.replicas`,
		`object.spec.replicas contains "x"`, `object.spec.list startsWith "x"`, `object.spec.text endsWith object.spec.m`, `object.spec.replicas matches "x"`, `object.spec.text matches object.spec.list`,
		`object.spec.digits matches object.spec.digits + "("`, `object.spec.text + 1 == nil`, `object.spec.digits - 1 == nil`, `object.spec.list * 2 == nil`, `object.spec.half % 2 == 0`,
		`object.spec.replicas % object.spec.zero == 0`, `-object.spec.text == nil`, `+object.spec.text == nil`, `date(object.spec.created) + object.spec.replicas == nil`, `len(object.spec.replicas) == 1`, `lower(object.spec.replicas) == nil`,
		`int(object.spec.text) == 1`, `date(object.spec.text) == nil`, `duration(object.spec.text) == nil`, `upper(object.spec.m) == nil`, `string(object.spec.m) == nil`, `keys(object.spec.list) == nil`, `values(object.spec.text) == nil`,
		`first(object.spec.text) == nil`, `object.spec.list["a":] == nil`, `object.spec.text..3 == nil`, `min(object.spec.mixed) == 1`, `trimPrefix(object.spec.text, object.spec.replicas) == nil`,
	} {
		f, err := Compile(Source{Text: text, File: "config.yaml", Line: 31, Listener: "pods"})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		ok, err := f.Evaluator().Match(ev)
		var ee *EvalError
		if ok || !errors.As(err, &ee) || errors.Is(err, ErrBudget) {
			t.Errorf("%s: got %v, %v", text, ok, err)
			continue
		}
		if strings.Contains(err.Error(), "日") || strings.Contains(err.Error(), "Gr") || strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("%s: shows the object: %v", text, err)
		}
		b.WriteString(text + "\n\t" + err.Error() + "\n")
	}
	golden(t, "eval-errors", b.String())
}

// An error spoils no later event.
func TestAfterAnError(t *testing.T) {
	e := compile(t, `any(object.spec.list, # > 1)`).Evaluator()
	for i := range 4 {
		text, wantErr := `{"spec":{"list":[1,2]}}`, false
		if i%2 == 0 {
			text, wantErr = `{"spec":{"list":[1,"x"]}}`, true
		}
		ok, err := e.Match(event.Event{Op: event.Add, Object: object(t, text)})
		if ok == wantErr || (err != nil) != wantErr {
			t.Errorf("%d: %v, %v", i, ok, err)
		}
	}
}

func TestNearest(t *testing.T) {
	tests := []struct{ name, want string }{
		{"objct", "object"}, {"opbject", "object"}, {"missd", "missed"}, {"oldd", "old"}, {"ops", "op"}, {"lable", "label"},
		{"anotation", "annotation"}, {"filters", "filter"}, {"xyz", ""}, {strings.Repeat("x", 5000), ""},
	}
	for _, tt := range tests {
		if got := nearest(tt.name, append(Functions(), variables...)); got != tt.want {
			t.Errorf("%.20s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
