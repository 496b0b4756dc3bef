package condition

import (
	"fmt"
	"slices"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// List is a compiled list of conditions, all of which must hold. It belongs to its Fields.
type List struct {
	checks      []check
	transitions bool // see Compile
	ofEvent     bool // it asks about the op or the state before
}

// check is a compiled condition.
type check struct {
	kind     kind
	test     Test // never an opposite
	opposite bool
	old      bool
	ops      event.OpSet
	// slots are those of the field, by side; more are those of the labels or the member, which
	// are needed as well.
	slots, more [2]int32
	item        [2]int32 // the place among the fields of an item, by side
	texts       []string
	numbers     []float64
	yes, no     bool // In: whether true and false are among the values
	member      string
	either      [][]check
	items       []check
	lists       [2]*items
}

// kind is where a check finds its value. Kinds are sorted by their cost.
type kind uint8

const (
	byOp kind = iota
	byNamespace
	byName
	byItem
	byField
	byLabel
	byMember
	byChange
	byAlternatives
	byItems
)

// Compile compiles a list of conditions that Validate accepts. With transitions, they may
// also be asked about the state before an update or a delete as if it were the object.
func (f *Fields) Compile(list []Condition, transitions bool) (*List, error) {
	if err := Validate(list); err != nil {
		return nil, err
	}
	c := compiler{fields: f, list: &List{transitions: transitions}}
	c.list.checks = c.all(list)
	return c.list, nil
}

type compiler struct {
	fields *Fields
	list   *List
	items  [2]*items // of the list whose items are asked about
}

func (c *compiler) all(list []Condition) []check {
	checks := make([]check, 0, len(list))
	for i := range list {
		if one, ok := c.one(&list[i]); ok {
			checks = append(checks, one)
		}
	}
	slices.SortStableFunc(checks, func(a, b check) int { return int(a.kind) - int(b.kind) })
	return checks
}

// one compiles a condition. It returns false for one that passes everything.
func (c *compiler) one(asked *Condition) (check, bool) {
	one := check{test: asked.Test, old: asked.Old, ops: asked.Ops}
	c.list.ofEvent = c.list.ofEvent || asked.Old || asked.Of == OfOp || asked.Test == Differs
	if asked.Of == OfAlternatives {
		one.kind = byAlternatives
		for _, list := range asked.Either {
			one.either = append(one.either, c.all(list))
		}
		return one, !slices.ContainsFunc(one.either, func(list []check) bool {
			return len(list) == 0
		})
	}
	if one.test.IsOpposite() {
		one.test, one.opposite = one.test.Opposite(), true
	}
	one.texts = slices.Compact(slices.Sorted(slices.Values(asked.Values)))
	one.numbers = asked.Numbers
	one.yes, one.no = slices.Contains(asked.Bools, true), slices.Contains(asked.Bools, false)
	return one, c.place(asked, &one)
}

// place sets where the check reads its value.
func (c *compiler) place(asked *Condition, one *check) bool {
	switch asked.Of {
	case OfOp:
		one.kind = byOp
	case OfNamespace:
		one.kind = byNamespace
	case OfName:
		one.kind = byName
	case OfLabel:
		one.kind = byField
		labels := object.Path{}.Key("metadata").Key("labels")
		one.slots = c.slots(labels.Key(asked.Key), asked.Old)
		if one.test == Exists {
			one.kind, one.more = byLabel, c.slots(labels, asked.Old)
		}
	case OfItem:
		one.kind = byItem
		path := pathOf(asked.Key)
		for side, list := range c.items {
			if list != nil {
				one.item[side] = int32(list.fieldOf(path))
			}
		}
		return one.item[now] >= 0 && one.item[before] >= 0
	default:
		return c.placeField(asked, one)
	}
	return true
}

func (c *compiler) placeField(asked *Condition, one *check) bool {
	path := pathOf(asked.Key)
	one.kind, one.slots = byField, c.slots(path, asked.Old)
	switch one.test {
	case Has:
		one.kind, one.member = byMember, one.texts[0]
		one.more = c.slots(path.Key(one.member), asked.Old)
	case Differs:
		one.kind = byChange
		if one.opposite {
			return false
		}
		one.slots[before] = int32(c.fields.sides[before].slotOf(path))
		for side, slot := range one.slots {
			c.fields.sides[side].readWhole(int(slot))
		}
	case Any, Every:
		one.kind = byItems
		for side, slot := range one.slots {
			if slot >= 0 {
				one.lists[side] = c.fields.sides[side].itemsOf(int(slot))
			}
		}
		c.items = one.lists
		one.items = c.all(asked.Items)
		c.items = [2]*items{}
		return len(one.items) > 0 || one.test == Any
	}
	return true
}

// slots returns where a field is read, -1 on a side on which it is not.
func (c *compiler) slots(path object.Path, old bool) [2]int32 {
	slots := [2]int32{-1, -1}
	if !old {
		slots[now] = int32(c.fields.sides[now].slotOf(path))
	}
	if old || c.list.transitions {
		slots[before] = int32(c.fields.sides[before].slotOf(path))
	}
	return slots
}

// pathOf compiles the path of a field, which Validate has checked.
func pathOf(key string) object.Path {
	if key == "" {
		return object.Path{}
	}
	path, err := object.CompilePath(key)
	if err != nil {
		panic(fmt.Sprintf("condition on %q: %v", key, err))
	}
	return path
}
