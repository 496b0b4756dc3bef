package apply

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Managers returns who may be the one that applies a written object server-side: the managers of
// metadata.managedFields that have applied the object, and are kubectl or own something of what is
// written. Merge removes what is not written any more if there is one; with several, it cannot know
// which of them applies, and removes nothing. There is none if kubectl applied the object on its
// side.
func Managers(current, written []byte) (names []string) {
	is, err := decode(current)
	to, other := decode(written)
	if err != nil || other != nil || appliedBefore(is) != nil {
		return nil
	}
	for _, m := range appliers(is, to) {
		names = append(names, m.Name)
	}
	return names
}

// appliers are the managers that Managers names.
func appliers(is, to map[string]any) (all []manager) {
	for _, m := range managers(is) {
		if m.applied() && (m.Name == "kubectl" || m.Fields.has(to)) {
			all = append(all, m)
		}
	}
	return all
}

// has reports whether something is owned of an object: of its metadata only if it has nothing else,
// since many label what others write.
func (f fields) has(object map[string]any) bool {
	more := false
	for name := range object {
		if name == "apiVersion" || name == "kind" || name == "metadata" || name == "status" {
			continue
		}
		if more = true; f.hasIn(name, object) {
			return true
		}
	}
	return !more && f.hasIn("metadata", object)
}

// hasIn reports whether something is owned of a field. Any item of a list counts.
func (f fields) hasIn(name string, of map[string]any) bool {
	owned, has := f["f:"+name]
	inner, ok := of[name].(map[string]any)
	if !has || !ok || len(owned) == 0 {
		return has
	}
	for name := range inner {
		if owned.hasIn(name, inner) {
			return true
		}
	}
	return false
}

// manager is an entry of metadata.managedFields.
type manager struct {
	Name        string `json:"manager"`
	Operation   string `json:"operation"`
	Subresource string `json:"subresource"`
	APIVersion  string `json:"apiVersion"`
	Fields      fields `json:"fieldsV1"`
}

// fields are what a manager owns of a value, in the form of fieldsV1: f:NAME is a field, k:KEYS an
// item of a list by its keys and v:VALUE one by its value, each with what is owned of it, and "."
// is the value itself. A value with nothing below it is owned as a whole.
type fields map[string]fields

func (m manager) applied() bool { return m.Operation == "Apply" && m.Subresource == "" }

// managers returns the entries of metadata.managedFields, none if they are of no known form.
func managers(is map[string]any) (all []manager) {
	text, err := json.Marshal(mapIn(is, "metadata")["managedFields"])
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil
	}
	return all
}

// serverSide returns what a server makes of an object if a manager that has applied it applies the
// written one, given what the merge has made of it:
//   - What the manager owns, nobody else does, and is not written any more is removed, with
//     everything in it.
//   - A map or list that is owned as a whole becomes the written one; one that is owned by its items
//     keeps the others, also if the merge has replaced it.
//
// Nothing comes of it if somebody manages the object in another version, since nobody knows which
// fields those are in this one.
func (o Objects) serverSide(is, to, result map[string]any, by manager) map[string]any {
	var own owners
	for _, m := range managers(is) {
		if m.APIVersion != is["apiVersion"] {
			return result
		}
		if !o.OwnStatus {
			delete(m.Fields, "f:status") // which nobody writes
		}
		if m.applied() && m.Name == by.Name {
			own.applier = m.Fields
		} else {
			own.others = append(own.others, m.Fields)
		}
	}
	return own.inMap(result, to, is)
}

// owners are what the manager that applies, and each other one, owns of a value.
type owners struct {
	applier fields
	others  []fields
}

// all returns what each manager owns.
func (o owners) all() []fields {
	if o.applier == nil {
		return o.others
	}
	return append(o.others[:len(o.others):len(o.others)], o.applier)
}

// at returns who owns what of the part of the value with a key of fieldsV1.
func (o owners) at(key string) (part owners) {
	part.applier = o.applier[key]
	for _, other := range o.others {
		if below, has := other[key]; has {
			part.others = append(part.others, below)
		}
	}
	return part
}

// asWhole reports whether somebody owns the value, and nobody a part of it.
func (o owners) asWhole() bool { return len(o.all()) > 0 && !o.inParts() }

// inParts reports whether somebody owns a part of the value.
func (o owners) inParts() bool {
	return slices.ContainsFunc(o.all(), func(f fields) bool { return len(f) > 0 })
}

// in returns what stays of a value, of which written is still written, and that was another one
// before the merge.
func (o owners) in(value, written, was any) any {
	if o.asWhole() && size(written) > 0 {
		return written
	}
	switch value := value.(type) {
	case map[string]any:
		fields, _ := written.(map[string]any)
		before, _ := was.(map[string]any)
		return o.inMap(value, fields, before)
	case []any:
		items, _ := written.([]any)
		before, _ := was.([]any)
		return o.inList(value, items, before)
	}
	return value
}

func (o owners) inMap(value, written, was map[string]any) map[string]any {
	stays := maps.Clone(value)
	for name, inner := range value {
		own := o.at("f:" + name)
		now, has := written[name]
		if !has && own.loses() {
			delete(stays, name)
			continue
		}
		// No server adds to a selector, so that it is the written one even if that is empty.
		if has && !own.inParts() && strings.HasSuffix(name, "elector") {
			inner = now
		}
		stays[name] = own.in(inner, now, was[name])
		if size(inner)+size(was[name]) > 0 && size(stays[name]) == 0 && size(now) == 0 {
			delete(stays, name) // a server leaves out what becomes empty
		}
	}
	return stays
}

func (o owners) inList(value, written, was []any) []any {
	keys := o.itemsOf(was)
	if len(keys) == 0 {
		return value
	}
	stays := make([]any, 0, len(value))
	for _, item := range keys.merged(was, written) {
		key := keys.of(item)
		own := o.at(key)
		now, has := keys.find(key, written)
		if !has && own.loses() {
			continue
		}
		before, _ := keys.find(key, was)
		stays = append(stays, own.in(item, now, before))
	}
	return stays
}

// loses reports whether the value is removed if the manager does not write it any more.
//
// The value of a key, as an item of a list, is removed unless somebody else owns it itself, also if
// somebody has changed a part of it; a field of a known name is not.
func (o owners) loses() bool {
	if _, ofKey := o.applier["."]; !ofKey {
		return o.applier != nil && len(o.others) == 0
	}
	return !slices.ContainsFunc(o.others, func(f fields) bool {
		_, itself := f["."]
		return itself || len(f) == 0
	})
}

// size returns how much is in a map or list; it is 0 for none, and 1 for other values.
func size(value any) int {
	switch value := value.(type) {
	case nil:
		return 0
	case map[string]any:
		return len(value)
	case []any:
		return len(value)
	}
	return 1
}
