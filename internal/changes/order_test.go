package changes

import (
	"strings"
	"testing"
)

const several = `
outputs: {a: {stdout: {}}, b: {file: {path: b}, when: op == "add"}}
informers: {shared: {resource: secrets, allowSecrets: true, namespaces: [shop, pay], indexes: {type: type}}}
listeners:
  x: {informer: {resource: pods, namespaces: [shop, pay], drop: [status.phase, status.hostIP]}, outputs: [a, b]}
  y: {informer: shared, on: [add, delete], outputs: [b, a]}
  z: {informer: {resource: nodes}, select: 'len(byIndex("shared", "type", "x")) > 0', outputs: [a, b]}
`

// The order of lists that mean the same in any is no change.
func TestOrderIsNoChange(t *testing.T) {
	moved := several[strings.Index(several, "  x: "):strings.Index(several, "  z: ")]
	for _, c := range [][2]string{
		{"outputs: [a, b]", "outputs: [b, a]"},
		{"[shop, pay]", "[pay, shop]"},
		{"status.phase, status.hostIP", "status.hostIP, status.phase"},
		{"[add, delete]", "[delete, add]"},
		{"a: {stdout: {}}, b: {file: {path: b}, when: op == \"add\"}",
			"b: {when: op == \"add\", file: {path: b}}, a: {stdout: {}}"},
		{moved, strings.Join([]string{moved[strings.Index(moved, "  y"):],
			moved[:strings.Index(moved, "  y")]}, "")},
	} {
		other := strings.ReplaceAll(several, c[0], c[1])
		if other == several {
			t.Fatal(c[0])
		}
		compared, text := comparison(t, several, other)
		if text != "a reload would change nothing\n" || compared.Any() {
			t.Errorf("%s: got\n%s", c[1], text)
		}
	}
	_, text := comparison(t, several, strings.Replace(several, "[shop, pay]", "[pay, market]", 1))
	if !strings.Contains(text, "informer shared: changed namespaces\n") {
		t.Errorf("got\n%s", text)
	}
}

// A shared informer with another name is one change. One that differs, or is one of several, is not
// the same.
func TestRenamedInformer(t *testing.T) {
	const config = `
outputs: {a: {stdout: {}}}
informers: {pods: {resource: pods}}
listeners:
  x: {informer: pods, outputs: [a]}
`
	for old, want := range map[string]struct{ new, text string }{
		"informers: {pods: {": {"informers: {thepods: {", "informer pods: is called thepods\n"},
		"informers: {pods: {resource: pods}}": {"informers: {thepods: {resource: pods, namespaces: [a]}}", `listener x: changed informer
  what waits in it stays
  an object that enters its scope comes as an add, one that leaves it as a delete
  - informer           pods, all namespaces, every object
  + informer           pods, namespace a, every object
informer pods: removed
informer thepods: added
what is watched
  - pods, all namespaces, every object
  + pods, namespace a, every object
`},
		"informers: {pods: {resource: pods}": {"informers: {thepods: {resource: pods}, more: {resource: pods}",
			"informer more: added\ninformer pods: removed\ninformer thepods: added\n"},
	} {
		after := strings.Replace(strings.Replace(config, old, want.new, 1), "informer: pods", "informer: thepods", 1)
		if _, text := comparison(t, config, after); text != want.text {
			t.Errorf("%s: got\n%s", want.new, text)
		}
	}
}
