package check

import (
	"reflect"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// declareOwn declares informerd's own functions to expr's parser and checker, in place of
// functions of expr with the same names.
func declareOwn(config *conf.Config) {
	for name, signatures := range lang.OwnSignatures {
		f := &builtin.Function{Name: name, Func: func(...any) (any, error) { return nil, nil }}
		for _, signature := range signatures {
			f.Types = append(f.Types, reflect.TypeOf(signature))
		}
		config.Functions[name] = f
	}
}

// ownCall finds mistakes in a call of one of informerd's own functions that types do not
// show.
func (in *inspector) ownCall(n *ast.CallNode, name string) error {
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
		if pattern, ok := nodes.FirstText(n); ok && len(pattern.Value) > lang.MaxPattern {
			return in.errorf(pattern, "the pattern has %d bytes, the limit is %d",
				len(pattern.Value), lang.MaxPattern)
		}
	}
	if p, ok := values.ReaderOf(name); ok {
		return in.parsable(p, n)
	}
	return nil
}

// parsable refuses a constant that the function cannot read.
func (in *inspector) parsable(p values.Reader, n *ast.CallNode) error {
	text, ok := nodes.FirstText(n)
	if ok && values.Readers[p].Parse(text.Value) == nil {
		return in.errorf(text, "%s", values.Readers[p].Refusal(text.Value))
	}
	return nil
}
