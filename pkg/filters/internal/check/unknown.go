package check

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/builtin"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/places"
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
)

// unknownName returns the mistake of an unknown name, with what may have been meant.
func (s draft) unknownName(name string, offset int) *lang.CompileError {
	kind := s.Kind.Word()
	if hint, fix := s.KeyAt(offset); fix != nil {
		return s.Proposed(offset, fix,
			"unknown name %q; a key with dots, dashes or slashes is not a path of fields: %s", name,
			hint)
	}
	text := []rune(s.Text)
	end := offset + len([]rune(name))
	called := strings.HasPrefix(strings.TrimLeft(string(text[min(end, len(text)):]), " "), "(")
	if called {
		return s.unknownFunction(name, offset)
	}
	if e := s.Dashed(offset, text); e != nil {
		return e
	}
	if by, to := syntax.OfWatch(text, offset); by != "" && s.Kind.SeesEvents() {
		return s.Proposed(offset, &lang.Fix{From: offset, To: to, Text: by},
			"unknown name %q; write %s", name, by)
	}
	if by, to := syntax.OfRequest(text, offset); by != "" && (by == "object" || s.Kind.SeesEvents()) {
		return s.Proposed(offset, &lang.Fix{From: offset, To: to, Text: by},
			"unknown name %q; write %s", name, by)
	}
	if by, to := syntax.OfAlert(text, offset); by != "" && s.Kind.SeesMessages() {
		return s.Proposed(offset, &lang.Fix{From: offset, To: to, Text: by},
			"unknown name %q; whether a rule is violated says the variable violated: write %s", name,
			by)
	}
	if e := s.OfEventObject(name, offset, text); e != nil {
		return e
	}
	if e := s.ItemName(name, offset, text); e != nil {
		return e
	}
	replace := func(by string) *lang.Fix { return &lang.Fix{From: offset, To: end, Text: by} }
	before, here := strings.TrimRight(string(text[:offset]), " "), s.NameHere(name, offset, text)
	switch word := strings.ToLower(name); {
	case strings.HasSuffix(before, ".."):
		from := len([]rune(strings.TrimSuffix(before, "..")))
		return s.Proposed(offset, &lang.Fix{From: from, To: offset, Text: "."},
			`unknown name %q; ".." makes a range of numbers: one dot leads to a field`, name)
	case s.Kind.SeesEvents() && syntax.OpMeant(name) != "" && syntax.ComparesOp(before, string(text[end:])):
		by := strconv.Quote(syntax.OpMeant(name))
		return s.Proposed(offset, replace(by), "unknown name %q; op is a text: write %s", name, by)
	case (word == "true" || word == "false") && ofStatus.MatchString(before):
		by := map[string]string{"true": `"True"`, "false": `"False"`}[word]
		return s.Proposed(offset, replace(by), "unknown name %q; the status of a condition is a text: write %s",
			name, by)
	case here != "" && (here != "old" && here != "op" || s.Kind.SeesEvents()):
		return s.Proposed(offset, replace(here), "unknown name %q; write %s", name, here)
	case syntax.TakesText(before, string(text[end:])):
		by := strconv.Quote(name)
		return s.Proposed(offset, replace(by), "unknown name %q; text needs quotes: write %s", name, by)
	case s.IsTopField(name):
		return s.Proposed(offset, replace("object."+name), "unknown name %q; write object.%[1]s",
			name)
	case slices.Contains(syntax.OfMetadata, name):
		return s.Proposed(offset, replace("object.metadata."+name),
			"unknown name %q; write object.metadata.%[1]s", name)
	}
	if _, exists := builtin.Index[name]; exists {
		e := s.CompileError(offset, "the function %s is not available in %s", name, kind.Plural)
		if note := habits.Table[name].Note; note != "" {
			e.Message += "; " + note
		}
		return e
	}
	known := s.Kind.Variables()
	if !strings.HasPrefix(string(text[end:]), ".") { // a function has no fields
		known = append(known, s.Kind.Functions()...)
	}
	if slices.Contains(lang.MessageVariables, name) && !s.Kind.Has(name) {
		return s.CompileError(offset, "unknown name %q; only the expressions of outputs have it",
			name)
	}
	if near := nearestOf(name, known); near != "" {
		return s.Proposed(offset, replace(near), "unknown name %q; did you mean %q?", name, near)
	}
	if s.Kind.Returns() == lang.ReturnsText && strings.TrimSpace(s.Text) == name {
		return s.Prose(offset, fmt.Sprintf("unknown name %q", name))
	}
	if e := s.Item(name, offset, text); e != nil {
		return e
	}
	if syntax.ComparedBefore.MatchString(before) && !strings.HasPrefix(string(text[end:]), ".") {
		by := strconv.Quote(name)
		return s.Proposed(offset, replace(by), "unknown name %q; text needs quotes: write %s", name, by)
	}
	asked := places.Asked{Text: s.Text, Offset: offset, Key: name, Root: s.Schema}
	if hint, general, fix := asked.Bare(); hint != "" && s.Kind.Has("object") {
		e := s.Proposed(offset, fix, "unknown name %q; %s", name, hint)
		e.General = fmt.Sprintf("unknown name %q; %s", name, general)
		return e
	}
	return s.CompileError(offset, "unknown name %q%s", name, s.variablesHint())
}

// ofStatus ends with a comparison of the status of a condition.
var ofStatus = regexp.MustCompile(`\.status\s*[=!]=$`)

// variablesHint returns the hint for a name that is not like any other.
func (s draft) variablesHint() string {
	return "; text needs quotes, and a field begins with object; the variables are " +
		strings.Join(s.Kind.Variables(), ", ")
}
