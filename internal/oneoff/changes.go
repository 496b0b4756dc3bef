package oneoff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// ignored are fields that say only that something has changed.
var ignored = map[string]bool{"metadata.resourceVersion": true, "metadata.generation": true,
	"metadata.managedFields": true, "status.observedGeneration": true}

const (
	maxChanges = 4  // of a line
	maxValue   = 60 // runes of a value
)

// change is a field that differs.
type change struct {
	path     string
	old, new any // missing for one that is not there
}

// missing is the value of a field that is not there.
type missing struct{}

// changes returns what differs between two JSON values, what says most first.
func changes(old, new any) []change {
	all := compare(nil, "", old, new)
	slices.SortStableFunc(all, func(a, b change) int { return rank(a.path) - rank(b.path) })
	return all
}

// rank is lower for fields that say more: those of the object itself are before those of items of
// its lists, then come texts that explain, and times are last.
func rank(path string) int {
	ends := func(with ...string) bool {
		return slices.ContainsFunc(with, func(end string) bool {
			return strings.HasSuffix(path, end)
		})
	}
	switch {
	case ends("Time", "Timestamp", "At"):
		return 3
	case ends(".message", ".reason"):
		return 2
	case strings.Contains(path, "["):
		return 1
	}
	return 0
}

func compare(all []change, path string, old, new any) []change {
	if ignored[path] {
		return all
	}
	switch was := old.(type) {
	case map[string]any:
		if is, same := new.(map[string]any); same {
			return compareMembers(all, path, was, is)
		}
	case []any:
		if is, same := new.([]any); same {
			return compareItems(all, path, was, is)
		}
	}
	if reflect.DeepEqual(old, new) {
		return all
	}
	return append(all, change{path, old, new})
}

func compareMembers(all []change, path string, old, new map[string]any) []change {
	names := maps.Clone(old)
	maps.Copy(names, new)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = compare(all, member(path, name), valueOf(old, name), valueOf(new, name))
	}
	return all
}

func valueOf(m map[string]any, name string) any {
	if v, is := m[name]; is {
		return v
	}
	return missing{}
}

// compareItems compares the items of lists by what they are called, if they are, else by their
// places.
func compareItems(all []change, path string, old, new []any) []change {
	was, calledBefore := byName(old)
	is, called := byName(new)
	if calledBefore && called {
		names := maps.Clone(was)
		maps.Copy(names, is)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			all = compare(all, path+"["+printable(name)+"]", valueOf(was, name),
				valueOf(is, name))
		}
		return all
	}
	for i := range max(len(old), len(new)) {
		all = compare(all, path+"["+strconv.Itoa(i)+"]", itemOf(old, i), itemOf(new, i))
	}
	return all
}

func itemOf(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return missing{}
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

// member returns the path of a member, as expressions have it.
func member(path, name string) string {
	if strings.IndexFunc(name, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) >= 0 {
		return path + "[" + printable(strconv.Quote(name)) + "]"
	}
	return strings.TrimPrefix(path+"."+name, ".")
}

func (c change) String() string {
	switch {
	case c.old == missing{}:
		return fmt.Sprintf("%s: + %s", c.path, short(c.new))
	case c.new == missing{}:
		return fmt.Sprintf("%s: - %s", c.path, short(c.old))
	}
	return fmt.Sprintf("%s: %s → %s", c.path, short(c.old), short(c.new))
}

// short returns a value as a line has it.
func short(v any) string {
	text := []rune(printable(shown(v)))
	if len(text) > maxValue {
		return string(text[:maxValue]) + "…"
	}
	return string(text)
}

// shown returns a value as text: strings that are one word without quotes, all else as JSON.
func shown(v any) string {
	if s, is := v.(string); is && s != "" && !strings.ContainsAny(s, " \t\"{}[],") {
		return s
	}
	if text, are := conditions(v); are {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// conditions returns a condition, as in Ready=True, or a list of them.
func conditions(v any) (text string, are bool) {
	switch v := v.(type) {
	case map[string]any:
		name, typed := v["type"].(string)
		status, said := v["status"].(string)
		return name + "=" + status, typed && said
	case []any:
		var all []string
		for _, item := range v {
			text, is := conditions(item)
			if !is {
				return "", false
			}
			all = append(all, text)
		}
		return strings.Join(all, " "), len(all) > 0
	}
	return "", false
}

// printable returns a text with escapes for what a terminal may take for a command.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
