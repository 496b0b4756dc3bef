package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
)

// source returns an expression with what is known of the events that it will see.
func (c *compiler) source(x config.Expression, kind filters.Kind) filters.Expression {
	source := c.events
	source.Text, source.File, source.Line, source.Column = x.Text, x.File, x.Line, x.Column
	source.Kind, source.Positions = kind, x.Positions()
	return source
}

// expression compiles one, nil if there is none or it is wrong.
func (c *compiler) expression(below string, x config.Expression,
	kind filters.Kind) *filters.Filter {
	if x.IsZero() {
		return nil
	}
	f, err := filters.Compile(c.source(x, kind))
	if err != nil {
		c.wrong(below, x, err)
		return nil
	}
	c.expressions = append(c.expressions, Expression{f, below})
	return f
}

// wrong reports the mistakes in an expression at their places.
func (c *compiler) wrong(below string, x config.Expression, err error) {
	all := filters.Mistakes(err)
	if len(all) == 0 {
		c.Mistake(below, err)
		return
	}
	for _, wrong := range all {
		placed := Placed(c.Field+below, wrong)
		if x.Comment != "" && isAtEnd(wrong) {
			placed.Hint = `YAML takes " #" for the beginning of a comment, so the value ends there: put the expression in quotes`
		}
		c.Mistakes = append(c.Mistakes, placed)
	}
}

// Placed makes an error of the configuration of one in an expression.
func Placed(field string, e *filters.CompileError) config.Error {
	message, snippet, _ := strings.Cut(e.Detail(), "\n")
	return config.Error{File: e.Expression.File, Line: e.Line, Column: e.Column, Field: field,
		Message: message, Snippet: snippet}
}

// isAtEnd reports whether nothing follows a mistake, or all of it is in a text that is not closed.
func isAtEnd(e *filters.CompileError) bool {
	text := []rune(e.Expression.Text)
	if e.Offset >= len(text) {
		return true
	}
	at, rest := text[e.Offset], text[e.Offset+1:]
	return strings.TrimSpace(string(rest)) == "" ||
		strings.ContainsRune("\"'`", at) && !slices.Contains(rest, at)
}

func (c *compiler) definition(r config.Rule) rules.Definition {
	return rules.Definition{Name: r.Name, Severity: r.Severity, For: r.For.Duration,
		Repeat: r.Repeat.Duration, Deny: c.source(r.Deny, filters.KindDeny),
		Message: c.source(r.Message, filters.KindMessage), FailureViolates: r.OnError == "violated"}
}

func (c *compiler) ruleList() (all []*rules.Rule) {
	for i, r := range c.Listener.Rules {
		below := fmt.Sprintf(".rules[%d]", i)
		rule, err := rules.Compile(c.definition(r))
		if err != nil {
			if !c.wrongParts(below, r) {
				c.wrong(below, r.Deny, err) // of the rule
			}
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

// wrongParts reports the mistakes in both of a rule's expressions, and not in the first alone, as
// compiling the rule does. It reports whether there are any.
func (c *compiler) wrongParts(below string, r config.Rule) (found bool) {
	source, written := c.definition(r), []config.Expression{r.Deny, r.Message}
	for i, part := range []filters.Expression{source.Deny, source.Message} {
		part.Rule = source.Name
		if part.Text == "" {
			continue
		}
		if _, err := filters.Compile(part); err != nil {
			c.wrong(below, written[i], err)
			found = true
		}
	}
	return found
}
