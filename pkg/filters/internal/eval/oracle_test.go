package eval_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr/ast"
)

// oracle evaluates expressions a second time, by another way: it walks the tree as expr's parser
// made it and works on values of encoding/json. It shares neither the VM, nor the rewriting, nor
// the reading of fields with what it is compared to.
type oracle struct {
	vars   map[string]any // of events, and of let
	items  []any          // of the predicates around, the innermost last
	now    time.Time
	caches map[string]any // by "informer/namespace/name" and "informer/index/values…"
}

// undefined ends an evaluation that fails by the page's rules, and unsupported one that the oracle
// knows nothing of.
type (
	undefined   struct{ why string }
	unsupported struct{ why string }
)

func undefine(format string, args ...any) { panic(undefined{fmt.Sprintf(format, args...)}) }

// members is a JSON object, whose order keys and values show.
type members struct {
	keys   []string
	values map[string]any
}

// decodeJSON reads a text as the oracle's values.
func decodeJSON(text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return decodeNext(d)
}

func decodeNext(d *json.Decoder) any {
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '[' {
			list := []any{}
			for d.More() {
				list = append(list, decodeNext(d))
			}
			_, _ = d.Token()
			return list
		}
		m := members{values: map[string]any{}}
		for d.More() {
			key, _ := d.Token()
			m.keys = append(m.keys, key.(string))
			m.values[key.(string)] = decodeNext(d)
		}
		_, _ = d.Token()
		return m
	case json.Number:
		if n, err := strconv.Atoi(string(token)); err == nil {
			return n
		}
		f, _ := strconv.ParseFloat(string(token), 64)
		return f
	default:
		return token
	}
}

// evaluate returns "true", "false" or "fails", and why; ok is false if the oracle cannot tell.
func (o *oracle) evaluate(n ast.Node) (answer, why string, ok bool) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case undefined:
			answer, why, ok = "fails", r.why, true
		case unsupported:
			answer, why, ok = "", r.why, false
		default:
			panic(r)
		}
	}()
	v := o.eval(n)
	if v == nil {
		return "false", "", true
	}
	b, isBool := v.(bool)
	if !isBool {
		undefine("not true or false")
	}
	return fmt.Sprint(b), "", true
}

func isTrue(v any) bool {
	b, ok := v.(bool)
	if !ok && v != nil {
		undefine("true or false is needed")
	}
	return b
}

func (o *oracle) eval(n ast.Node) any {
	switch n := n.(type) {
	case *ast.NilNode:
		return nil
	case *ast.IntegerNode:
		return n.Value
	case *ast.FloatNode:
		return n.Value
	case *ast.BoolNode:
		return n.Value
	case *ast.StringNode:
		return n.Value
	case *ast.IdentifierNode:
		return o.vars[n.Value]
	case *ast.PointerNode:
		return o.items[len(o.items)-1]
	case *ast.ChainNode:
		return o.eval(n.Node)
	case *ast.PredicateNode:
		return o.eval(n.Node)
	case *ast.MemberNode:
		name, isText := n.Property.(*ast.StringNode)
		if id, ok := n.Node.(*ast.IdentifierNode); ok && isText && id.Value == "cluster" {
			return o.vars["cluster."+name.Value]
		}
		base := o.eval(n.Node)
		return memberOf(base, o.eval(n.Property))
	case *ast.VariableDeclaratorNode:
		before, shadows := o.vars[n.Name]
		value := o.eval(n.Value)
		o.vars[n.Name] = value
		result := o.eval(n.Expr)
		delete(o.vars, n.Name)
		if shadows {
			o.vars[n.Name] = before
		}
		return result
	case *ast.SequenceNode:
		var last any
		for _, node := range n.Nodes {
			last = o.eval(node)
		}
		return last
	case *ast.ConditionalNode:
		if isTrue(o.eval(n.Cond)) {
			return o.eval(n.Exp1)
		}
		return o.eval(n.Exp2)
	case *ast.ArrayNode:
		list := []any{}
		for _, item := range n.Nodes {
			list = append(list, o.eval(item))
		}
		return list
	case *ast.MapNode:
		m := members{values: map[string]any{}}
		for _, pair := range n.Pairs {
			pair := pair.(*ast.PairNode)
			m.values[pair.Key.(*ast.StringNode).Value] = o.eval(pair.Value)
		}
		m.keys = slices.Sorted(maps.Keys(m.values))
		return m
	case *ast.UnaryNode:
		return o.unary(n)
	case *ast.SliceNode:
		return o.slice(n)
	case *ast.BinaryNode:
		return o.binary(n)
	case *ast.BuiltinNode:
		return o.function(n.Name, n.Arguments)
	case *ast.CallNode:
		return o.function(n.Callee.(*ast.IdentifierNode).Value, n.Arguments)
	}
	panic(unsupported{fmt.Sprintf("%T", n)})
}

func memberOf(base, key any) any {
	switch b := base.(type) {
	case members:
		if name, ok := key.(string); ok {
			return b.values[name]
		}
	case []any:
		if i, ok := key.(int); ok {
			if i < 0 {
				i += len(b)
			}
			if i >= 0 && i < len(b) {
				return b[i]
			}
		}
	case oVersion:
		if name, ok := key.(string); ok {
			return b.Field(name)
		}
	case oImage:
		if name, ok := key.(string); ok {
			if name != "" { // where its text is
				return b.parts[name]
			}
		}
	}
	return nil
}

func (o *oracle) unary(n *ast.UnaryNode) any {
	v := o.eval(n.Node)
	switch n.Operator {
	case "!", "not":
		return !isTrue(v)
	case "+":
		if v != nil && !isNumber(v) {
			undefine("+")
		}
		return v
	}
	switch v := v.(type) {
	case nil:
		return nil
	case int:
		return calculate("-", 0, v)
	case float64:
		return -v
	}
	undefine("-")
	return nil
}

func (o *oracle) slice(n *ast.SliceNode) any {
	base := o.eval(n.Node)
	var from, to any
	if n.From != nil {
		from = o.eval(n.From)
	}
	if n.To != nil {
		to = o.eval(n.To)
	}
	if base == nil {
		return nil
	}
	limit := func(v any, otherwise, length int) int {
		if v == nil {
			return otherwise
		}
		i, ok := v.(int)
		if !ok {
			undefine("slice")
		}
		if i < 0 {
			i += length
		}
		return min(max(i, 0), length)
	}
	if text, ok := base.(string); ok {
		runes := []rune(text)
		a, b := limit(from, 0, len(runes)), limit(to, len(runes), len(runes))
		return string(runes[min(a, b):b])
	}
	list := itemsOf(base)
	a, b := limit(from, 0, len(list)), limit(to, len(list), len(list))
	return list[min(a, b):b]
}

func itemsOf(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	undefine("no list")
	return nil
}

func (o *oracle) binary(n *ast.BinaryNode) any {
	switch n.Operator {
	case "&&", "and":
		return isTrue(o.eval(n.Left)) && isTrue(o.eval(n.Right))
	case "||", "or":
		return isTrue(o.eval(n.Left)) || isTrue(o.eval(n.Right))
	case "??":
		if v := o.eval(n.Left); v != nil {
			return v
		}
		return o.eval(n.Right)
	}
	a, b := o.eval(n.Left), o.eval(n.Right)
	switch n.Operator {
	case "==":
		return equalValues(a, b)
	case "!=":
		return !equalValues(a, b)
	case "in":
		return isIn(a, b)
	case "<", "<=", ">", ">=":
		c, ok := orderOf(a, b)
		switch n.Operator {
		case "<":
			return ok && c < 0
		case "<=":
			return ok && c <= 0
		case ">":
			return ok && c > 0
		}
		return ok && c >= 0
	case "contains", "startsWith", "endsWith", "matches":
		return textOperation(n.Operator, a, b)
	case "..":
		return rangeOf(a, b)
	}
	return calculate(n.Operator, a, b)
}

func textOperation(operator string, a, b any) any {
	if a == nil || b == nil {
		return false
	}
	x, ok1 := a.(string)
	y, ok2 := b.(string)
	if !ok1 || !ok2 {
		undefine("no texts")
	}
	switch operator {
	case "contains":
		return strings.Contains(x, y)
	case "startsWith":
		return strings.HasPrefix(x, y)
	case "endsWith":
		return strings.HasSuffix(x, y)
	}
	pattern, err := regexp.Compile(y)
	if err != nil {
		undefine("no pattern")
	}
	return pattern.MatchString(x)
}

func rangeOf(a, b any) any {
	if a == nil || b == nil {
		return nil
	}
	from, ok1 := a.(int)
	to, ok2 := b.(int)
	if !ok1 || !ok2 {
		undefine("no range")
	}
	if to >= from && uint64(to)-uint64(from) > 5000 {
		panic(unsupported{"a range over budget"})
	}
	list := []any{}
	for ; from <= to; from++ {
		list = append(list, from)
	}
	return list
}

func isIn(a, b any) any {
	if a == nil || b == nil {
		return false
	}
	switch a.(type) {
	case oAddress, oNetwork:
		if text, ok := b.(string); ok {
			if b = readNetwork(text); b == nil {
				return false
			}
		}
	}
	switch b := b.(type) {
	case []any:
		return slices.ContainsFunc(b, func(item any) bool { return equalValues(a, item) })
	case members:
		key, ok := a.(string)
		_, found := b.values[key]
		return ok && found
	case oNetwork:
		return b.holds(a)
	}
	undefine("in")
	return nil
}

func isNumber(v any) bool {
	switch v.(type) {
	case int, float64:
		return true
	}
	return false
}

func floatOf(v any) float64 {
	if n, ok := v.(int); ok {
		return float64(n)
	}
	return v.(float64)
}

// arithmeticOf is ** and / of floats.
func arithmeticOf(operator string, x, y float64) any {
	switch operator {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	default:
		return math.Pow(x, y)
	}
}
