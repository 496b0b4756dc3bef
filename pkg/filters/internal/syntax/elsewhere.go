package syntax

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// namesHere are variables and constants of other languages, in lower case, with their names
// here.
var namesHere = map[string]string{
	"null": "nil", "none": "nil", "undefined": "nil", "nil": "nil", "nill": "nil", "nul": "nil",
	"true": "true", "false": "false",
	"oldobject": "old", "old_object": "old", "oldobj": "old", "previous": "old", "prev": "old",
	"newobject": "object", "new_object": "object", "newobj": "object", "self": "object",
	"this": "object", "current": "object",
	"object": "object", "obj": "object", "item": "object", "$": "object", "resource": "object",
	"operation": "op", "action": "op", "event": "op",
	"oldself": "old", "newself": "object", "input": "object", "manifest": "object",
	"newresource": "object", "oldresource": "old",
}

// kinds are names that the object has elsewhere, by its kind.
var kinds = []string{"pod", "node", "deployment", "deploy", "statefulset", "daemonset", "replicaset",
	"job", "cronjob", "service", "svc", "ingress", "secret", "configmap", "pvc", "pv", "ns", "data"}

// NameHere returns the name that is written here for one of another language, "" if none is known.
func (s Source) NameHere(name string, offset int, text []rune) string {
	word := strings.ToLower(name)
	if slices.Contains(kinds, word) && !InsidePredicate(string(text[:offset])) &&
		strings.HasPrefix(string(text[offset+len([]rune(name)):]), ".") {
		return "object"
	}
	if s.Kind.SeesMessages() {
		switch word {
		case "firing", "alerting":
			return "violated"
		case "resolved":
			return "(not violated)"
		}
	}
	return namesHere[word]
}

// dottedKey is the key of a label or annotation, written as if each of its parts were a
// field.
var dottedKey = regexp.MustCompile(
	`\b(object|old)\.metadata\.(label|annotation)s\.([A-Za-z0-9][A-Za-z0-9_]*(?:[-./][A-Za-z0-9_]+)+)`)

// dottedMember is such a key of another map of texts.
var dottedMember = regexp.MustCompile(
	`(?:\b(?:object|old)[\w.]*)?\.(?:data|binaryData|stringData|matchLabels|nodeSelector)(\.([A-Za-z0-9][A-Za-z0-9_]*(?:[-./][A-Za-z0-9_]+)+))`)

// KeyAt proposes label("…") for a dotted key around offset.
func (s Source) KeyAt(offset int) (hint string, fix *lang.Fix) {
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
	for _, found := range dottedMember.FindAllStringSubmatchIndex(s.Text, -1) {
		from, to := len([]rune(s.Text[:found[2]])), len([]rune(s.Text[:found[1]]))
		text := fmt.Sprintf("[%q]", s.Text[found[4]:found[5]])
		fix := &lang.Fix{From: from, To: to, Text: text}
		if offset >= from && offset < to && s.Mends(*fix, offset) {
			member := strings.TrimPrefix(s.Text[found[0]:found[2]], ".")
			return "write " + member + text, fix
		}
	}
	return "", nil
}

// ItemName recognizes a name that an item of a list has in other languages: item.name, c.name.
func (s Source) ItemName(name string, offset int, text []rune) *lang.CompileError {
	if len(name) > 1 && !slices.Contains(habits.ItemNames, strings.ToLower(name)) {
		return nil
	}
	return s.Item(name, offset, text)
}

// Item proposes an item of a list, or a field of it, for a name within any(…) and the like.
func (s Source) Item(name string, offset int, text []rune) *lang.CompileError {
	end := offset + len([]rune(name))
	if !InsidePredicate(string(text[:offset])) {
		return nil
	}
	fix, field := &lang.Fix{From: offset, To: end, Text: "#"}, ".name"
	if word := strings.ToLower(name); len(name) > 1 && !slices.Contains(kinds, word) &&
		!slices.Contains(habits.ItemNames, word) {
		field, fix.Text = "."+name, "."+name
	} else if end+1 < len(text) && text[end] == '.' && IsWordRune(text[end+1]) {
		*fix = lang.Fix{From: offset, To: end + 1, Text: "."}
	}
	if !s.Mends(*fix, offset) {
		return nil
	}
	e := s.Proposed(offset, fix,
		"unknown name %q; within any(…) and the like an item is #, and a field of it is %s", name,
		field)
	e.General = e.Message
	return e
}

var eventField = regexp.MustCompile(`^event\.(object\b|[A-Za-z]\w*)`)

// OfEventObject recognizes event.object, and event.type of an object that is itself an event.
func (s Source) OfEventObject(name string, offset int, text []rune) *lang.CompileError {
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

// OfWatch translates a comparison of the type of a watch event, such as type == "ADDED".
func OfWatch(text []rune, offset int) (by string, end int) {
	found := watchEvent.FindStringSubmatch(string(text[offset:]))
	if found == nil || OpMeant(found[2]) == "" {
		return "", 0
	}
	return fmt.Sprintf("op %s %q", found[1], OpMeant(found[2])), offset + len([]rune(found[0]))
}

var admissionRequest = regexp.MustCompile(
	`^(?:input\.)?(?:request|review)\.(operation|object|oldObject)\b`)

// OfRequest translates the names in an admission request.
func OfRequest(text []rune, offset int) (by string, end int) {
	found := admissionRequest.FindStringSubmatch(string(text[offset:]))
	if found == nil {
		return "", 0
	}
	return namesHere[strings.ToLower(found[1])], offset + len(found[0])
}

var below = regexp.MustCompile(`^template\.spec\.(\w+)`)

// Untemplated answers a field of a template in objects that are pods themselves.
func (s Source) Untemplated(offset int, path string) *lang.CompileError {
	const message = "there is no field template in %s; a pod has none: its own fields are there"
	found := below.FindStringSubmatch(string([]rune(s.Text)[min(offset, len([]rune(s.Text))):]))
	if found == nil {
		return s.CompileError(offset, message, path)
	}
	fix := &lang.Fix{From: offset, To: offset + len("template.spec.")}
	return s.Proposed(offset, fix, message+"; write %s.%s", path, path, found[1])
}

var alertState = regexp.MustCompile(
	`^(?:\w+\.)*(?:status|state|alertstate|alertstatus)\s*(==|!=)\s*["']((?i)firing|active|violated|resolved|ok|inactive)["']`)

// OfAlert translates a comparison of the state of an alert, such as status == "firing".
func OfAlert(text []rune, offset int) (by string, end int) {
	found := alertState.FindStringSubmatch(string(text[offset:]))
	if found == nil {
		return "", 0
	}
	begins := strings.Contains("firing active violated", strings.ToLower(found[2]))
	by = "not violated"
	if begins == (found[1] == "==") {
		by = "violated"
	}
	return by, offset + len([]rune(found[0]))
}

// ComparesOp reports whether op is compared with what is between the two texts.
func ComparesOp(before, behind string) bool {
	return opBefore.MatchString(before) || opBehind.MatchString(behind)
}

var (
	opBefore = regexp.MustCompile(`\bop\s*(==|!=|(not\s+)?in\s*\[[^\]]*)$`)
	opBehind = regexp.MustCompile(`^\s*(==|!=)\s*op\b`)
)
