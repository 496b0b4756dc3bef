package migrate

import (
	"fmt"
	"strconv"
	"strings"
	"text/template/parse"
)

// template translates a Go template about an Event, as event-exporter has them, to an expression of
// an output.
type template struct {
	// untranslated says what of it has no expression. Differs says what is translated, and does
	// not return quite the same.
	untranslated, differs []string
	event                 func(path []string) (value, error)
}

// value is a translated part of a template.
type value struct {
	text string
	is   valueKind
}

type valueKind byte

const (
	aText   valueKind = iota // never nil
	aNumber                  // never nil
	aTruth
	aJSON // of any shape, whose text a template writes
)

// asText returns the expression of the value's text.
func (v value) asText() string {
	switch v.is {
	case aNumber, aTruth:
		return "string(" + v.text + ")"
	}
	return v.text
}

// asTruth returns when a template takes the value for true.
func (v value) asTruth() condition {
	switch v.is {
	case aTruth:
		return isTrue(v.text)
	case aNumber:
		return isTrue(v.text + " != 0")
	case aJSON:
		return isTrue(v.text + " != nil")
	}
	return isTrue("(" + v.text + `) != ""`)
}

// expression returns the expression of a template, "" if there is none.
func (t *template) expression(text string) string {
	tree, err := t.parse(text)
	if err != nil {
		t.untranslated = append(t.untranslated, "it is not a template: "+err.Error())
		return ""
	}
	if tree == nil {
		return quoted(text)
	}
	return t.list(tree)
}

// parse returns nil for a text without templates. The parser may not end the process.
func (t *template) parse(text string) (list *parse.ListNode, err error) {
	if !strings.Contains(text, "{{") {
		return nil, nil
	}
	tree := parse.New("template")
	tree.Mode = parse.SkipFuncCheck
	if tree, err = tree.Parse(text, "", "", map[string]*parse.Tree{}); err != nil {
		_, after, _ := strings.Cut(err.Error(), "template: ")
		return nil, fmt.Errorf("%s", after)
	}
	return tree.Root, nil
}

// list translates what follows each other, which is written without anything between.
func (t *template) list(list *parse.ListNode) string {
	if list == nil {
		return `""`
	}
	var parts []string
	var whole value
	translated, texts := 0, 0
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.TextNode:
			texts++
			parts = append(parts, quoted(string(n.Text)))
		case *parse.CommentNode:
		default:
			v, err := t.node(n)
			if err != nil {
				t.untranslated = append(t.untranslated, err.Error())
				continue
			}
			translated++
			whole = v
			if v.is == aJSON && len(list.Nodes) > 1 {
				t.untranslated = append(t.untranslated,
					n.String()+" in a text: expressions do not write JSON as text")
				translated--
				continue
			}
			part := v.asText()
			if len(list.Nodes) > 1 && strings.ContainsAny(part, "?&|") {
				part = "(" + part + ")"
			}
			parts = append(parts, part)
		}
	}
	switch {
	case translated == 0 && texts < len(list.Nodes):
		return ""
	case len(list.Nodes) == 1 && whole.is == aJSON:
		t.differs = append(t.differs, "it is JSON here, and not a text that has JSON in it")
		return whole.text
	case len(parts) == 0:
		return `""`
	}
	return strings.Join(parts, " + ")
}

func (t *template) node(n parse.Node) (value, error) {
	switch n := n.(type) {
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 {
			return t.pipe(n.Pipe)
		}
	case *parse.IfNode:
		if len(n.Pipe.Decl) == 0 {
			v, err := t.pipe(n.Pipe)
			if err != nil {
				return v, err
			}
			yes, no := t.list(n.List), t.list(n.ElseList)
			if yes == "" || no == "" {
				return v, fmt.Errorf("{{if}} around what has no expression")
			}
			return value{fmt.Sprintf("%s ? %s : %s", v.asTruth(), yes, no), aText}, nil
		}
	}
	return value{}, fmt.Errorf("%s has no expression", truncate(n.String()))
}

func truncate(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

func (t *template) pipe(p *parse.PipeNode) (v value, err error) {
	for i, c := range p.Cmds {
		var last []value
		if i > 0 {
			last = []value{v}
		}
		if v, err = t.command(c, last); err != nil {
			return v, err
		}
	}
	return v, nil
}

func (t *template) command(c *parse.CommandNode, last []value) (value, error) {
	name, is := c.Args[0].(*parse.IdentifierNode)
	if !is {
		if len(c.Args) > 1 || len(last) > 0 {
			return value{}, fmt.Errorf("%s has no expression", truncate(c.String()))
		}
		return t.argument(c.Args[0])
	}
	if path, is := indexed(name.Ident, c.Args[1:]); is {
		return t.event(path)
	}
	var args []value
	for _, a := range c.Args[1:] {
		v, err := t.argument(a)
		if err != nil {
			return v, err
		}
		args = append(args, v)
	}
	return t.call(name.Ident, append(args, last...), c)
}

// indexed returns the path of an index call with constant texts, as in index .Labels "app".
func indexed(name string, args []parse.Node) (path []string, is bool) {
	if name != "index" || len(args) < 2 {
		return nil, false
	}
	f, is := args[0].(*parse.FieldNode)
	if !is {
		return nil, false
	}
	path = append(path, f.Ident...)
	for _, a := range args[1:] {
		s, is := a.(*parse.StringNode)
		if !is {
			return nil, false
		}
		path = append(path, s.Text)
	}
	return path, true
}

func (t *template) argument(n parse.Node) (value, error) {
	switch n := n.(type) {
	case *parse.FieldNode:
		return t.event(n.Ident)
	case *parse.DotNode:
		return t.event(nil)
	case *parse.StringNode:
		return value{quoted(n.Text), aText}, nil
	case *parse.NumberNode:
		if n.IsInt {
			return value{strconv.FormatInt(n.Int64, 10), aNumber}, nil
		}
	case *parse.BoolNode:
		return value{strconv.FormatBool(n.True), aTruth}, nil
	case *parse.PipeNode:
		return t.pipe(n)
	}
	return value{}, fmt.Errorf("%s has no expression", truncate(n.String()))
}

// call translates a function of templates or of sprig.
func (t *template) call(name string, args []value, c *parse.CommandNode) (value, error) {
	n := len(args)
	switch {
	case n == 1 && (name == "toString" || name == "print"):
		return value{args[0].asText(), aText}, nil
	case n == 1 && (name == "lower" || name == "upper" || name == "trim"):
		return value{name + "(" + args[0].asText() + ")", aText}, nil
	case n == 1 && (name == "toJson" || name == "toPrettyJson" || name == "toRawJson"):
		args[0].is = aJSON
		return args[0], nil
	case n == 1 && name == "quote" && args[0].is != aJSON:
		return value{`"\"" + ` + grouped(args[0].asText()) + ` + "\""`, aText}, nil
	case n == 1 && name == "not":
		return value{notTrue(args[0].asTruth()).String(), aTruth}, nil
	case n == 2 && name == "default":
		given := args[1].asTruth().String()
		return value{fmt.Sprintf("%s ? %s : %s", given, args[1].asText(), args[0].asText()),
			aText}, nil
	case n == 2 && (name == "eq" || name == "ne") && args[0].is == args[1].is:
		word := map[string]string{"eq": " == ", "ne": " != "}[name]
		return value{grouped(args[0].text) + word + grouped(args[1].text), aTruth}, nil
	case n >= 2 && (name == "and" || name == "or"):
		truths := make([]condition, n)
		for i, a := range args {
			if a.is != aTruth {
				return value{}, fmt.Errorf("%s has no expression", truncate(c.String()))
			}
			truths[i] = a.asTruth()
		}
		if name == "and" {
			return value{allOf(truths...).String(), aTruth}, nil
		}
		return value{anyOf(truths...).String(), aTruth}, nil
	}
	return value{}, fmt.Errorf("the function %s has no expression", name)
}

func grouped(text string) string {
	if strings.ContainsAny(text, "?&| ") {
		return "(" + text + ")"
	}
	return text
}
