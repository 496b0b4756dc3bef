package reader

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// Deduplicate returns a copy of the text of an object in which each name of an object is unique. Of
// duplicate members the last one counts, as in encoding/json.
func Deduplicate(text string) (string, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("object with duplicate names: %w", err)
	}
	if countMembers(v) == countColons(text) { // no duplicates after all
		return string([]byte(text)), nil
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("object with duplicate names: %w", err)
	}
	return out.String(), nil
}

// countMembers returns the number of members of all objects in v.
func countMembers(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			n += 1 + countMembers(member)
		}
	case []any:
		for _, item := range v {
			n += countMembers(item)
		}
	}
	return n
}

// countColons returns the number of colons outside of strings in valid text, one for each member.
func countColons(s string) int {
	n := 0
	for i := 0; i < len(s); {
		switch s[i] {
		case '"':
			i = jsontext.StringEnd(s, i)
			continue
		case ':':
			n++
		}
		i++
	}
	return n
}
