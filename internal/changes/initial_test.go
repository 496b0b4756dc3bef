package changes

import (
	"strings"
	"testing"
)

// A filter that refuses what is there at first gets nothing of objects that enter its scope, and
// goes on to get those that leave it.
func TestNothingOfWhatIsThereAtFirst(t *testing.T) {
	const config = `outputs: {out: {stdout: {}}}
listeners:
  a: {informer: {resource: pods, namespaces: [shop]}, filter: '!initial', outputs: [out]}
`
	for filter, want := range map[string]string{
		"!initial":                           "\n  an object that leaves its scope comes as a delete\n",
		`!initial || op == "add"`:            "\n  an object that enters its scope comes as an add, one that leaves it as a delete\n",
		`initial == false && op != "delete"`: "",
	} {
		old := strings.Replace(config, "!initial", filter, 1)
		_, got := comparison(t, old, strings.Replace(old, ", namespaces: [shop]", "", 1))
		if want == "" && strings.Contains(got, "scope comes") || !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant %s", filter, got, want)
		}
	}
}
