package filters

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Bounds on what is shown of the differences below a path.
const (
	shownDifferences = 3
	comparedValues   = 10_000
)

// changedPaths returns the paths of a call of changed, none of anything else.
func changedPaths(n ast.Node) (paths []string) {
	call, ok := n.(*ast.CallNode)
	if !ok || !calls(n, "changed") {
		return nil
	}
	for _, arg := range call.Arguments {
		if text, ok := arg.(*ast.StringNode); ok {
			paths = append(paths, text.Value)
		}
	}
	return paths
}

// changedSteps returns a part for each path of a call of changed: whether it differs, and in what.
func changedSteps(call Step, paths []string, ev *event.Event) (steps []Step) {
	for _, text := range paths {
		s := Step{Text: fmt.Sprintf("%q", text), Line: call.Line, Column: call.Column}
		path, err := object.CompilePath(text)
		if err == nil && call.Evaluated && ev != nil && ev.Object != nil {
			s.Evaluated, s.Runs = true, 1
			differs, note := differences(path, ev)
			s.Values, s.Note = []string{fmt.Sprint(differs)}, note
			s.Whole = s.Values
		}
		steps = append(steps, s)
	}
	return steps
}

// differences reports whether a field of the event's objects differs, and how.
func differences(path object.Path, ev *event.Event) (differs bool, note string) {
	now := path.Lookup(ev.Object)
	if ev.Op != event.Update || ev.Old == nil {
		return false, "there is no old object"
	}
	old := path.Lookup(ev.Old)
	c := comparison{left: comparedValues}
	c.compare("", old, now)
	switch {
	case c.found == 0 && c.left <= 0:
		return now.Raw() != old.Raw(), "too much to show"
	case c.found == 0:
		return false, "still " + fieldValue(now)
	case c.found > len(c.shown):
		c.shown = append(c.shown, fmt.Sprintf("and %d more", c.found-len(c.shown)))
	}
	return true, strings.Join(c.shown, ", ")
}

// comparison collects the places in which two values differ.
type comparison struct {
	shown []string // of the first of them
	found int
	left  int // how many values may still be compared
}

// compare goes down where both values are of the same shape.
func (c *comparison) compare(at string, old, now object.Value) {
	if c.left--; c.left < 0 || old.Raw() == now.Raw() {
		return
	}
	switch {
	case old.Kind() == object.ObjectKind && now.Kind() == object.ObjectKind:
		c.members(at, old, now)
	case old.Kind() == object.Array && now.Kind() == object.Array:
		c.items(at, old, now)
	case !values.EqualScalars(values.Load(values.Refer(&old)), values.Load(values.Refer(&now))):
		c.differ(at, old, now)
	}
}

func (c *comparison) members(at string, old, now object.Value) {
	then := map[string]object.Value{}
	old.EachMember(func(key string, member object.Value) bool {
		then[key] = member
		return true
	})
	now.EachMember(func(key string, member object.Value) bool {
		c.inside(at+lang.Step(key), then[key], member)
		delete(then, key)
		return c.left > 0
	})
	for _, key := range slices.Sorted(maps.Keys(then)) {
		c.inside(at+lang.Step(key), then[key], object.Value{})
	}
}

func (c *comparison) items(at string, old, now object.Value) {
	then, is := list(old), list(now)
	for i := range max(len(then), len(is)) {
		var before, after object.Value
		if i < len(then) {
			before = then[i]
		}
		if i < len(is) {
			after = is[i]
		}
		c.inside(fmt.Sprintf("%s[%d]", at, i), before, after)
	}
}

// inside compares what an object or a list has in one place, where null is not the same as nothing.
func (c *comparison) inside(at string, old, now object.Value) {
	if old.Exists() == now.Exists() {
		c.compare(at, old, now)
	} else if c.left--; c.left >= 0 {
		c.differ(at, old, now)
	}
}

func (c *comparison) differ(at string, old, now object.Value) {
	if c.found++; len(c.shown) == shownDifferences {
		return
	}
	if at != "" {
		at = lineOf(strings.TrimPrefix(at, ".")) + " "
	}
	c.shown = append(c.shown, fmt.Sprintf("%s%s -> %s", at, fieldValue(old), fieldValue(now)))
}

// fieldValue returns a field's value as it is shown. Nothing and null are both nil in expressions.
func fieldValue(v object.Value) string {
	if v.Kind() == object.Null {
		return "null"
	}
	return shortValue(values.Refer(&v))
}

// list returns the items of an array.
func list(v object.Value) (items []object.Value) {
	v.Each(func(item object.Value) bool {
		items = append(items, item)
		return true
	})
	return items
}
