package config

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// place is where something stands in the file. Lines and columns count from 1; 0 is nowhere.
type place struct{ line, column int }

func placeOf(n *yaml.Node) place { return place{n.Line, n.Column} }

// document is a kind of file that is read here.
type document struct {
	noun string // configuration
	kind string // what its field kind must say
	// instead is a hint for who gives a file of the other kind.
	instead string
}

var (
	configuration = document{"configuration", Kind,
		"name the policy's file in policies of a configuration"}
	policy = document{"policy", PolicyKind,
		"a configuration is no policy: keep policies in a folder of their own"}
)

// source remembers where each field of the schema stands.
type source struct {
	file   string
	keys   map[string]place // by field path; of a list's item it is the item
	values map[string]place // by field path
}

// report collects mistakes. The decoder and the checks share one.
type report struct {
	source
	errs Errors
	// failed are the fields whose value is not to be looked at: it is wrong, and that was said.
	failed map[string]bool
	// broken are the mappings with members that were not understood; what seems to be missing there
	// may be one of them.
	broken map[string]bool
	// what the file is.
	what document
	// warnings are about what is legal and suspicious.
	warnings Errors
	// hidden is how many mistakes there were beyond those that are kept.
	hidden int
}

func newReport(what document, file string) *report {
	return &report{
		what:   what,
		source: source{file: file, keys: map[string]place{}, values: map[string]place{}},
		failed: map[string]bool{},
		broken: map[string]bool{},
	}
}

// place gives the place of the field's value or, if it does not stand in the file, of the innermost
// mapping around it that does.
func (s source) place(field string) place {
	for {
		if p, ok := s.values[field]; ok {
			return p
		}
		cut := strings.LastIndexAny(field, ".[")
		if cut < 0 {
			return place{}
		}
		field = field[:cut]
	}
}

// add notes a mistake at a place.
func (r *report) add(at place, field, hint, format string, args ...any) {
	r.errs = append(r.errs, Error{
		File: r.file, Line: at.line, Column: at.column,
		Field: field, Message: fmt.Sprintf(format, args...), Hint: hint,
	})
}

// value notes a mistake in a field's value.
func (r *report) value(field, hint, format string, args ...any) {
	r.failed[field] = true
	r.add(r.values[field], field, hint, format, args...)
}

// key notes a mistake with a field as a whole, such as something missing in it.
func (r *report) key(field, hint, format string, args ...any) {
	r.add(r.keys[field], field, hint, format, args...)
}

// warn notes what is legal and suspicious.
func (r *report) warn(at place, field, hint, format string, args ...any) {
	r.warnings = append(r.warnings, Error{
		File: r.file, Line: at.line, Column: at.column, Field: field, Message: fmt.Sprintf(format,
			args...), Hint: hint,
	})
}

// has tells whether the field stands in the file.
func (r *report) has(field string) bool {
	_, ok := r.values[field]
	return ok
}

// good tells whether the field stands in the file and nothing is wrong with its value so far.
func (r *report) good(field string) bool { return r.has(field) && !r.failed[field] }

// missing tells whether the member is surely missing in the mapping.
func (r *report) missing(mapping, member string) bool {
	return !r.has(join(mapping, member)) && !r.broken[mapping] && !r.failed[mapping]
}

// join gives the path of a member. Names that would not be clear in a path are quoted.
func join(parent, name string) string {
	switch {
	case name == "" || len(name) > maxQuoted || strings.IndexFunc(name, notPlain) >= 0:
		return parent + "[" + quote(name) + "]"
	case parent == "":
		return name
	default:
		return parent + "." + name
	}
}

// item gives the path of a list's item.
func item(parent string, i int) string { return parent + "[" + strconv.Itoa(i) + "]" }

func notPlain(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' &&
		r != '_'
}
