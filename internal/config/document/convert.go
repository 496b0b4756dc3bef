package document

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// versioned is a field in a file that differs between versions.
type versioned struct {
	key, value *yaml.Node
	field      Field // as the file's version has it
}

// Convert returns a text without mistakes in another version of its format, which is one of
// [Kind.Versions], or "" for that of the tags json. Into is a pointer to the struct that it is read
// into. Only names and values that differ are replaced. The error is an [Errors] about values that
// are written in a way that cannot be replaced.
//
// A value may be used at several places by an alias. The caller must compare what the result means
// with what the text means.
func Convert(kind *Kind, file string, data []byte, into any, version string) ([]byte, error) {
	root, failed := parse(kind, file, data)
	if failed != nil {
		return nil, Errors{*failed}
	}
	d := newDecoder(kind, file, data)
	d.root(root, reflect.ValueOf(into).Elem())
	if mistakes := Gather(d.Report); len(mistakes) > 0 {
		return nil, mistakes
	}
	text := newSource(data)
	var edits []edit
	done := map[*yaml.Node]bool{}
	for _, v := range d.differ {
		if done[v.key] {
			continue // it is behind an alias, and was there before
		}
		done[v.key] = true
		changes, found := v.edits(text, kind, version)
		if !found {
			at := placeOf(v.value)
			return nil, Errors{{File: file, Line: at.Line, Column: at.Column, Field: v.field.Name,
				Message: v.field.Name + " is written in a way that cannot be converted",
				Hint:    "write it on one line, without escapes"}}
		}
		edits = append(edits, changes...)
	}
	return apply(data, edits), nil
}

// edits returns what changes of a field. It reports false if the text does not have it where the
// parser says.
func (v versioned) edits(text *source, kind *Kind, version string) ([]edit, bool) {
	there := v.base().In(version)
	key, found := text.token(v.key)
	if !found {
		return nil, false
	}
	edits := []edit{key.with(there.Name)}
	value := v.value
	for value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	was := value.Value
	if form, other := kind.Forms[v.field.Rules.Form]; other {
		was = form.Read(was)
	}
	if form, other := kind.Forms[there.Rules.Form]; other {
		was = form.Write(was)
	}
	if was == value.Value {
		return edits, true
	}
	token, found := text.token(v.value)
	return append(edits, token.with(was)), found
}

// base returns the field as the tags json have it.
func (v versioned) base() Field {
	for _, f := range FieldsOf(v.field.owner) {
		if f.index == v.field.index {
			return f
		}
	}
	return v.field
}

// edit replaces a part of a text.
type edit struct {
	from, to int
	by       string
}

func apply(data []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, data[at:e.from]...), e.by...)
		at = e.to
	}
	return append(out, data[at:]...)
}

// token is where a scalar or an alias is in a text, without its quotes.
type token struct {
	from, to int
	style    yaml.Style
}

func (t token) with(text string) edit {
	quoted := t.style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0
	if !quoted && !isPlain(text) {
		text = `"` + text + `"`
	}
	return edit{t.from, t.to, text}
}

// isPlain reports whether a text of letters, digits and punctuation that is not special stays a
// string without quotes.
func isPlain(text string) bool {
	var n yaml.Node
	return yaml.Unmarshal([]byte(text), &n) == nil && len(n.Content) == 1 &&
		n.Content[0].Kind == yaml.ScalarNode && n.Content[0].Tag == "!!str" &&
		n.Content[0].Value == text
}

// source finds the places of the YAML parser in a text.
type source struct {
	data    string
	lines   []int    // where each begins
	shorter [][2]int // offsets at which the parser was given less, and how much less up to there
}

func newSource(data []byte) *source {
	s := &source{lines: []int{0}}
	if json.Valid(data) {
		less := 0
		for _, at := range jsonEscape.FindAllIndex(data, -1) {
			if n := at[1] - at[0] - len(asYAML(data[at[0]:at[1]])); n > 0 {
				less += n
				s.shorter = append(s.shorter, [2]int{at[1] - less, less})
			}
		}
		data = asYAML(data)
	}
	s.data = string(data)
	for at := 0; at < len(s.data); {
		r, size := utf8.DecodeRuneInString(s.data[at:])
		at += size
		// These are the line breaks of YAML 1.1.
		if r == '\r' && strings.HasPrefix(s.data[at:], "\n") {
			at++
		}
		if strings.ContainsRune("\r\n\u0085\u2028\u2029", r) {
			s.lines = append(s.lines, at)
		}
	}
	return s
}

// token returns where a scalar is. It reports false if the text does not have it there as it is.
func (s *source) token(n *yaml.Node) (token, bool) {
	if n.Line < 1 || n.Line > len(s.lines) {
		return token{}, false
	}
	rest, text := s.data[s.lines[n.Line-1]:], n.Value
	if n.Line == 1 {
		rest = strings.TrimPrefix(rest, "\ufeff")
	}
	for range n.Column - 1 {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	if n.Anchor != "" {
		after, anchored := strings.CutPrefix(rest, "&"+n.Anchor)
		if !anchored {
			return token{}, false
		}
		rest = strings.TrimLeft(after, " ")
	}
	if n.Kind == yaml.AliasNode {
		text = "*" + n.Value
	}
	quote := ""
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		quote = `"`
	case n.Style&yaml.SingleQuotedStyle != 0:
		quote = "'"
	}
	from := len(s.data) - len(rest) + len(quote)
	at := s.origin(from)
	return token{at, at + len(text), n.Style}, strings.HasPrefix(rest, quote+text+quote)
}

// origin returns where an offset of what the parser was given is in the text.
func (s *source) origin(offset int) int {
	less := 0
	for _, part := range s.shorter {
		if part[0] <= offset {
			less = part[1]
		}
	}
	return offset + less
}
