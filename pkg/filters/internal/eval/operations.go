package eval

import (
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// resultType is what is known of an operation's result before it runs.
type resultType uint8

const (
	typeUnknown resultType = iota // it may be nil
	typeBool
	typeNumber
	typeText
)

// operation is a function that a rewritten expression calls by its name.
type operation struct {
	result resultType
	// bind returns the function for one evaluator. Its signature is one that expr's machine calls
	// without reflection or allocation.
	bind func(e *Evaluator) any
}

// operations are those that every program may call, by name. The names begin with '@', which
// no expression can spell. A Program has more of them, for what it refers to by number.
var operations = allOperations()

func allOperations() map[string]operation {
	all := map[string]operation{
		"@item":  {bind: func(e *Evaluator) any { return e.item }},
		"@items": {bind: func(e *Evaluator) any { return e.items }},
		"@get":   {bind: func(e *Evaluator) any { return e.get }},
		"@slice": {bind: func(e *Evaluator) any { return e.slice }},

		"@truth":  {typeBool, func(*Evaluator) any { return truth }},
		"@result": {typeBool, func(e *Evaluator) any { return e.result }},
		"@hasOld": {typeBool, func(e *Evaluator) any { return e.hasOld }},
		"@isnil":  {typeBool, func(*Evaluator) any { return values.IsNil }},
		"@==":     {typeBool, func(e *Evaluator) any { return e.equal }},
		"@in":     {typeBool, func(e *Evaluator) any { return e.in }},
		"@<":      {typeBool, func(e *Evaluator) any { return e.less }},
		"@<=":     {typeBool, func(e *Evaluator) any { return e.atMost }},
		"@>":      {typeBool, func(e *Evaluator) any { return e.more }},
		"@>=":     {typeBool, func(e *Evaluator) any { return e.atLeast }},

		"@contains": {typeBool, func(e *Evaluator) any {
			return e.textOperator("contains", strings.Contains)
		}},
		"@startsWith": {typeBool, func(e *Evaluator) any {
			return e.textOperator("startsWith", strings.HasPrefix)
		}},
		"@endsWith": {typeBool, func(e *Evaluator) any {
			return e.textOperator("endsWith", strings.HasSuffix)
		}},
		"@matches": {typeBool, func(e *Evaluator) any { return e.matches }},
		"@glob":    {typeBool, func(e *Evaluator) any { return e.glob }},

		"@..": {bind: func(e *Evaluator) any { return e.makeRange }},
		"@-x": {bind: func(e *Evaluator) any { return e.negate }},
		"@+x": {bind: func(e *Evaluator) any { return e.positive }},

		"@len":       {bind: func(e *Evaluator) any { return e.length }},
		"@first":     {bind: func(e *Evaluator) any { return e.first }},
		"@last":      {bind: func(e *Evaluator) any { return e.last }},
		"@keys":      {bind: func(e *Evaluator) any { return e.keys }},
		"@values":    {bind: func(e *Evaluator) any { return e.values }},
		"@owner":     {bind: func(e *Evaluator) any { return e.finder(lang.Finders["owner"]) }},
		"@condition": {bind: func(e *Evaluator) any { return e.finder(lang.Finders["condition"]) }},
		"@age":       {bind: func(e *Evaluator) any { return e.age }},
		"@int":       {bind: func(e *Evaluator) any { return e.int }},
		"@float":     {bind: func(e *Evaluator) any { return e.float }},
		"@date":      {bind: func(e *Evaluator) any { return e.date }},
		"@string":    {bind: func(e *Evaluator) any { return e.string }},
		"@message":   {bind: func(e *Evaluator) any { return e.messageText }},
		"@text":      {bind: func(e *Evaluator) any { return e.wholeText }},
		"@json":      {bind: func(e *Evaluator) any { return e.json }},
		"@indexOf": {bind: func(e *Evaluator) any {
			return e.indexOf("indexOf", strings.Index)
		}},
		"@lastIndexOf": {bind: func(e *Evaluator) any {
			return e.indexOf("lastIndexOf", strings.LastIndex)
		}},
		"@min":           {bind: func(e *Evaluator) any { return e.least("min", 1) }},
		"@max":           {bind: func(e *Evaluator) any { return e.least("max", -1) }},
		"@beginLoop":     {bind: func(e *Evaluator) any { return e.beginLoop }},
		"@sum":           {bind: func(e *Evaluator) any { return e.sum }},
		"@findLast":      {bind: func(e *Evaluator) any { return e.findLast }},
		"@findLastIndex": {bind: func(e *Evaluator) any { return e.findLastIndex }},
	}
	for _, operator := range []string{"+", "-", "*", "/", "%", "**", "^"} {
		all["@"+operator] = operation{bind: func(e *Evaluator) any {
			return e.arithmetic(operator)
		}}
	}
	for r := range values.ReaderCount {
		all["@"+values.Readers[r].Name] = operation{bind: func(e *Evaluator) any {
			return e.parseFunction(r)
		}}
	}
	for name := range lang.PlainFunctions { // those of expr, except for those above
		if _, ours := all["@"+name]; !ours {
			all["@"+name] = operation{bind: func(e *Evaluator) any { return e.plainFunction(name) }}
		}
	}
	return all
}

// environment binds the variables, and every operation that the program may call, to this
// evaluator.
func (e *Evaluator) environment() map[string]any {
	// as in the zero Event
	env := map[string]any{"op": "", "initial": false, "missed": 0, "resumed": false}
	for name, o := range operations {
		env[name] = o.bind(e)
	}
	for name, o := range e.program.operations {
		env[name] = o.bind(e)
	}
	return env
}

// environment returns the names that the program's code may use, for expr's checker and compiler.
func (p *Program) environment() map[string]any { return p.Evaluator().env }

func (e *Evaluator) less(a, b any) bool {
	c, ok := e.order("<", a, b)
	return ok && c < 0
}

func (e *Evaluator) atMost(a, b any) bool {
	c, ok := e.order("<=", a, b)
	return ok && c <= 0
}

func (e *Evaluator) more(a, b any) bool {
	c, ok := e.order(">", a, b)
	return ok && c > 0
}

func (e *Evaluator) atLeast(a, b any) bool {
	c, ok := e.order(">=", a, b)
	return ok && c >= 0
}
