//go:build !wasip1

package informerdtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

// field implements event.v1 field.
func (f *fake) field(object string, handle uint32, buf []byte) int64 {
	if int(handle) >= len(f.paths) {
		return badArgument
	}
	kind, text := f.valueOf(object, handle)
	return int64(kind)<<32 | int64(copyWhole(buf, text))
}

// valueOf returns a field's kind and text.
func (f *fake) valueOf(object string, handle uint32) (kind informerd.Kind, text string) {
	raw := lookup(object, f.paths[handle])
	if raw == nil {
		return informerd.Missing, ""
	}
	text = string(raw)
	switch raw[0] {
	case 'n':
		return informerd.Null, text
	case 't', 'f':
		return informerd.Boolean, text
	case '"':
		_ = json.Unmarshal(raw, &text) // raw is valid JSON
		return informerd.String, text
	case '[':
		return informerd.Array, text
	case '{':
		return informerd.Map, text
	}
	return informerd.Number, text
}

// lookup returns the JSON text of a field, nil if it is missing.
func lookup(object string, steps []string) json.RawMessage {
	if object == "" {
		return nil
	}
	at := json.RawMessage(object)
	for _, step := range steps {
		if index, ok := strings.CutPrefix(step, "["); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(index, "]")) // checked by parsePath
			var items []json.RawMessage
			if json.Unmarshal(at, &items) != nil || n >= len(items) {
				return nil
			}
			at = items[n]
			continue
		}
		var members map[string]json.RawMessage
		if json.Unmarshal(at, &members) != nil {
			return nil
		}
		member, ok := members[step]
		if !ok {
			return nil
		}
		at = member
	}
	return at
}

// parsePath splits metadata.labels["app"] or a[0].b into steps.
func parsePath(text string) (steps []string, err error) {
	bad := fmt.Errorf("%q is not the path of a field", text)
	for rest := text; rest != ""; {
		switch {
		case strings.HasPrefix(rest, `["`):
			name, after, ok := strings.Cut(rest[2:], `"]`)
			if !ok {
				return nil, bad
			}
			steps, rest = append(steps, name), after
		case rest[0] == '[':
			index, after, ok := strings.Cut(rest[1:], "]")
			if n, err := strconv.Atoi(index); !ok || err != nil || n < 0 {
				return nil, bad
			}
			steps, rest = append(steps, "["+index+"]"), after
		default:
			rest = strings.TrimPrefix(rest, ".")
			end := strings.IndexAny(rest+".", ".[")
			if end == 0 || strings.ContainsAny(rest[:end], " \t\"]") {
				return nil, bad
			}
			steps, rest = append(steps, rest[:end]), rest[end:]
		}
	}
	return steps, nil
}
