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
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
)

// names are variables and constants of other languages, in lower case, with their names
// here.
var names = map[string]string{
	"null": "nil", "none": "nil", "undefined": "nil", "nil": "nil", "nill": "nil", "nul": "nil",
	"true": "true", "false": "false",
	"oldobject": "old", "old_object": "old", "oldobj": "old", "previous": "old", "prev": "old",
	"newobject": "object", "new_object": "object", "newobj": "object", "self": "object",
	"this": "object", "current": "object",
	"object": "object", "obj": "object", "item": "object", "$": "object", "resource": "object",
	"operation": "op", "action": "op", "event": "op",
}

// dottedKey is the key of a label or annotation, written as if each of its parts were a
// field.
var dottedKey = regexp.MustCompile(
	`\b(object|old)\.metadata\.(label|annotation)s\.([A-Za-z0-9][A-Za-z0-9_]*(?:[-./][A-Za-z0-9_]+)+)`)

// keyAt proposes label("…") for a dotted key around offset.
func (s draft) keyAt(offset int) (hint string, fix *lang.Fix) {
	for _, found := range dottedKey.FindAllStringSubmatchIndex(s.Text, -1) {
		from, to := len([]rune(s.Text[:found[0]])), len([]rune(s.Text[:found[1]]))
		if offset < from || offset >= to {
			continue
		}
		root, what, key := s.Text[found[2]:found[3]], s.Text[found[4]:found[5]],
			s.Text[found[6]:found[7]]
		text := fmt.Sprintf("%s(%q)", what, key)
		if root == "old" {
			text = fmt.Sprintf("old.metadata.%ss[%q]", what, key)
		}
		fix := &lang.Fix{From: from, To: to, Text: text}
		if !s.Mends(*fix, offset) {
			continue
		}
		return "write " + text, fix
	}
	return "", nil
}

// unknownName returns the mistake of an unknown name, with what may have been meant.
func (s draft) unknownName(name string, offset int) *lang.CompileError {
	kind := s.Kind.Word()
	if hint, fix := s.keyAt(offset); fix != nil {
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
	if by, to := ofWatch(text, offset); by != "" && s.Kind.SeesEvents() {
		return s.Proposed(offset, &lang.Fix{From: offset, To: to, Text: by},
			"unknown name %q; write %s", name, by)
	}
	if by, to := ofRequest(text, offset); by != "" && (by == "object" || s.Kind.SeesEvents()) {
		return s.Proposed(offset, &lang.Fix{From: offset, To: to, Text: by},
			"unknown name %q; write %s", name, by)
	}
	if e := s.ofEventObject(name, offset, text); e != nil {
		return e
	}
	if e := s.itemName(name, offset, text); e != nil {
		return e
	}
	replace := func(by string) *lang.Fix { return &lang.Fix{From: offset, To: end, Text: by} }
	before := strings.TrimRight(string(text[:offset]), " ")
	switch word := strings.ToLower(name); {
	case strings.HasSuffix(before, ".."):
		from := len([]rune(strings.TrimSuffix(before, "..")))
		return s.Proposed(offset, &lang.Fix{From: from, To: offset, Text: "."},
			`unknown name %q; ".." makes a range of numbers: one dot leads to a field`, name)
	case s.Kind.SeesEvents() && syntax.OpMeant(name) != "" && comparesOp(before, string(text[end:])):
		by := strconv.Quote(syntax.OpMeant(name))
		return s.Proposed(offset, replace(by), "unknown name %q; op is a text: write %s", name, by)
	case (word == "true" || word == "false") && ofStatus.MatchString(before):
		by := map[string]string{"true": `"True"`, "false": `"False"`}[word]
		return s.Proposed(offset, replace(by), "unknown name %q; the status of a condition is a text: write %s",
			name, by)
	case names[word] != "" && (names[word] != "old" && names[word] != "op" || s.Kind.SeesEvents()):
		return s.Proposed(offset, replace(names[word]), "unknown name %q; write %s", name,
			names[word])
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
	if e := s.item(name, offset, text); e != nil {
		return e
	}
	if comparedBefore.MatchString(before) && !strings.HasPrefix(string(text[end:]), ".") {
		by := strconv.Quote(name)
		return s.Proposed(offset, replace(by), "unknown name %q; text needs quotes: write %s", name, by)
	}
	return s.CompileError(offset, "unknown name %q%s", name, s.variablesHint())
}

// comparedBefore ends with an operator behind which a text is likely.
var comparedBefore = regexp.MustCompile(
	`(==|!=|\bcontains|\bstartsWith|\bendsWith|\bmatches|\bin\s*\[[^\]]*)\s*$`)

// ofStatus ends with a comparison of the status of a condition.
var ofStatus = regexp.MustCompile(`\.status\s*[=!]=$`)

// variablesHint returns the hint for a name that is not like any other.
func (s draft) variablesHint() string {
	return "; text needs quotes, and a field begins with object; the variables are " +
		strings.Join(s.Kind.Variables(), ", ")
}

// itemName recognizes a name that an item of a list has in other languages: item.name, c.name.
func (s draft) itemName(name string, offset int, text []rune) *lang.CompileError {
	if len(name) > 1 && !slices.Contains(habits.ItemNames, strings.ToLower(name)) {
		return nil
	}
	return s.item(name, offset, text)
}

// item proposes an item of a list, or a field of it, for a name within any(…) and the like.
func (s draft) item(name string, offset int, text []rune) *lang.CompileError {
	end := offset + len([]rune(name))
	if !syntax.InsidePredicate(string(text[:offset])) {
		return nil
	}
	fix := &lang.Fix{From: offset, To: end, Text: "#"}
	if end+1 < len(text) && text[end] == '.' && syntax.IsWordRune(text[end+1]) {
		*fix = lang.Fix{From: offset, To: end + 1, Text: "."}
	}
	if !s.Mends(*fix, offset) {
		return nil
	}
	return s.Proposed(offset, fix,
		"unknown name %q; within any(…) and the like an item is #, and a field of it is .name", name)
}

var eventField = regexp.MustCompile(`^event\.(object\b|[A-Za-z]\w*)`)

// ofEventObject recognizes event.object, and event.type of an object that is itself an event.
func (s draft) ofEventObject(name string, offset int, text []rune) *lang.CompileError {
	found := eventField.FindStringSubmatch(string(text[offset:]))
	if name != "event" || found == nil {
		return nil
	}
	switch {
	case found[1] == "object" || found[1] == "op" && s.Kind.SeesEvents():
		end := offset + len("event.")
		return s.Proposed(offset, &lang.Fix{From: offset, To: end}, "unknown name %q; write %s",
			name, found[1])
	case s.IsTopField(found[1]):
		return s.Proposed(offset, &lang.Fix{From: offset, To: offset + len(name), Text: "object"},
			"unknown name %q; write object", name)
	}
	return nil
}

var watchEvent = regexp.MustCompile(
	`^(?:type|eventType|watchEvent|event\.type|request\.operation)\s*(==|!=)\s*["'](\w+)["']`)

// ofWatch translates a comparison of the type of a watch event, such as type == "ADDED".
func ofWatch(text []rune, offset int) (by string, end int) {
	found := watchEvent.FindStringSubmatch(string(text[offset:]))
	if found == nil || syntax.OpMeant(found[2]) == "" {
		return "", 0
	}
	return fmt.Sprintf("op %s %q", found[1], syntax.OpMeant(found[2])), offset + len([]rune(found[0]))
}

var admissionRequest = regexp.MustCompile(`^request\.(operation|object|oldObject)\b`)

// ofRequest translates the names in an admission request.
func ofRequest(text []rune, offset int) (by string, end int) {
	found := admissionRequest.FindStringSubmatch(string(text[offset:]))
	if found == nil {
		return "", 0
	}
	return names[strings.ToLower(found[1])], offset + len(found[0])
}

// comparesOp reports whether op is compared with what is between the two texts.
func comparesOp(before, behind string) bool {
	return opBefore.MatchString(before) || opBehind.MatchString(behind)
}

var (
	opBefore = regexp.MustCompile(`\bop\s*(==|!=|(not\s+)?in\s*\[[^\]]*)$`)
	opBehind = regexp.MustCompile(`^\s*(==|!=)\s*op\b`)
)
