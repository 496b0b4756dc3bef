package apply

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// items are those of a list that somebody owns: by their keys in fieldsV1 what they are, which is a
// map of their keys, or their value.
type items map[string]any

// itemsOf returns the items that somebody owns of a list, and the others of what it was; none if it
// is owned as a whole.
func (o owners) itemsOf(was []any) items {
	all := items{}
	var names map[string]any
	for _, owned := range o.all() {
		for key := range owned {
			prefix, text, _ := strings.Cut(key, ":")
			if prefix != "k" && prefix != "v" {
				continue
			}
			value, err := decodeValue(text)
			if err != nil {
				continue
			}
			all[key] = value
			if keys, ok := value.(map[string]any); ok {
				names = keys
			}
		}
	}
	for i, item := range was {
		fields, ok := item.(map[string]any)
		if len(all) == 0 || all.of(item) != "" {
			continue
		}
		key := fmt.Sprint("unowned ", i)
		if all[key] = item; ok && names != nil {
			all[key] = only(fields, names)
		}
	}
	return all
}

// only returns the fields of those names.
func only(fields, names map[string]any) map[string]any {
	some := map[string]any{}
	for name := range names {
		if value, has := fields[name]; has {
			some[name] = value
		}
	}
	return some
}

// of returns the key of an item in fieldsV1, none if nobody owns it.
func (all items) of(item any) string {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if all.is(key, item) {
			return key
		}
	}
	return ""
}

// is reports whether an item has a key. What it does not have of its keys, a server fills in: of
// protocols that is TCP, and of others it is not known, so that it may be anything.
func (all items) is(key string, item any) bool {
	keys, byKeys := all[key].(map[string]any)
	if strings.HasPrefix(key, "v:") || !byKeys {
		return reflect.DeepEqual(all[key], item)
	}
	fields, ok := item.(map[string]any)
	for field, want := range keys {
		value, has := fields[field]
		if has && !reflect.DeepEqual(value, want) || !has && (want == "UDP" || want == "SCTP") {
			return false
		}
	}
	return ok
}

// find returns the item with a key.
func (all items) find(key string, list []any) (any, bool) {
	i := slices.IndexFunc(list, func(item any) bool { return key != "" && all.is(key, item) })
	if i < 0 {
		return nil, false
	}
	return list[i], true
}

// merged returns a written list with what one had before: the items that it lacks, in front of the
// ones that they were in front of, and the fields that its items lack.
func (all items) merged(was, list []any) (merged []any) {
	rest := was
	missing := func() {
		for len(rest) > 0 {
			if _, has := all.find(all.of(rest[0]), list); has {
				return
			}
			merged, rest = append(merged, rest[0]), rest[1:]
		}
	}
	for _, item := range list {
		missing()
		key := all.of(item)
		if len(rest) > 0 && key == all.of(rest[0]) {
			rest = rest[1:]
		}
		if before, has := all.find(key, was); has {
			item = mergeItem(before, item)
		}
		merged = append(merged, item)
	}
	for len(rest) > 0 {
		if missing(); len(rest) > 0 {
			rest = rest[1:]
		}
	}
	return merged
}

func mergeItem(was, item any) any {
	before, ok := was.(map[string]any)
	now, both := item.(map[string]any)
	if !ok || !both {
		return item
	}
	return merge(before, now, nil)
}

func decodeValue(text string) (value any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}
