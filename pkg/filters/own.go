package filters

import (
	"reflect"
	"slices"
	"time"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"

	"github.com/informerd/informerd/pkg/informer/object"
)

// ownSignatures are the functions that are ours, as their users call them. What may be nil is any.
var ownSignatures = map[string][]any{
	"changed":    {func(path string, more ...string) bool { return false }},
	"became":     {func(condition bool) bool { return false }},
	"label":      {func(key string) any { return nil }},
	"annotation": {func(key string) any { return nil }},
	"owner":      {func(kind string) any { return nil }},
	"condition":  {func(kind string) any { return nil }},
	"cached":     {func(informer, namespace, name string) any { return nil }},
	"byIndex": {func(informer, index, value string) any {
		return nil
	}, func(informer, index, value, namespace string) any { return nil }},
	"quantity": {func(x any) any { return nil }},
	"duration": {func(x time.Duration) any { return nil }, func(x string) any { return nil }},
	"age": {func() any { return nil }, func(since time.Time) any {
		return nil
	}, func(since string) any { return nil }},
	"semver": {func(x string) any { return nil }},
	"ip":     {func(x string) any { return nil }},
	"cidr":   {func(x string) any { return nil }},
	"image":  {func(reference string) any { return nil }},
	"glob":   {func(pattern, text string) bool { return false }},
}

// declareOwn makes our functions known to expr's parser and checker, before any of its own with the
// same name.
func declareOwn(config *conf.Config) {
	for name, signatures := range ownSignatures {
		f := &builtin.Function{Name: name, Func: func(...any) (any, error) { return nil, nil }}
		for _, signature := range signatures {
			f.Types = append(f.Types, reflect.TypeOf(signature))
		}
		config.Functions[name] = f
	}
}

// own finds mistakes in a call of one of our functions that the types do not tell.
func (in *inspector) own(n *ast.CallNode, name string) error {
	switch name {
	case "changed":
		for _, arg := range n.Arguments {
			if err := in.changedPath(n, arg); err != nil {
				return err
			}
		}
	case "became":
		if len(n.Arguments) == 1 {
			return in.became(n.Arguments[0])
		}
	case "cached", "byIndex":
		return in.lookup(n, name)
	case "glob":
		if pattern, ok := firstText(n); ok && len(pattern.Value) > MaxPattern {
			return in.errorf(pattern, "the pattern has %d bytes, the limit is %d",
				len(pattern.Value), MaxPattern)
		}
	}
	if p, ok := readerOf(name); ok {
		return in.parsable(p, n)
	}
	return nil
}

// parsable refuses a constant that is not what the function reads.
func (in *inspector) parsable(p reader, n *ast.CallNode) error {
	text, ok := firstText(n)
	if ok && readers[p].parse(text.Value) == nil {
		return in.errorf(text, "%s", readers[p].refusal(text.Value))
	}
	return nil
}

// functions is what an evaluator's own functions keep, from event to event and for one.
type functions struct {
	memos   [readerCount]map[string]any
	finds   []foundOnce
	sums    []total
	lasts   []last
	found   map[lookupKey]any
	scratch []*object.Scratch // of objects of other informers
	used    int
	now     time.Time // of the event, once it was asked for
}

func (f *functions) begin() {
	clear(f.sums)
	f.sums = f.sums[:0]
	clear(f.lasts)
	f.lasts = f.lasts[:0]
	if len(f.found) > keptCells {
		f.found = nil
	}
	clear(f.found)
	for _, s := range f.scratch[:f.used] {
		s.Set(nil) // the cache may have let go of its object
	}
	f.used = 0
	f.now = time.Time{}
}

// ownFunctions are the names of our functions, sorted.
var ownFunctions = func() []string {
	var names []string
	for name := range ownSignatures {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()
