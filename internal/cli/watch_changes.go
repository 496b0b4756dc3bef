package cli

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/informerd/informerd/internal/wording"
)

// ignored are fields that say only that something has changed.
var ignored = map[string]bool{"metadata.resourceVersion": true, "metadata.generation": true,
	"metadata.managedFields": true, "status.observedGeneration": true}

const (
	maxChanges = 4  // of a line
	maxValue   = 60 // runes of a value
)

// fieldChange is a field that differs.
type fieldChange struct {
	path     string
	old, new any // absent for one that is not there
}

// absent is the value of a field that is not there.
type absent struct{}

// compareValues adds what differs between two JSON values, sorted by path.
func compareValues(all []fieldChange, path string, old, new any) []fieldChange {
	if ignored[path] {
		return all
	}
	switch was := old.(type) {
	case map[string]any:
		if is, same := new.(map[string]any); same {
			return compareMembers(all, was, is, func(name string) string {
				return memberPath(path, name)
			})
		}
	case []any:
		if is, same := new.([]any); same {
			return compareItems(all, path, was, is)
		}
	}
	if reflect.DeepEqual(old, new) {
		return all
	}
	return append(all, fieldChange{path, old, new})
}

// compareMembers compares what has the same name. at returns the path of a name.
func compareMembers(all []fieldChange, old, new map[string]any,
	at func(name string) string) []fieldChange {
	names := maps.Clone(old)
	maps.Copy(names, new)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = compareValues(all, at(name), memberValue(old, name), memberValue(new, name))
	}
	return all
}

func memberValue(m map[string]any, name string) any {
	if v, is := m[name]; is {
		return v
	}
	return absent{}
}

// compareItems compares the items of lists by what they are called, if they are, else by their
// places.
func compareItems(all []fieldChange, path string, old, new []any) []fieldChange {
	was, calledBefore := byName(old)
	is, called := byName(new)
	if calledBefore && called {
		return compareMembers(all, was, is, func(name string) string {
			return path + "[" + wording.Printable(name) + "]"
		})
	}
	for i := range max(len(old), len(new)) {
		all = compareValues(all, path+"["+strconv.Itoa(i)+"]", itemOf(old, i), itemOf(new, i))
	}
	return all
}

func itemOf(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

// byName returns the items by their member name or type. It reports whether each of them has one
// that no other has.
func byName(items []any) (named map[string]any, all bool) {
	named = make(map[string]any, len(items))
	for _, item := range items {
		m, _ := item.(map[string]any)
		name, is := m["name"].(string)
		if !is {
			name, is = m["type"].(string)
		}
		if _, twice := named[name]; !is || twice {
			return nil, false
		}
		named[name] = item
	}
	return named, true
}

// memberPath returns the path of a member, as expressions have it.
func memberPath(path, name string) string {
	if strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) >= 0 {
		return path + "[" + wording.Printable(strconv.Quote(name)) + "]"
	}
	return strings.TrimPrefix(path+"."+name, ".")
}

func (c fieldChange) String() string {
	switch {
	case c.old == absent{}:
		return fmt.Sprintf("%s: + %s", c.path, shortValue(c.new))
	case c.new == absent{}:
		return fmt.Sprintf("%s: - %s", c.path, shortValue(c.old))
	}
	return fmt.Sprintf("%s: %s → %s", c.path, shortValue(c.old), shortValue(c.new))
}

// shortValue returns a value as a line has it.
func shortValue(v any) string {
	return wording.Shorten(wording.Printable(valueText(v)), maxValue)
}

// valueText returns a value as text: strings that are one word without quotes, all else as JSON.
func valueText(v any) string {
	if s, is := v.(string); is && s != "" && !strings.ContainsAny(s, " \t\"{}[],") {
		return s
	}
	var b bytes.Buffer
	if err := wording.WriteJSON(&b, v, ""); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}
