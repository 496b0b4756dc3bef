package document

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Place is a position in a file. Line and Column count from 1; 0 is nowhere.
type Place struct{ Line, Column int }

func placeOf(n *yaml.Node) Place { return Place{n.Line, n.Column} }

// Source remembers where each field of a file is. Fields are named by their paths, as in
// listeners.a.outputs[0].
type Source struct {
	file   string
	parts  []part           // nil, or the files that were read as one
	keys   map[string]Place // of a list's item it is the item
	values map[string]Place
}

// File is the path of the file, of several the first one.
func (s Source) File() string { return s.file }

// Key returns the place of a field's name, or of a list's item.
func (s Source) Key(field string) Place { return s.keys[field] }

// Value returns the place of a field's value.
func (s Source) Value(field string) Place { return s.values[field] }

// Place returns the place of a field's value or, if the file does not have it, of the innermost
// mapping around it that the file has.
func (s Source) Place(field string) Place {
	for {
		if p, ok := s.values[field]; ok {
			return p
		}
		cut := strings.LastIndexAny(field, ".[")
		if cut < 0 {
			return Place{}
		}
		field = field[:cut]
	}
}

// Report collects the mistakes in a file. The decoder and all checks of a file share one.
type Report struct {
	Source
	kind *Kind
	errs Errors
	// failed are the fields with a mistake in their value, which is not checked further.
	failed map[string]bool
	// broken are the mappings with members that were not understood. What seems to be missing there
	// may be one of them.
	broken map[string]bool
	// mappings are the fields whose value is a mapping with known members.
	mappings map[string]bool
	// warnings are what is legal and suspicious.
	warnings Errors
	// hidden is how many mistakes were dropped.
	hidden int
}

// NewReport returns an empty report about a file.
func NewReport(kind *Kind, file string) *Report {
	return &Report{
		kind:   kind,
		Source: Source{file: file, keys: map[string]Place{}, values: map[string]Place{}},
		failed: map[string]bool{},
		broken: map[string]bool{},

		mappings: map[string]bool{},
	}
}

// Add notes a mistake at a place. It returns it, for its hint.
func (r *Report) Add(at Place, field, format string, args ...any) *Error {
	r.errs = append(r.errs, r.errorAt(at, field, format, args...))
	return &r.errs[len(r.errs)-1]
}

func (r *Report) errorAt(at Place, field, format string, args ...any) Error {
	file, at := r.Located(at)
	return Error{File: file, Line: at.Line, Column: at.Column, Field: field,
		Message: fmt.Sprintf(format, args...)}
}

// AddError notes a mistake that was found elsewhere.
func (r *Report) AddError(e Error) { r.errs = append(r.errs, e) }

// BadValue notes a mistake in a field's value, which then has failed.
func (r *Report) BadValue(field, format string, args ...any) *Error {
	r.failed[field] = true
	return r.Add(r.values[field], field, format, args...)
}

// BadField notes a mistake about a field as a whole, such as something missing in it.
func (r *Report) BadField(field, format string, args ...any) *Error {
	return r.Add(r.keys[field], field, format, args...)
}

// Warn notes what is legal and suspicious.
func (r *Report) Warn(at Place, field, format string, args ...any) {
	r.warnings = append(r.warnings, r.errorAt(at, field, format, args...))
}

// Warnings returns what is legal and suspicious.
func (r *Report) Warnings() Errors { return r.warnings }

// Has reports whether the file has the field.
func (r *Report) Has(field string) bool {
	_, ok := r.values[field]
	return ok
}

// Failed reports whether a mistake in the field's value was reported.
func (r *Report) Failed(field string) bool { return r.failed[field] }

// SetFailed suppresses further mistakes about the field, and about what refers to it.
func (r *Report) SetFailed(field string) { r.failed[field] = true }

// Good reports whether the file has the field and no mistake in its value was reported.
func (r *Report) Good(field string) bool { return r.Has(field) && !r.failed[field] }

// Broken reports whether the mapping has members that were not understood.
func (r *Report) Broken(mapping string) bool { return r.broken[mapping] }

// Missing reports whether the member is surely missing in the mapping, and not only misspelt.
func (r *Report) Missing(mapping, member string) bool {
	return !r.Has(Join(mapping, member)) && !r.broken[mapping] && !r.failed[mapping]
}

// Clean reports whether there are no mistakes.
func (r *Report) Clean() bool { return len(r.errs) == 0 }

// Err returns all mistakes in the file, as an [Errors], nil if there are none.
func (r *Report) Err() error {
	if mistakes := Gather(r); len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// Full reports whether so many mistakes were found that most are not shown.
func (r *Report) Full() bool { return len(r.errs) > maxErrors }

// Only drops the mistakes that are not about one of the fields.
func (r *Report) Only(fields ...string) {
	r.errs = slices.DeleteFunc(r.errs, func(e Error) bool {
		return !slices.Contains(fields, e.Field)
	})
}

// Join returns the path of a member. Names that would not be clear in a path are quoted.
func Join(parent, name string) string {
	switch {
	case name == "" || len(name) > maxQuoted || strings.IndexFunc(name, notPlain) >= 0:
		return parent + "[" + Quote(name) + "]"
	case parent == "":
		return name
	default:
		return parent + "." + name
	}
}

// Item returns the path of a list's item.
func Item(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

func notPlain(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' &&
		r != '_'
}
