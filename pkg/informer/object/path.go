package object

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// Path is a compiled path to a field, such as metadata.labels["app"] or spec.containers[0].image.
// Compile it once; it is immutable and safe for concurrent use. The zero Path is that of the whole
// object.
type Path struct {
	steps []step
}

// step is a member name or an array index.
type step struct {
	key     string
	index   int
	isIndex bool
}

// MaxPathLength is the length of the longest path that CompilePath takes, in bytes.
const MaxPathLength = 1024

// CompilePath compiles a path: member names joined by dots, names with characters other than
// letters, digits, '_', '-' and '/' in brackets and double quotes, and array indexes in brackets.
// An error names the byte offset.
func CompilePath(text string) (Path, error) {
	var p Path
	err := eachStep(text, func(st step, _ int) { p.steps = append(p.steps, st) })
	if err != nil {
		return Path{}, err
	}
	return p, nil
}

// eachStep calls do for each step of a path, with the offset of its name or index.
func eachStep(text string, do func(st step, offset int)) error {
	if text == "" {
		return fmt.Errorf("field path is empty")
	}
	if len(text) > MaxPathLength {
		return fmt.Errorf("field path has %d bytes, the limit is %d", len(text), MaxPathLength)
	}
	for i := 0; i < len(text); {
		next, st, err := parseStep(text, i, i == 0)
		if err != nil {
			return fmt.Errorf("field path %q, offset %d: %w", text, i, err)
		}
		if text[i] == '[' || text[i] == '.' {
			i++
		}
		do(st, i)
		i = next
	}
	return nil
}

// PathStep is one step of a path's text: a member name or an array index.
type PathStep struct {
	Key     string
	Index   int
	IsIndex bool
	Offset  int // of the name or the index in the text, in bytes
}

// PathSteps returns the steps of a path's text, as CompilePath reads them.
func PathSteps(text string) ([]PathStep, error) {
	var steps []PathStep
	err := eachStep(text, func(st step, offset int) {
		steps = append(steps, PathStep{st.key, st.index, st.isIndex, offset})
	})
	return steps, err
}

// MustCompilePath is like CompilePath, but panics on an error. It is for paths in the source of a
// program.
func MustCompilePath(text string) Path {
	p, err := CompilePath(text)
	if err != nil {
		panic(err)
	}
	return p
}

func parseStep(text string, i int, first bool) (next int, st step, err error) {
	switch {
	case text[i] == '[':
		return parseBracket(text, i)
	case text[i] == '.' && !first:
		i++
	case !first:
		return 0, step{}, fmt.Errorf("expected '.' or '[', found %q", text[i])
	}
	start := i
	for i < len(text) && isNameByte(text[i]) {
		i++
	}
	if i == start {
		return 0, step{}, fmt.Errorf("expected a field name; quote other names as [\"…\"]")
	}
	return i, step{key: text[start:i]}, nil
}

func parseBracket(text string, i int) (next int, st step, err error) {
	body := text[i+1:]
	if strings.HasPrefix(body, `"`) {
		quoted, err := strconv.QuotedPrefix(body)
		if err != nil {
			return 0, step{}, fmt.Errorf("quoted name has no end")
		}
		name, err := strconv.Unquote(quoted)
		if err != nil || !strings.HasPrefix(body[len(quoted):], "]") {
			return 0, step{}, fmt.Errorf("expected ] after the quoted name")
		}
		return i + 1 + len(quoted) + 1, step{key: name}, nil
	}
	end := strings.IndexByte(body, ']')
	if end < 0 {
		return 0, step{}, fmt.Errorf("[ has no ]")
	}
	n, err := strconv.Atoi(body[:end])
	if err != nil || n < 0 {
		return 0, step{}, fmt.Errorf("array index %q is not a number from 0", body[:end])
	}
	return i + 1 + end + 1, step{index: n, isIndex: true}, nil
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' ||
		c == '-' || c == '/' || c == '$'
}

// Key returns the path with one more member name.
func (p Path) Key(name string) Path { return p.with(step{key: name}) }

// Index returns the path with one more array index.
func (p Path) Index(i int) Path { return p.with(step{index: i, isIndex: true}) }

func (p Path) with(st step) Path {
	steps := make([]step, len(p.steps), len(p.steps)+1)
	copy(steps, p.steps)
	return Path{steps: append(steps, st)}
}

// String returns the path in the form that CompilePath takes.
func (p Path) String() string {
	var b strings.Builder
	for i, st := range p.steps {
		switch {
		case st.isIndex:
			fmt.Fprintf(&b, "[%d]", st.index)
		case strings.IndexFunc(st.key, func(r rune) bool {
			return r > 0x7f || !isNameByte(byte(r))
		}) >= 0 || st.key == "":
			fmt.Fprintf(&b, "[%q]", st.key)
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(st.key)
		}
	}
	return b.String()
}

// Lookup returns the field of an object, Missing if there is none. It does not allocate, unless the
// object is packed or dense.
func (p Path) Lookup(o *Object) Value {
	from, steps, ok := p.start(o)
	if !ok {
		return Value{}
	}
	return walk(o.slice(from, o.size), 0, steps)
}

// start returns a place in an object's JSON from which the path is short, and the steps from there:
// spec or status if the path begins with it, as the header knows their places, or else the
// beginning. It returns false if there is no such field.
func (p Path) start(o *Object) (from uint32, steps []step, ok bool) {
	if len(p.steps) > 0 && hasPlace(p.steps[0]) {
		place := o.place(p.steps[0].key)
		return uint32(place), p.steps[1:], place > 0
	}
	return 0, p.steps, true
}

// hasPlace reports whether a first step leads to a member whose place the header has.
func hasPlace(st step) bool { return !st.isIndex && (st.key == "spec" || st.key == "status") }

// place returns the place of such a member's value in the JSON, 0 if there is none.
func (o *Object) place(key string) int {
	if key == "spec" {
		return int(o.header.spec)
	}
	return int(o.header.status)
}

// In returns the field of a value, Missing if there is none.
func (p Path) In(v Value) Value {
	if v.kind == Missing {
		return v
	}
	return walk(v.raw, 0, p.steps)
}

// walk returns the value to which the steps lead from the value at i. It skips what is before that
// value, and never searches for the ends of values around it.
func walk(s string, i int, steps []step) Value {
	if i = find(s, i, steps); i < 0 {
		return Value{}
	}
	return valueAt(s, i)
}

// walkOpen is like walk, but does not search for the end of an array: see Paths.Open.
func walkOpen(s string, i int, steps []step) Value {
	if i = find(s, i, steps); i < 0 {
		return Value{}
	}
	if i = jsontext.SkipSpace(s, i); i < len(s) && s[i] == '[' {
		return Value{raw: s[i:], kind: Array}
	}
	return valueAt(s, i)
}

// find returns the place to which the steps lead from the value at i, -1 if there is none.
func find(s string, i int, steps []step) int {
	for _, st := range steps {
		if st.isIndex {
			i = jsontext.FindItem(s, i, st.index)
		} else {
			i = jsontext.FindMember(s, i, st.key)
		}
		if i < 0 {
			return -1
		}
	}
	return i
}
