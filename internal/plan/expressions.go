package plan

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/written"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
)

// source returns an expression with what is known of the events that it will see.
func (c *compiler) source(x config.Expression, kind filters.Kind) filters.Expression {
	source := c.events
	source.Text, source.File, source.Line, source.Column = x.Text, x.File, x.Line, x.Column
	source.Kind, source.Positions, source.Comment = kind, x.Positions(), x.Comment != ""
	return source
}

// expression compiles one, nil if there is none or it is wrong.
func (c *compiler) expression(below string, x config.Expression,
	kind filters.Kind) *filters.Filter {
	if x.IsZero() {
		return nil
	}
	source := c.source(x, kind)
	f, err := filters.Compile(source)
	if err != nil && kind == filters.KindData && c.writtenAsYAML(below, source) {
		return nil
	}
	if err != nil {
		c.wrong(below, err)
		return nil
	}
	c.expressions = append(c.expressions, Expression{f, below})
	return f
}

// writtenAsYAML reports whether an expression is an object as YAML has it, which is the mistake
// then.
func (c *compiler) writtenAsYAML(below string, source filters.Expression) bool {
	compiles := func(text string) bool {
		source.Text, source.Positions = text, nil
		_, err := filters.Compile(source)
		return err == nil
	}
	write := written.Expression(source.Text, func(text string) bool {
		return !strings.Contains(text, " ") && compiles(text)
	})
	if write == "" || !compiles(write) {
		return false
	}
	c.Mistakes = append(c.Mistakes, c.Config.ErrorAt(c.Field+below,
		c.Field+below+" is an expression, and this is YAML", "write "+write))
	return true
}

// wrong reports the mistakes in an expression at their places.
func (c *compiler) wrong(below string, err error) {
	all := filters.Mistakes(err)
	if len(all) == 0 {
		c.Mistake(below, err)
		return
	}
	for _, wrong := range all {
		c.Mistakes = append(c.Mistakes, Placed(c.Field+below, wrong))
	}
}

// Placed makes an error of the configuration of one in an expression.
func Placed(field string, e *filters.CompileError) config.Error {
	message, snippet, _ := strings.Cut(e.Detail(), "\n")
	placed := config.Error{File: e.Expression.File, Line: e.Line, Column: e.Column,
		Field: field, Message: message, Snippet: snippet}
	if e.Expression.Comment && strings.TrimSpace(e.Rest()) == "" {
		placed.Hint = `YAML takes " #" for the beginning of a comment, so the value ends there: put the expression in quotes`
	}
	return placed
}

func (c *compiler) ruleList() (all []*rules.Rule) {
	for i, r := range c.Listener.Rules {
		below := fmt.Sprintf(".rules[%d]", i)
		source := rules.Definition{
			Name: r.Name, Severity: r.Severity, For: r.For.Duration, Repeat: r.Repeat.Duration,
			Deny: c.source(r.Deny, filters.KindDeny), Message: c.source(r.Message,
				filters.KindMessage),
		}
		source.Message.Given = []string{c.Listener.Select.Text}
		if inf := c.Listener.Informer(); inf != nil {
			source.Message.Given = append(source.Message.Given, inf.LabelSelector)
		}
		rule, err := rules.Compile(source)
		if err != nil {
			c.wrongRule(below, source, err)
			continue
		}
		c.expressions = append(c.expressions, Expression{rule.Deny(), below + ".deny"})
		if m := rule.Message(); m != nil {
			c.expressions = append(c.expressions, Expression{m, below + ".message"})
		}
		all = append(all, rule)
	}
	return all
}

// wrongRule reports the mistakes in both of a rule's expressions, and not in the first alone, as
// compiling the rule does.
func (c *compiler) wrongRule(below string, source rules.Definition, err error) {
	found := false
	for _, part := range []filters.Expression{source.Deny, source.Message} {
		part.Rule = source.Name
		if part.Text == "" {
			continue
		}
		if _, err := filters.Compile(part); err != nil {
			c.wrong(below, err)
			found = true
		}
	}
	if !found {
		c.wrong(below, err)
	}
}
