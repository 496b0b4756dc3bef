package informertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// PodText returns the text of a small object in the namespace shop. extra follows its metadata.
func PodText(name, uid string, version int, extra string) string {
	return fmt.Sprintf(
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop","uid":%q,"resourceVersion":"%d"}%s}`,
		name, uid, version, extra)
}

// Object returns the object of a PodText.
func Object(name, uid string, version int) *object.Object {
	return parse(PodText(name, uid, version, ""))
}

// Labelled returns an object in a namespace, or in none if that is "". labels are the members of
// its labels; more follows its metadata.
func Labelled(namespace, name, uid string, version int, labels string,
	more ...string) *object.Object {
	text := fmt.Sprintf(
		`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"uid":%q,"resourceVersion":"%d"`,
		name, uid, version)
	if namespace != "" {
		text += fmt.Sprintf(`,"namespace":%q`, namespace)
	}
	if labels != "" {
		text += `,"labels":{` + labels + `}`
	}
	return parse(text + "}" + strings.Join(more, "") + "}")
}

func parse(text string) *object.Object {
	o, err := (&object.Parser{}).Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return o
}

// Story returns an event in one line: "add a/1 101", with * for initial, ? for final state unknown,
// ~n for n missed events, and the version of the old state.
func Story(e event.Event) string {
	s := fmt.Sprintf("%s %s/%s %s", e.Op, e.Object.Name(), e.Object.UID(),
		e.Object.ResourceVersion())
	if e.Initial {
		s += "*"
	}
	if e.FinalStateUnknown {
		s += "?"
	}
	if e.Missed > 0 {
		s += fmt.Sprintf("~%d", e.Missed)
	}
	if e.Old != nil {
		s += " was " + e.Old.ResourceVersion()
	}
	return s
}

// Expect fails the test unless got is want, line by line.
func Expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}
