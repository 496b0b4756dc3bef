// Package defaults knows which fields of Kubernetes' own kinds an API server fills in, so that an
// object as somebody wrote it is not taken for the one that listeners get: [Fill] fills in what
// every API server does, [Of] notes what an expression read that is missing.
package defaults

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/kube/apply"
	"github.com/informerd/informerd/pkg/filters"
)

// Written is an object that no API server has completed.
type Written struct {
	manifest
	open []string // that an API server fills in as the cluster is, below the object

	// Old: it is the state before an update. What an expression reads of it may be shown with the
	// value of the other state.
	Old bool
	// Lacks are the fields that expressions have read and that are filled in, as these write them.
	Lacks []string
}

// manifest is an object as somebody wrote it, which may then be filled in.
type manifest struct {
	version, kind string
	object        map[string]any
	filled        []string // the fields that were filled in, as expressions write them
}

// Of returns the object, nil if it is one that an API server has completed, or none.
func Of(text []byte) *Written {
	is := parse(text)
	if is == nil {
		return nil
	}
	is.fill()
	return &Written{manifest: *is, open: is.unknown()}
}

// parse returns the object, nil if it is one that an API server has completed, or none.
func parse(text []byte) *manifest {
	var is struct {
		Metadata struct{ UID, ResourceVersion string }
		Status   any
	}
	if json.Unmarshal(text, &is) != nil || is.Metadata.UID != "" ||
		is.Metadata.ResourceVersion != "" || is.Status != nil {
		return nil
	}
	return decoded(text)
}

// Complete returns an object as every API server completes it, in the form of a server, if somebody
// has written it.
func Complete(object []byte) []byte {
	if parse(object) == nil {
		return object
	}
	with, _ := Fill(apply.Canonical(object))
	return with
}

// decoded returns the object, nil if it is none.
func decoded(text []byte) *manifest {
	var is struct{ APIVersion, Kind string }
	m := &manifest{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // floats would change large numbers
	if json.Unmarshal(text, &is) != nil || d.Decode(&m.object) != nil {
		return nil
	}
	m.version, m.kind = is.APIVersion, is.Kind
	return m
}

// OfOld is Of for the state before an update.
func OfOld(text []byte) *Written {
	w := Of(text)
	if w != nil {
		w.Old = true
	}
	return w
}

// Read notes the fields that the parts of an evaluated expression found to be nil, and that an API
// server fills in. Of another object it notes nothing.
func (w *Written) Read(s filters.Step) {
	if w == nil || !s.Evaluated {
		return
	}
	if (w.Old || slices.ContainsFunc(s.Values, isNil)) && w.filledIn(s.Text) {
		w.lacks(s.Text)
	}
	if below := changedPath.FindStringSubmatch(s.Text); below != nil {
		for _, differs := range strings.Split(s.Note, ", ") {
			if at := appears.FindStringSubmatch(differs); at != nil {
				field := strings.TrimSuffix("object."+below[1]+"."+at[1], ".")
				if w.filledIn(field) {
					w.lacks(field)
				}
			}
		}
	}
	for _, child := range s.Children {
		w.Read(child)
	}
}

func (w *Written) lacks(field string) {
	if !slices.Contains(w.Lacks, field) {
		w.Lacks = append(w.Lacks, field)
	}
}

var (
	// changedPath is an argument of changed.
	changedPath = regexp.MustCompile(`^["']([\w.-]+)["']$`)
	// appears matches a difference below it, of a field that was not there, or is not any more.
	appears = regexp.MustCompile(`^(?:([\w.\[\]-]+) )?(?:nil -> .*|.* -> nil)$`)
)

// Lacks returns what the objects lack, each field once.
func Lacks(of ...*Written) (all []string) {
	for _, w := range of {
		if w == nil {
			continue
		}
		for _, field := range w.Lacks {
			if !slices.Contains(all, field) {
				all = append(all, field)
			}
		}
	}
	return all
}

// isNil reports whether a value is nil, maybe that of one of several items: [4] nil.
func isNil(value string) bool { return value == "nil" || strings.HasSuffix(value, "] nil") }

var (
	quotedKey = regexp.MustCompile(`\["([\w-]+)"\]`)
	index     = regexp.MustCompile(`\[[^\]]*\]`)
	// path is a field of the object, of a variable, of an item or of what a function returns.
	path = regexp.MustCompile(`^(.*\))?(\w*)((?:\.[\w-]+)+)$`)
)

// filledIn reports whether the field that a part reads is one that an API server fills in.
func (w *Written) filledIn(text string) bool {
	if text == "age()" {
		return true
	}
	parts := path.FindStringSubmatch(plain(text))
	if parts == nil {
		return false
	}
	field, whole := parts[3][1:], parts[1] == "" && (parts[2] == "object" || parts[2] == "old")
	if whole && (field == "status" || strings.HasPrefix(field, "status.") ||
		slices.Contains(ofMetadata, field)) {
		return true
	}
	same := func(known string) bool {
		return known == field || !whole && strings.HasSuffix(known, "."+field)
	}
	return slices.ContainsFunc(w.filled, func(known string) bool {
		return same(plain(strings.TrimPrefix(known, "object.")))
	}) || slices.ContainsFunc(w.open, func(known string) bool {
		return same(known) && w.misses(known)
	})
}

// plain writes a field without the indexes of items.
func plain(text string) string {
	return index.ReplaceAllString(quotedKey.ReplaceAllString(strings.ReplaceAll(text, "?.", "."),
		".$1"), "")
}

// ofMetadata are the fields that every object has.
var ofMetadata = []string{"metadata.uid", "metadata.resourceVersion", "metadata.generation",
	"metadata.creationTimestamp", "metadata.managedFields"}

// misses reports whether a field is missing somewhere in the object: what it is in is there.
func (w *Written) misses(field string) bool {
	i := strings.LastIndex(field, ".")
	if i < 0 {
		return w.object[field] == nil
	}
	return there(w.object, strings.Split(field[:i], "."), func(v any) bool {
		m, _ := v.(map[string]any)
		return m != nil && m[field[i+1:]] == nil
	})
}

// there reports whether a field is so in the object, or in an item on the way to it.
func there(v any, path []string, is func(any) bool) bool {
	if list, ok := v.([]any); ok {
		return slices.ContainsFunc(list, func(item any) bool { return there(item, path, is) })
	}
	if len(path) == 0 {
		return is(v)
	}
	m, ok := v.(map[string]any)
	return ok && there(m[path[0]], path[1:], is)
}

// NoStatus reports whether an object has no status: no controller has seen it.
func NoStatus(text []byte) bool {
	var o struct{ Status map[string]json.RawMessage }
	return json.Unmarshal(text, &o) == nil && len(o.Status) == 0
}
