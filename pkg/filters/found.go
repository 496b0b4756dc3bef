package filters

import (
	"strconv"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/informer/object"
)

// finder says where owner and condition look and for what.
type finder struct {
	name string
	list object.Path
	key  string // of the member that the argument names
	// first is a member that, being true, is looked for first.
	first string
}

var (
	findOwner = finder{"owner", object.MustCompilePath("metadata.ownerReferences"), "kind",
		"controller"}
	findCondition = finder{"condition", object.MustCompilePath("status.conditions"), "type", ""}
)

// find is a call of owner or condition with a constant: what it gives is the same for a whole
// event.
type find struct {
	finder finder
	field  int // the number of the list
	value  string
}

// foundOnce keeps what was found.
type foundOnce struct {
	generation uint64
	value      any
}

func findName(i int) string { return "@find" + strconv.Itoa(i) }

func (r *rewriter) found(n *ast.CallNode, name string) ast.Node {
	finder := findOwner
	if name == findCondition.name {
		finder = findCondition
	}
	text, ok := firstText(n)
	if !ok {
		return call(n, "@"+name, r.field(n, r.root, finder.list), r.node(n.Arguments[0]))
	}
	f := find{finder, r.fieldIndex(r.root, finder.list), text.Value}
	for i, other := range r.filter.finds {
		if other.field == f.field && other.value == f.value {
			return call(n, findName(i))
		}
	}
	r.filter.finds = append(r.filter.finds, f)
	return call(n, findName(len(r.filter.finds)-1))
}

func (e *Evaluator) findConstant(i int) func() any {
	f := &e.filter.finds[i]
	return func() any {
		once := &e.functions.finds[i]
		if once.generation != e.generation {
			*once = foundOnce{e.generation, e.findIn(f.finder, e.read(f.field), f.value)}
		}
		return once.value
	}
}

// find is owner or condition of a value that is only known now.
func (e *Evaluator) find(f finder, list, value any) any {
	v := e.load(value)
	if v.kind == kindNil {
		return nil
	}
	if v.kind != kindText {
		fail("%s takes a string, got %s", f.name, typeName(value))
	}
	r, ok := list.(ref)
	if !ok {
		return nil
	}
	return e.findIn(f, r.Value, v.s)
}

// findIn gives the item of a list whose member of the finder's key is the value, nil if there is
// none.
func (e *Evaluator) findIn(f finder, list *object.Value, value string) any {
	e.charge(1 + len(list.Raw())/itemizedBytes)
	var found object.Value
	list.Each(func(item object.Value) bool {
		if name := item.Get(f.key); name.Kind() != object.String || name.Text() != value {
			return true
		}
		first := f.first == "" || item.Get(f.first).Bool()
		if first || !found.Exists() {
			found = item
		}
		return !first
	})
	return e.keep(found)
}
