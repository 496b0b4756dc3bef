package subjects

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		// what every subject of the expression has
		{`"k8s events"`, " has a space"},
		{`'k8s events'`, " has a space"},
		{`"k8s events." + resource`, " has a space"},
		{`"a" + " b"`, " has a space"},
		{`resource + " b"`, " has a space"},
		{`"k8s.*"`, " has a wildcard"},
		{`"k8s.>." + resource`, " has a wildcard"},
		{`resource + ".>"`, " has a wildcard"},
		{`"k8s..events"`, " has two dots"},
		{`"k8s." + ".events"`, " has two dots"},
		{`".k8s"`, " begins with a dot"},
		{`"k8s."`, " ends with a dot"},
		{`"k8s." + resource + "."`, " ends with a dot"},
		{`""`, " is empty"},
		{`"$JS.API"`, " begins as the server's own"},
		{`"_INBOX." + name`, " begins as the server's own"},
		{"\"a\x01\"", " has a control"},
		{`"a " + (namespace ?? "b")`, " has a space"},
		{`"a " + object.x?.y`, " has a space"},
		// what is right, or may be
		{`"k8s." + resource`, ""},
		{`"k8s." + cluster + "." + resource`, ""},
		{`"k8s." + lower(kind + " x")`, ""},
		{`"$KV.a." + name`, ""},
		{`resource + "." + name`, ""},
		{`cluster + ".k8s"`, ""},
		{`resource == "a b" ? "c" : "d"`, ""},
		{`resource in ["a b"] ? "c" : "d"`, ""},
		{`"a b" == resource + "c" ? "d" : "e"`, ""},
		{`"a b" + resource == name ? "d" : "e"`, ""},
		{`replace(name, " ", "-") + ".a"`, ""},
		{`"a" /* b */ + name`, ""},
		{`{"a b": "c"}[resource] + ".d"`, ""},
		{`"a\" b\"" + name`, ""},
		{`x.not`, ""},
		{"", ""},
		{"+", ""},
	} {
		problem, hint := Check(c.expression)
		if !strings.HasPrefix(problem, c.want) || c.want == "" && problem != "" ||
			(problem == "") != (hint == "") {
			t.Errorf("%s: got %q; %q, want %q", c.expression, problem, hint, c.want)
		}
	}
}

// Whatever the text is, the check ends.
func FuzzCheck(f *testing.F) {
	f.Add(`"a" + b + ')' + [`)
	f.Fuzz(func(t *testing.T, text string) {
		if problem, hint := Check(text); (problem == "") != (hint == "") {
			t.Errorf("%q; %q", problem, hint)
		}
	})
}
