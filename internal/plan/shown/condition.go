package shown

import (
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

var onlyUpdates = event.OpSet(0).With(event.Update)

// operators are how expressions write a test; its opposite is the one below with "not".
var operators = map[condition.Test]string{
	condition.StartsWith: "startsWith", condition.EndsWith: "endsWith",
	condition.Contains: "contains", condition.Less: "<", condition.AtMost: "<=",
	condition.More: ">", condition.AtLeast: ">=",
}

// Condition returns a condition as an expression.
func Condition(c condition.Condition) string { return text(c, false) }

// text returns a condition as an expression about any event, or about updates alone.
func text(c condition.Condition, updates bool) string {
	subject, values := subjectOf(c), valuesOf(c)
	list := strings.Join(values, ", ")
	switch c.Test {
	case condition.In, condition.NotIn:
		if c.Of == condition.OfAlternatives {
			return alternatives(c, updates)
		}
		words := [...]string{" == ", " != ", " in [", " not in ["}
		if len(values) == 1 {
			return subject + words[c.Test] + list
		}
		return subject + words[2+c.Test] + list + "]"
	case condition.Exists:
		return subject + " != nil"
	case condition.NotExists:
		return subject + " == nil"
	case condition.True:
		return subject + " == true"
	case condition.NotTrue:
		return subject + " != true"
	case condition.Has:
		return list + " in " + subject
	case condition.NotHas:
		return list + " not in " + subject
	case condition.Differs:
		if updates {
			return "changed(" + strconv.Quote(c.Key) + ")"
		}
		before := c // which is missing, but of updates
		before.Old = true
		return subjectOf(before) + " != " + subject
	case condition.NotDiffers: // passes everything
		return "true"
	case condition.Any:
		return "any(" + subject + ", " + all(c.Items, updates) + ")"
	case condition.Every:
		return "all(" + subject + ", " + all(c.Items, updates) + ")"
	}
	if word, ok := operators[c.Test]; ok {
		return subject + " " + word + " " + list
	}
	if word, ok := operators[c.Test.Opposite()]; ok {
		return "!(" + subject + " " + word + " " + list + ")"
	}
	return c.String()
}

func alternatives(c condition.Condition, updates bool) string {
	var parts []string
	for _, list := range c.Either {
		parts = addOnce(parts, all(list, updates))
	}
	return strings.Join(parts, " || ")
}

// all returns conditions that must all hold; alternatives among them get brackets.
func all(list []condition.Condition, updates bool) string {
	return strings.Join(each(list, updates), " && ")
}

// each returns the conditions of a list, as they are next to each other.
func each(list []condition.Condition, updates bool) (parts []string) {
	updates = updates || slices.ContainsFunc(list, func(c condition.Condition) bool {
		return c.Of == condition.OfOp && c.Ops == onlyUpdates
	})
	for _, c := range list {
		text := text(c, updates)
		if c.Of == condition.OfAlternatives && len(list) > 1 && len(c.Either) > 1 {
			text = "(" + text + ")"
		}
		parts = addOnce(parts, text)
	}
	return parts
}

func subjectOf(c condition.Condition) string {
	state, subject := "object", ""
	if c.Old {
		state = "old"
	}
	field := func(path string) string { return state + steps(path) }
	switch c.Of {
	case condition.OfNamespace:
		subject = field("metadata.namespace")
	case condition.OfName:
		subject = field("metadata.name")
	case condition.OfLabel:
		subject = "label(" + strconv.Quote(c.Key) + ")"
		if c.Old {
			subject = field("metadata.labels[" + strconv.Quote(c.Key) + "]")
		}
	case condition.OfField:
		subject = field(c.Key)
	case condition.OfOp:
		subject = "op"
	case condition.OfItem:
		if subject = steps(c.Key); subject == "" || subject[0] == '[' {
			subject = "#" + subject
		}
	}
	switch c.As {
	case condition.AsQuantity:
		return "quantity(" + subject + ")"
	case condition.AsVersion:
		return "semver(" + subject + ")"
	}
	return subject
}

// valuesOf returns what a condition compares with.
func valuesOf(c condition.Condition) (values []string) {
	for _, v := range c.Values {
		values = addOnce(values, strconv.Quote(v))
	}
	for _, v := range c.Numbers {
		values = append(values, strconv.FormatFloat(v, 'f', -1, 64))
	}
	for _, v := range c.Bools {
		values = append(values, strconv.FormatBool(v))
	}
	for _, op := range event.Ops {
		if c.Ops.Has(op) {
			values = append(values, strconv.Quote(op.String()))
		}
	}
	return values
}

func addOnce(all []string, text string) []string {
	for _, is := range all {
		if is == text {
			return all
		}
	}
	return append(all, text)
}

// Each returns conditions as expressions that must all be true.
// On are the ops of the events.
func Each(on event.OpSet, list []condition.Condition) []string {
	return each(list, on == onlyUpdates)
}
