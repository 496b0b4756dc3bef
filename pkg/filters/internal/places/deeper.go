package places

import (
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Asked is a field that its parent does not have.
type Asked struct {
	Text   string       // of the whole expression
	Offset int          // of the name in it, in characters
	Key    string       // the name
	Path   string       // of the parent, with [*] for items
	Parent *lang.Schema // of the parent
	Root   *lang.Schema // of the objects
}

// common are names that so many objects have that a field deeper is probably not meant.
var common = []string{"name", "namespace", "labels", "annotations", "kind", "type", "status",
	"state", "key", "value", "uid", "message", "spec", "metadata", "selector"}

var (
	pathBefore = regexp.MustCompile(`(?:^|[^\w.\])"])((?:#|object|old)?(?:\??\.\w+|\[\d+\])*)\??\.$`)
	behindKey  = regexp.MustCompile(`^((?:\??\.\w+)*)\s*(==|!=|<=|>=|<|>|\bnot in\b|\bin\b|` +
		`\bcontains\b|\bstartsWith\b|\bendsWith\b|\bmatches\b)\s*` +
		`("[^"]*"|'[^']*'|\[[^\[\]]*\]|-?\d[\w.]*|true\b|false\b|nil\b)`)
	fieldsBehind = regexp.MustCompile(`^(?:\??\.\w+)*`)
)

// Deeper returns where a field is, and what to write, "" if that is unknown. Without a text to
// write the fix is nil.
func (a Asked) Deeper() (hint string, fix *lang.Fix) {
	text := []rune(a.Text)
	if a.Offset > len(text) || slices.Contains(common, a.Key) {
		return "", nil
	}
	before := pathBefore.FindStringSubmatch(string(text[:a.Offset]))
	if before == nil || before[1] == "" && !strings.Contains(a.Path, "[*]") {
		return "", nil
	}
	behind := string(text[min(a.Offset+len([]rune(a.Key)), len(text)):])
	base, prefix := before[1], []string(nil)
	found := find(a.Parent, a.Key)
	if len(found) == 0 { // the parent may be another one of the same name
		if base, prefix, found = a.besides(base); len(found) == 0 {
			return "", nil
		}
	}
	if state := statesOf(behind); state != "" {
		found = slices.DeleteFunc(found, func(p place) bool {
			return !slices.Contains(p.steps, state)
		})
	}
	place, ok := usual(found)
	if !ok {
		return several("", found), nil
	}
	if prefix == nil && !place.ofItem() {
		path := strings.Join(place.steps, ".")
		to := a.Offset + len([]rune(a.Key))
		return "write " + path, &lang.Fix{From: a.Offset, To: to, Text: path}
	}
	from := a.Offset - len([]rune(before[0])) + strings.Index(before[0], before[1])
	if before[1] == "" {
		from = a.Offset - 1
	}
	return a.question(base, place, from, behind)
}

// besides looks for the field and its parent below the parents of that.
func (a Asked) besides(base string) (above string, prefix []string, found []place) {
	root, _, _ := strings.Cut(base, ".")
	if root != "object" && root != "old" || a.Root == nil {
		return "", nil, nil
	}
	steps := strings.Split(base, ".")
	if len(steps) < 3 || strings.ContainsAny(base, "[?") {
		return "", nil, nil
	}
	above, parent := strings.Join(steps[:len(steps)-1], "."), steps[len(steps)-1]
	at := a.Root
	for _, step := range steps[1 : len(steps)-1] {
		if at = at.Fields[step]; at == nil {
			return "", nil, nil
		}
	}
	for _, of := range find(at, parent) {
		if field := of.schema.Fields[a.Key]; field != nil {
			found = append(found, of.to(a.Key, field))
		}
	}
	return above, []string{parent}, found
}

// question writes a question about the items of the lists on the way to a place.
func (a Asked) question(base string, p place, from int, behind string) (string, *lang.Fix) {
	asked := behindKey.FindStringSubmatch(behind)
	length, condition := 0, ""
	switch {
	case asked != nil:
		length, condition = len([]rune(asked[0])), asked[1]+" "+asked[2]+" "+asked[3]
	case p.schema.Type == "boolean" && !strings.HasPrefix(strings.TrimSpace(behind), "="):
	default:
		fields := fieldsBehind.FindString(behind)
		return "ask with " + written(base, p, fields+" …"), nil
	}
	fix := &lang.Fix{From: from, To: a.Offset + len([]rune(a.Key)) + length,
		Text: written(base, p, condition)}
	return "write " + fix.Text, fix
}

// written returns any(base.list, .field condition) for a place.
func written(base string, p place, condition string) string {
	path, close := base, ""
	var b strings.Builder
	for i, step := range p.steps {
		path += habits.Step(step)
		if p.lists[i] && i < len(p.steps)-1 {
			b.WriteString("any(" + path + ", ")
			path, close = "", close+")"
		}
	}
	return b.String() + path + condition + close
}

// ofItem reports whether a place is a field of the items of a list.
func (p place) ofItem() bool { return slices.Contains(p.lists[:len(p.lists)-1], true) }

// several names places of which each may be meant.
func several(base string, found []place) string {
	if len(found) == 0 || len(found) > 3 {
		return ""
	}
	var paths []string
	for _, p := range found {
		if p.ofItem() {
			return ""
		}
		paths = append(paths, base+strings.Join(p.steps, "."))
	}
	return "did you mean " + strings.Join(paths, " or ") + "?"
}
