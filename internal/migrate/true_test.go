package migrate

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/informerd/informerd/internal/config/document"
)

// What the sources' programs read as true is true, and a text in quotes is none of it.
func TestWhatIsTrue(t *testing.T) {
	for _, text := range []string{"true", "True", "TRUE", "yes", "Yes", "on", "ON", "y", "Y", "no", "off", "1",
		"false", "'true'", `"yes"`, "n", "~", ""} {
		var is struct{ A bool }
		want := yaml.Unmarshal([]byte("a: "+text), &is) == nil && is.A
		nodes, err := readNodes("a.yaml", []byte("a: "+text), document.Place{})
		if err != nil {
			t.Fatal(err)
		}
		if got := nodes[0].get("a").isTrue(); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}
