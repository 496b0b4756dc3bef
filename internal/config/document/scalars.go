package document

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/notyaml"
	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters"
)

// scalar reports whether the node is a scalar of the tag's type. If not, it is a mistake.
func (d *decoder) scalar(n *yaml.Node, path, tag, want, hint string) bool {
	if n.Kind == yaml.ScalarNode && n.Tag == tag {
		return true
	}
	d.wrongType(n, path, want, hint)
	return false
}

func (d *decoder) wrongType(n *yaml.Node, path, want, hint string) {
	name := path
	if name == "" {
		name = "the " + d.kind.Noun
	}
	if d.kind.Instead != nil && !d.trial {
		if hint2 := d.kind.Instead(path, hint, shapeOf(n, d.tree)); hint2 != "" {
			hint = hint2
		}
	}
	is := describe(n)
	if notyaml.IsTemplate(n) {
		is, hint = "a template", "templates are not replaced: render the file first, as with helm template, or write what belongs there"
	}
	if d.isSecret(n) {
		is = "a string"
	}
	d.SetFailed(path)
	d.Add(placeOf(n), path, hint, "%s must be %s, is %s", name, want, is)
}

// describe returns what a node is, as in "a list".
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!int" || n.Tag == "!!float":
		return "the number " + strings.Trim(Quote(n.Value), `"`)
	case n.Tag == "!!bool":
		return n.Value
	case n.Tag == "!!null":
		return "nothing"
	case n.Tag == "!!timestamp":
		return "the date " + n.Value
	default:
		return "the string " + Quote(n.Value)
	}
}

func (d *decoder) text(n *yaml.Node, path string, t reflect.Type) (string, bool) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		return n.Value, true
	}
	d.wrongType(n, path, "a string", d.textHint(n, path, t))
	return n.Value, false
}

const durationHint = "write a number and a unit (d, h, m, s, ms), as in 90s, 1h30m or 7d"

func (d *decoder) duration(n *yaml.Node, into *metav1.Duration, path string) {
	t := reflect.TypeFor[metav1.Duration]()
	if n.Kind == yaml.ScalarNode && n.Tag == "!!int" {
		if n.Value != "0" {
			d.BadValue(path, d.durationHintFor(n, path, t), "%s has no unit, is %s", path,
				describe(n))
		}
		return
	}
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		d.wrongType(n, path, "a duration", d.durationHintFor(n, path, t))
		return
	}
	duration, ok := filters.ParseDuration(n.Value)
	switch {
	case !ok:
		d.BadValue(path, d.durationHintFor(n, path, t), "%s must be a duration, is %s", path, Quote(n.Value))
	case duration < 0:
		d.BadValue(path, "", "%s must not be negative, is %s", path, n.Value)
	default:
		into.Duration = duration
	}
}

const timeHint = "write it as in 2026-01-01T00:00:00Z"

// time decodes a point in time. It needs a zone: YAML would take UTC, other tools local time.
func (d *decoder) time(n *yaml.Node, into *time.Time, path string) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" && n.Tag != "!!timestamp" {
		d.wrongType(n, path, "a time", timeHint)
		return
	}
	t, err := time.Parse(time.RFC3339Nano, n.Value)
	if err != nil {
		d.BadValue(path, timeHint, "%s must be a time with a zone, is %s", path, Quote(n.Value))
		return
	}
	*into = t.UTC()
}

const bytesHint = "write a number and a unit (Ki, Mi, Gi), as in 16Mi"

// bytes decodes a quantity. Its length is limited because a quantity's exponent may ask for any
// number of digits.
func (d *decoder) bytes(n *yaml.Node, into *Bytes, path string) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" && n.Tag != "!!int" {
		d.wrongType(n, path, "a quantity of bytes", bytesHint)
		return
	}
	quantity, err := resource.ParseQuantity(n.Value)
	if err != nil || len(n.Value) > 20 || strings.ContainsAny(n.Value, "eE") {
		d.BadValue(path, d.bytesHintFor(n, path, reflect.TypeFor[Bytes]()),
			"%s must be a quantity of bytes, is %s", path, Quote(n.Value))
		return
	}
	size, whole := quantity.AsInt64()
	switch {
	case quantity.Sign() < 0:
		d.BadValue(path, "", "%s must not be negative, is %s", path, n.Value)
	case !whole && strings.HasSuffix(n.Value, "m"):
		d.BadValue(path, "m is a thousandth: "+bytesHint, "%s must be whole bytes, is %s", path,
			n.Value)
	case !whole:
		d.BadValue(path, bytesHint, "%s must be whole bytes below 2^63, is %s", path, n.Value)
	default:
		*into = Bytes(size)
	}
}

// DidYouMean returns a hint that names the known word nearest to a wrong one, empty if none is
// near.
func DidYouMean(word string, known []string) string {
	if name, ok := nearest.Name(word, known); ok {
		return fmt.Sprintf("did you mean %q?", name)
	}
	return ""
}

func (d *decoder) expression(n *yaml.Node, into *Expression, path string) {
	text, ok := d.text(n, path, reflect.TypeFor[Expression]())
	if !ok {
		return
	}
	*into = Expression{Text: text, File: d.file, Line: n.Line, Column: n.Column}
	if n.Style == 0 && n.LineComment != "" {
		into.Comment = n.LineComment
		d.commentedOut(n, path)
	}
	if all := d.positions(n, text); all != nil {
		into.positions = &all
	}
	switch {
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		into.Line, into.Column = n.Line+1, d.blockIndent(n.Line, text)+1
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		into.Column++
	}
	d.locate(into)
}

// locate makes the places of an expression those in its file.
func (d *decoder) locate(x *Expression) {
	file, at := d.Located(Place{Line: x.Line})
	moved := x.Line - at.Line
	x.File, x.Line = file, at.Line
	if moved == 0 || x.positions == nil {
		return
	}
	for i := range *x.positions {
		(*x.positions)[i].Line -= moved
	}
}

var continuation = regexp.MustCompile(`^#+\s*(&&|\|\||and\b|or\b|in\b|[=!<>]=?|[-+)\]?:])`)

// commentedOut warns of a comment that looks like the rest of the expression.
func (d *decoder) commentedOut(n *yaml.Node, path string) {
	if continuation.MatchString(n.LineComment) {
		d.Warn(placeOf(n), path,
			"put the expression in quotes, or the comment on a line of its own",
			`%s ends before " #", where YAML begins a comment: %s`, path, Quote(n.LineComment))
	}
}

// blockIndent returns how far the text of a block scalar is indented. It compares the first line
// that is not blank in the file, after the header, with that of the text.
func (d *decoder) blockIndent(header int, text string) int {
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) != "" {
			for _, source := range d.lines[min(header, len(d.lines)):] {
				if strings.TrimSpace(source) != "" {
					return max(0, leadingSpaces(source)-leadingSpaces(line))
				}
			}
		}
	}
	return 0
}

func leadingSpaces(s string) int {
	return utf8.RuneCountInString(s) - utf8.RuneCountInString(strings.TrimLeft(s, " "))
}

var (
	onWords  = []string{"true", "yes", "on", "1", "y", "enabled", "always"}
	offWords = []string{"false", "no", "off", "0", "n", "disabled", "none", "never"}
)

// boolHint returns what to write in place of a value that is not true or false.
func boolHint(n *yaml.Node) string {
	switch word := strings.ToLower(n.Value); {
	case n.Kind != yaml.ScalarNode:
	case slices.Contains(onWords, word):
		return "write true"
	case slices.Contains(offWords, word):
		return "write false"
	}
	return "write true or false"
}
