package condition_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/condition/conditiontest"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Lists of conditions that read together answer as each of them alone does by its definition, event
// after event, however objects are kept and whoever comes later.
func TestModelListsThatReadTogether(t *testing.T) {
	passed, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, fields: &condition.Fields{}}
		m.join()
		t.Repeat(map[string]func(*rapid.T){
			"join": func(t *rapid.T) {
				if m.t = t; len(m.lists) < 6 {
					m.join()
				}
			},
			"event": func(t *rapid.T) {
				m.t = t
				if m.last.Object == nil || rapid.IntRange(0, 3).Draw(t, "once more") > 0 {
					m.last = m.event()
				}
				e := m.last
				for i, l := range m.lists {
					want := conditiontest.Hold(l.list, l.transitions, e)
					if got := l.compiled.Hold(m.fields, &e); got != want {
						t.Fatalf("list %d, %v, transitions %t\n%s\ngot %t, want %t", i, l.list,
							l.transitions, describe(e), got, want)
					}
					if want {
						passed++
					} else {
						refused++
					}
				}
			},
		})
	})
	if !t.Failed() && !testing.Short() && (passed < 100 || refused < 100) {
		t.Errorf("%d events passed, %d were refused: this test says nothing", passed, refused)
	}
}

type model struct {
	t      *rapid.T
	fields *condition.Fields
	parser object.Parser
	lists  []asked
	last   condition.Event
}

type asked struct {
	list        []condition.Condition
	transitions bool
	compiled    *condition.List
}

func (m *model) join() {
	l := asked{list: drawList(m.t, 2, false), transitions: rapid.Bool().Draw(m.t, "transitions")}
	if rapid.IntRange(0, 9).Draw(m.t, "many labels") == 0 {
		for i := range object.MaxPaths + 6 {
			l.list = append(l.list,
				condition.Condition{Of: condition.OfLabel, Key: fmt.Sprint("l", i),
					Test: condition.NotIn, Values: []string{"x"}})
		}
	}
	compiled, err := m.fields.Compile(l.list, l.transitions)
	if err != nil {
		m.t.Fatalf("%v: %v", l.list, err)
	}
	l.compiled = compiled
	m.lists = append(m.lists, l)
}

func (m *model) event() condition.Event {
	e := condition.Event{Op: rapid.SampledFrom(event.Ops).Draw(m.t, "op"), Object: m.object()}
	switch e.Op {
	case event.Update:
		e.Old = m.object()
		e.Before = e.Old
	case event.Delete:
		if rapid.Bool().Draw(m.t, "has before") {
			e.Before = m.object()
		}
	case event.Resync:
		e.Before = e.Object
	}
	return e
}

func describe(e condition.Event) string {
	text := e.Op.String() + " " + e.Object.JSON()
	for _, o := range []*object.Object{e.Old, e.Before} {
		if o != nil {
			text += "\nbefore " + o.JSON()
		}
	}
	return text
}

var (
	texts = []string{`"x"`, `"xy"`, `"y"`, `""`, `"é"`, `"x\"y"`, `"5"`, `"1Gi"`, `"1024Mi"`,
		`"1500m"`, `"v1.5"`, `"1.5.0"`, `"1.10"`, `"-3.0"`, `"01.2"`, `"1.2.3.4"`, `"1e3"`,
		`"99999.0.1"`, `"999999"`, `"-"`, `"Gi"`}
	numbers = []string{"0", "-0", "1", "1.0", "1.5", "-3", "1e400", "9007199254740993",
		"-9007199254740992", "12345678901234567890"}
	others = []string{"null", "true", "false", "{}", "[]", `["x"]`, `{"x":"x"}`}
)

func (m *model) one(what string, of ...string) string {
	return rapid.SampledFrom(of).Draw(m.t, what)
}

func (m *model) value(what string) string {
	switch rapid.IntRange(0, 5).Draw(m.t, what+" type") {
	case 0, 1, 2:
		return m.one(what, texts...)
	case 3, 4:
		return m.one(what, numbers...)
	}
	return m.one(what, others...)
}

func (m *model) members(names ...string) string {
	var all []string
	for _, name := range names {
		if rapid.IntRange(0, 3).Draw(m.t, "has "+name) > 0 {
			all = append(all, fmt.Sprintf("%q:%s", name, m.value(name)))
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

func (m *model) list() string {
	n := rapid.IntRange(0, 3).Draw(m.t, "items")
	if rapid.IntRange(0, 19).Draw(m.t, "long") == 0 {
		n = condition.MaxItems + rapid.IntRange(-1, 1).Draw(m.t, "more")
	}
	items := make([]string, n)
	for i := range items {
		if items[i] = m.members("k", "v"); i >= 4 {
			items[i] = items[0]
		}
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (m *model) object() *object.Object {
	labels := m.one("labels", "null", `"x"`, `["x"]`, m.members("a", "b", "l3"),
		m.members("a", "b", "l69"), m.members("a", "b"))
	namespace := m.one("namespace", "", `"namespace":"x",`, `"namespace":"xy",`)
	spec := fmt.Sprintf(`{"a":%s,"list":%s,"d":{"e":%s}}`, m.value("a"),
		m.one("list", m.list(), m.list(), m.list(), m.value("no list")), m.one("e", "1", "2",
			"null"))
	text := fmt.Sprintf(`{"metadata":{"name":%s,%s"labels":%s},"spec":%s,"status":%s}`,
		m.one("name", `"x"`, `"xy"`), namespace, labels, spec, m.members("a", "b"))
	if m.one("order", "usual", "other") == "other" {
		text = fmt.Sprintf(`{"status":%s,"top":%s,"spec":%s,"metadata":{"labels":%s,%s"name":"y"}}`,
			m.members("a"), m.value("top"), spec, labels, namespace)
	}
	m.parser.APIVersion, m.parser.Kind = "v1", "Pod"
	o, err := m.parser.Parse([]byte(text))
	if err != nil {
		m.t.Fatalf("%s: %v", text, err)
	}
	if rapid.Bool().Draw(m.t, "packed") {
		return o.Stored()
	}
	return o
}

func drawList(t *rapid.T, depth int, item bool) []condition.Condition {
	var list []condition.Condition
	for range rapid.IntRange(0, 3).Draw(t, "conditions") {
		list = append(list, drawCondition(t, depth, item))
	}
	return list
}

func drawCondition(t *rapid.T, depth int, item bool) condition.Condition {
	subjects := []condition.Subject{condition.OfNamespace, condition.OfName, condition.OfLabel,
		condition.OfField, condition.OfField, condition.OfOp}
	if item {
		subjects = append(subjects, condition.OfItem, condition.OfItem, condition.OfItem,
			condition.OfItem)
	}
	if depth > 0 {
		subjects = append(subjects, condition.OfAlternatives)
	}
	c := condition.Condition{Of: rapid.SampledFrom(subjects).Draw(t, "of"),
		Old: rapid.IntRange(0, 3).Draw(t, "old") == 0}
	switch c.Of {
	case condition.OfOp:
		c.Ops = event.OpSet(rapid.IntRange(0, 31).Draw(t, "ops"))
		return c
	case condition.OfAlternatives:
		for range rapid.IntRange(0, 3).Draw(t, "alternatives") {
			c.Either = append(c.Either, drawList(t, depth-1, item))
		}
		return c
	case condition.OfLabel:
		c.Key = rapid.SampledFrom([]string{"a", "b", "l3", "l69"}).Draw(t, "label")
	case condition.OfField:
		c.Key = rapid.SampledFrom([]string{"spec.a", "spec.list", "spec.list[0].k", "status.a",
			`status["b"]`, "top", "metadata.labels", "spec", "spec.none"}).Draw(t, "field")
	case condition.OfItem:
		c.Key, c.Old = rapid.SampledFrom([]string{"", "k", "v", "x"}).Draw(t, "field of item"),
			false
	}
	c.Test = condition.Test(rapid.IntRange(0, lastTest(c.Of, item)).Draw(t, "test"))
	if c.Of < condition.OfLabel && c.Test&^1 == condition.Exists {
		c.Test = condition.In
	}
	if c.Of == condition.OfField && !item && rapid.Bool().Draw(t, "of items") {
		c.Key, c.Test = "spec.list",
			rapid.SampledFrom([]condition.Test{condition.Any, condition.Every}).Draw(t,
				"quantifier")
	}
	if c.Test&^1 == condition.Differs {
		c.Key, c.Old = "spec.d", false
	}
	switch {
	case c.Test&^1 == condition.In:
		c.Values = rapid.SliceOfDistinct(rapid.SampledFrom([]string{"x", "xy", "", "é", "5"}),
			rapid.ID).Draw(t, "values")
		c.Numbers = rapid.SliceOfDistinct(rapid.SampledFrom([]float64{0, 1, 1.5, -3}),
			rapid.ID).Draw(t, "numbers")
		c.Bools = rapid.SliceOfDistinct(rapid.Bool(), rapid.ID).Draw(t, "bools")
	case c.Test >= condition.Any:
		c.Items = append(drawList(t, 0, true), condition.Condition{
			Of: condition.OfItem, Key: rapid.SampledFrom([]string{"k", "v"}).Draw(t, "member"),
			Test: rapid.SampledFrom([]condition.Test{condition.In, condition.NotIn,
				condition.Exists}).Draw(t, "member test"),
		})
		if last := &c.Items[len(c.Items)-1]; last.Test < condition.Exists {
			last.Values = []string{"x", "xy"}
		}
	case c.Test >= condition.Less && c.Test <= condition.NotAtLeast &&
		rapid.Bool().Draw(t, "a number"):
		c.Numbers = []float64{rapid.SampledFrom([]float64{0, 1, 1.5, -3}).Draw(t, "number")}
	case c.Test >= condition.StartsWith && c.Test <= condition.NotAtLeast,
		c.Test&^1 == condition.Has:
		c.Values = []string{rapid.SampledFrom([]string{"x", "xy", "y", "", "é"}).Draw(t, "value")}
	}
	return c
}

// lastTest is the last of the tests for a subject.
func lastTest(of condition.Subject, item bool) int {
	switch {
	case of == condition.OfField && item:
		return int(condition.Differs)
	case of == condition.OfField:
		return int(condition.Every)
	}
	return int(condition.NotTrue)
}
