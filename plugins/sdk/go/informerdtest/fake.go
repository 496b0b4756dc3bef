//go:build !wasip1

package informerdtest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

// Statuses of the host.
const (
	notFound    = -1
	badArgument = -2
	wrongPhase  = -6
)

// fake implements host.Host over encoding/json.
type fake struct {
	config      string
	configuring bool
	paths       [][]string // steps: a member's name, or [n]
	op          informerd.Op
	objects     [2]string
	result      Result
}

func (f *fake) EventObject(which, off uint32, buf []byte) int32 {
	text := f.objects[which]
	if text == "" {
		return notFound
	}
	return int32(copy(buf, text[min(int(off), len(text)):]))
}

func (f *fake) EventPath(text []byte) int32 {
	if !f.configuring {
		return wrongPhase
	}
	steps, err := parsePath(string(text))
	if err != nil {
		return badArgument
	}
	f.paths = append(f.paths, steps)
	return int32(len(f.paths) - 1)
}

func (f *fake) EventField(which, handle uint32, buf []byte) int64 {
	raw := f.lookup(which, handle)
	kind, text := informerd.Missing, string(raw)
	if raw != nil {
		switch raw[0] {
		case 'n':
			kind = informerd.Null
		case 't', 'f':
			kind = informerd.Boolean
		case '"':
			kind = informerd.String
			_ = json.Unmarshal(raw, &text) // raw is valid
		case '[':
			kind = informerd.Array
		case '{':
			kind = informerd.Map
		default:
			kind = informerd.Number
		}
	}
	if len(text) <= len(buf) {
		copy(buf, text)
	}
	return int64(kind)<<32 | int64(len(text))
}

func (f *fake) EventChanged(handle uint32) int32 {
	now := string(f.lookup(0, handle))
	changed := now != ""
	switch f.op {
	case informerd.Update:
		changed = now != string(f.lookup(1, handle))
	case informerd.Resync:
		changed = false
	}
	if changed {
		return 1
	}
	return 0
}

func (f *fake) ResultEmit(kind int32, text []byte) int32 {
	if f.configuring {
		return wrongPhase
	}
	var e Emission
	if kind == 2 {
		e.Data = append(e.Data, text...)
	} else if err := json.Unmarshal(text, &e); err != nil || e.Type == "" {
		return badArgument
	}
	f.result.Emitted = append(f.result.Emitted, e)
	return 0
}

func (f *fake) ResultError(text []byte) { f.result.Message = string(text) }

func (f *fake) ConfigGet(buf []byte) int32 {
	config := f.config
	if config == "" {
		config = "{}"
	}
	if len(config) <= len(buf) {
		copy(buf, config)
	}
	return int32(len(config))
}

func (f *fake) Log(_ int32, text []byte) { f.result.Log = append(f.result.Log, string(text)) }

func (f *fake) LogEnabled(int32) int32 { return 1 }

// lookup finds the JSON text of a field, nil if it is missing.
func (f *fake) lookup(which, handle uint32) json.RawMessage {
	if f.objects[which] == "" {
		return nil
	}
	at := json.RawMessage(f.objects[which])
	for _, step := range f.paths[handle] {
		if index, ok := strings.CutPrefix(step, "["); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(index, "]")) // parsePath has checked it
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

// parsePath cuts metadata.labels["app"] or a[0].b into steps.
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
