package filters

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
)

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
