package condition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/informer/event"
)

var testWords = [...]string{
	In: "in", NotIn: "not in", Exists: "exists", NotExists: "does not exist",
	StartsWith: "startsWith", NotStartsWith: "not startsWith",
	EndsWith: "endsWith", NotEndsWith: "not endsWith", Contains: "contains",
	NotContains: "not contains", Less: "<", NotLess: "not <",
	AtMost: "<=", NotAtMost: "not <=", More: ">", NotMore: "not >", AtLeast: ">=",
	NotAtLeast: "not >=", True: "is true",
	NotTrue: "is not true", Has: "has", NotHas: "has not", Differs: "differs",
	NotDiffers: "may differ", Any: "any", Every: "all",
}

// String returns the condition in the words of filters, as in label("tier") in ["a", "b"].
func (c Condition) String() string {
	if c.Of == OfAlternatives {
		var parts []string
		for _, list := range c.Either {
			if text := all(list); !slices.Contains(parts, text) {
				parts = append(parts, text)
			}
		}
		return strings.Join(parts, " or ")
	}
	if int(c.Test) >= len(testWords) {
		return fmt.Sprintf("%s test %d", c.subject(), c.Test)
	}
	word := testWords[c.Test]
	switch c.Test {
	case Any, Every:
		return word + "(" + c.subject() + ", " + all(c.Items) + ")"
	case In, NotIn:
		return c.subject() + " " + word + " [" + c.values() + "]"
	}
	if values := c.values(); values != "" {
		return c.subject() + " " + word + " " + values
	}
	return c.subject() + " " + word
}

// all joins conditions that must all hold; alternatives among them get brackets.
func all(list []Condition) string {
	var parts []string
	for _, c := range list {
		text := c.String()
		if c.Of == OfAlternatives && len(list) > 1 {
			text = "(" + text + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " and ")
}

func (c Condition) subject() string {
	subject := ""
	switch c.Of {
	case OfNamespace:
		subject = "namespace"
	case OfName:
		subject = "name"
	case OfLabel:
		subject = "label(" + strconv.Quote(c.Key) + ")"
	case OfField:
		subject = c.Key
	case OfOp:
		subject = "op"
	case OfItem:
		subject = "." + c.Key
		if c.Key == "" {
			subject = "#"
		}
	default:
		return fmt.Sprintf("subject %d", c.Of)
	}
	if c.Old {
		subject = "old " + subject
	}
	return subject
}

// values writes what the condition compares with.
func (c Condition) values() string {
	var values []string
	for _, v := range c.Values {
		if text := strconv.Quote(v); !slices.Contains(values, text) {
			values = append(values, text)
		}
	}
	for _, v := range c.Numbers {
		values = append(values, strconv.FormatFloat(v, 'g', -1, 64))
	}
	for _, v := range c.Bools {
		values = append(values, strconv.FormatBool(v))
	}
	for _, op := range event.Ops {
		if c.Ops.Has(op) {
			values = append(values, strconv.Quote(op.String()))
		}
	}
	return strings.Join(values, ", ")
}
