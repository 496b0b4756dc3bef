package reader

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// deduplicated returns the text of an object in which, it seems, a name occurs twice. The last one
// counts, as in encoding/json, and the others are not in that text.
func Deduplicate(text string) (string, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", fmt.Errorf("an object with a name that occurs twice: %w", err)
	}
	if members(v) == colons(text) {
		return string([]byte(text)), nil
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("an object with a name that occurs twice: %w", err)
	}
	return out.String(), nil
}

// members counts those of all objects in v.
func members(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			n += 1 + members(member)
		}
	case []any:
		for _, item := range v {
			n += members(item)
		}
	}
	return n
}

// colons counts those outside of strings in valid text: one for each member.
func colons(s string) int {
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
