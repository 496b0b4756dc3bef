// Package conditiontest says what conditions mean a second time, in another way: on values that
// encoding/json has decoded, one condition after the other, without compiling or remembering
// anything. Tests hold the translation of filters and what informers do before their buffers
// against it.
package conditiontest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Hold reports whether an event passes a list of conditions, as condition.List.Hold documents it.
func Hold(list []condition.Condition, transitions bool, e condition.Event) bool {
	object, old, before := decode(e.Object), any(nil), decode(e.Before)
	if e.Op == event.Update {
		old = decode(e.Old)
	}
	meanings := []meaning{{e.Op, object, old}}
	if transitions {
		if e.Op == event.Update {
			meanings = append(meanings, meaning{event.Add, object, nil})
		}
		if before != nil && e.Before != e.Object {
			meanings = append(meanings, meaning{event.Delete, before, nil})
		}
	}
	return slices.ContainsFunc(meanings, func(m meaning) bool { return m.all(list, nil) })
}

// meaning is what an event can mean to somebody.
type meaning struct {
	op          event.Op
	object, old any
}

func decode(o *object.Object) (decoded any) {
	if o == nil {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(o.JSON()))
	d.UseNumber()
	if err := d.Decode(&decoded); err != nil {
		panic(err)
	}
	return decoded
}

func (m meaning) all(list []condition.Condition, item any) bool {
	for _, c := range list {
		if !m.passes(c, item) {
			return false
		}
	}
	return true
}

func (m meaning) passes(c condition.Condition, item any) bool {
	root := m.object
	if c.Old {
		root = m.old
	}
	var is string
	switch c.Of {
	case condition.OfOp:
		return c.Ops.Has(m.op)
	case condition.OfAlternatives:
		return slices.ContainsFunc(c.Either, func(list []condition.Condition) bool {
			return m.all(list, item)
		})
	case condition.OfNamespace:
		is = ofNamespace(c, root)
	case condition.OfName:
		is = compare(c, field(root, "metadata.name"))
	case condition.OfLabel:
		is = ofLabel(c, root)
	case condition.OfItem:
		is = compare(c, field(item, c.Key))
	default:
		value := field(root, c.Key)
		switch c.Test {
		case condition.Any, condition.Every:
			return m.items(c, value)
		case condition.Differs:
			return !sameText(field(m.object, c.Key), field(m.old, c.Key))
		case condition.NotDiffers:
			return true
		case condition.Has, condition.NotHas:
			is = has(value, c.Values[0])
		default:
			is = compare(c, value)
		}
	}
	if is == "unknown" {
		return true
	}
	return (is == "yes") != slices.Contains(opposites, c.Test)
}

var opposites = []condition.Test{
	condition.NotIn, condition.NotExists, condition.NotStartsWith, condition.NotEndsWith,
	condition.NotContains, condition.NotLess,
	condition.NotAtMost, condition.NotMore, condition.NotAtLeast, condition.NotTrue,
	condition.NotHas, condition.NotDiffers,
}

func (m meaning) items(c condition.Condition, value any) bool {
	list, isList := value.([]any)
	passes := func(item any) bool { return m.all(c.Items, item) }
	switch {
	case !isList && value != nil, len(list) > condition.MaxItems:
		return true
	case c.Test == condition.Any:
		return slices.ContainsFunc(list, passes)
	}
	return !slices.ContainsFunc(list, func(item any) bool { return !passes(item) })
}

func answer(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// ofNamespace: a namespace that is missing cannot be told from one that is "".
func ofNamespace(c condition.Condition, root any) string {
	text, _ := field(root, "metadata.namespace").(string)
	if root == nil {
		return "no"
	}
	if test := c.Test &^ 1; text == "" && test != condition.In &&
		!(test == condition.StartsWith && c.Values[0] != "") {
		return "unknown"
	}
	return compare(c, text)
}

func ofLabel(c condition.Condition, root any) string {
	labels := field(root, "metadata.labels")
	members, isObject := labels.(map[string]any)
	value, there := members[c.Key]
	if c.Test != condition.Exists && c.Test != condition.NotExists {
		return compare(c, value)
	}
	_, isText := value.(string)
	switch {
	case isText:
		return "yes"
	case there, labels != nil && !isObject:
		return "unknown"
	}
	return "no"
}

func has(value any, member string) string {
	switch v := value.(type) {
	case nil:
		return "no"
	case map[string]any:
		_, there := v[member]
		return answer(there)
	case []any:
		if i := slices.Index(v, any(member)); i >= 0 && i < condition.MaxItems {
			return "yes"
		}
		if len(v) > condition.MaxItems {
			return "unknown"
		}
		return "no"
	}
	return "unknown"
}

// compare answers for all tests that look at a value alone.
func compare(c condition.Condition, value any) string {
	switch test := c.Test &^ 1; {
	case value == nil:
		return "no"
	case test == condition.Exists:
		return "yes"
	case test == condition.In:
		return oneOf(c, value)
	case test == condition.True:
		if b, isBool := value.(bool); isBool {
			return answer(b)
		}
		return "unknown"
	}
	switch v := value.(type) {
	case string:
		if len(c.Values) == 1 {
			return compareTexts(c.Test&^1, v, c.Values[0])
		}
	case json.Number:
		f, exact := number(v)
		if len(c.Numbers) == 1 && exact {
			return ordered(c.Test&^1, f < c.Numbers[0], f == c.Numbers[0])
		}
	}
	return "unknown"
}

func oneOf(c condition.Condition, value any) string {
	switch v := value.(type) {
	case string:
		return answer(slices.Contains(c.Values, v))
	case bool:
		return answer(slices.Contains(c.Bools, v))
	case json.Number:
		f, exact := number(v)
		if !exact && len(c.Numbers) > 0 {
			return "unknown"
		}
		return answer(slices.Contains(c.Numbers, f))
	}
	return "no"
}

func number(n json.Number) (f float64, exact bool) {
	f, err := n.Float64()
	return f, err == nil && f < 1<<53 && f > -1<<53
}

func compareTexts(test condition.Test, text, value string) string {
	switch test {
	case condition.StartsWith:
		return answer(strings.HasPrefix(text, value))
	case condition.EndsWith:
		return answer(strings.HasSuffix(text, value))
	case condition.Contains:
		if len(text) > condition.MaxText {
			return "unknown"
		}
		return answer(strings.Contains(text, value))
	}
	return ordered(test, text < value, text == value)
}

func ordered(test condition.Test, less, equal bool) string {
	switch test {
	case condition.Less:
		return answer(less)
	case condition.AtMost:
		return answer(less || equal)
	case condition.More:
		return answer(!less && !equal)
	case condition.AtLeast:
		return answer(!less)
	}
	return "unknown"
}

// sameText compares values as the compact text that encoding/json makes of them. Objects in tests
// have the same text if they have the same value.
func sameText(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

var step = regexp.MustCompile(`\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\.?([^.\[]+)`)

// field follows a path.
func field(v any, path string) any {
	for _, found := range step.FindAllStringSubmatch(path, -1) {
		switch {
		case found[2] != "":
			list, _ := v.([]any)
			i, _ := strconv.Atoi(found[2])
			if i >= len(list) {
				return nil
			}
			v = list[i]
		case found[3] != "":
			members, _ := v.(map[string]any)
			v = members[found[3]]
		default:
			name, err := strconv.Unquote(`"` + found[1] + `"`)
			if err != nil {
				panic(err)
			}
			members, _ := v.(map[string]any)
			v = members[name]
		}
	}
	return v
}
