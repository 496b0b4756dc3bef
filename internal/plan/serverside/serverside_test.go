package serverside

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/filters"
)

func compiled(t *testing.T, text string) *filters.Filter {
	t.Helper()
	f, err := filters.Compile(filters.Expression{Text: text, Kind: filters.KindFilter})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestSettings(t *testing.T) {
	for expression, want := range map[string]string{
		`label("a") == "b"`: `labelSelector: "a=b"`,
		`label("a") in ["b", "c"] && label("d") not in ["e"]`:    `labelSelector: "a in (b,c),d notin (e)"`,
		`label("a") != nil && label("b") == nil`:                 `labelSelector: "a,!b"`,
		`label("a") == "no label has this"`:                      ``,
		`label("no/key/has/this") == "b"`:                        ``,
		`semver(label("a")) == "1.2"`:                            ``,
		`object.metadata.name == "a,b"`:                          `fieldSelector: "metadata.name=a\\,b"`,
		`object.metadata.name in ["a", "b"]`:                     ``,
		`object.metadata.name not in ["a", "b"]`:                 `fieldSelector: "metadata.name!=a,metadata.name!=b"`,
		`object.metadata.namespace in ["a", "b"]`:                `namespaces: [a, b]`,
		`object.metadata.namespace != "a"`:                       `fieldSelector: "metadata.namespace!=a"`,
		`object.metadata.namespace not in ["a", "b"]`:            `fieldSelector: "metadata.namespace!=a,metadata.namespace!=b"`,
		`object.metadata.namespace == "A_b"`:                     ``,
		`object.metadata.namespace == ""`:                        ``,
		`object.status.phase == "Running" && label("a") == "b"`:  `labelSelector: "a=b"; fieldSelector: "status.phase=Running"`,
		`object.status.phase != ""`:                              ``,
		`object.spec.hostname == "a"`:                            ``,
		`object.spec.nodeName == "n" || object.spec.n == 1`:      ``,
		`object.metadata.labels["a.b/c"] == "d" && changed("x")`: `labelSelector: "a.b/c=d"`,
	} {
		f := compiled(t, expression)
		parts := Settings(&config.Informer{Resource: "pods"}, false, f.Conditions().List)
		if got := strings.Join(parts, "; "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", expression, got, want)
		}
	}
	// What the informer asks for already is no suggestion, however it says so.
	f := compiled(t,
		`object.metadata.namespace in ["a", "b"] && label("c") == "d" && label("e") != nil && object.metadata.name != "f" && object.status.phase == "Running"`)
	for _, c := range []struct {
		informer config.Informer
		want     string
	}{
		{config.Informer{Namespaces: []string{"a"}, LabelSelector: "e, c in (d)",
			FieldSelector: "status.phase==Running,metadata.name!=f"}, ``},
		{config.Informer{Namespaces: []string{"a", "x"}, LabelSelector: "e,g",
			FieldSelector: "metadata.name!=f"},
			`namespaces: [a, b]; labelSelector: "e,g,c=d"; fieldSelector: "metadata.name!=f,status.phase=Running"`},
	} {
		c.informer.Resource = "pods"
		if got := strings.Join(Settings(&c.informer, false, f.Conditions().List),
			"; "); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.informer, got, c.want)
		}
	}
	// A resource in no namespace has no settings for one.
	f = compiled(t, `object.metadata.namespace == "a" && label("b") == "c"`)
	parts := Settings(&config.Informer{Resource: "nodes"}, true, f.Conditions().List)
	if got := strings.Join(parts, "; "); got != `labelSelector: "b=c"` {
		t.Error(got)
	}
}
