package document

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// raw turns a value of any shape into JSON. Members keep their order, numbers their digits.
func (d *decoder) raw(n *yaml.Node, into *json.RawMessage, path string, depth int) {
	var b bytes.Buffer
	before := len(d.errs)
	d.writeJSON(&b, n, path, depth)
	if len(d.errs) > before {
		d.failed[path] = true
		return
	}
	*into = b.Bytes()
}

func (d *decoder) writeJSON(b *bytes.Buffer, n *yaml.Node, path string, depth int) {
	n, ok := d.follow(n, path, depth)
	if !ok {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		comma := false
		d.members(n, path, func(key, value *yaml.Node) {
			if comma {
				b.WriteByte(',')
			}
			comma = true
			writeString(b, key.Value)
			b.WriteByte(':')
			if path != "" {
				member := Join(path, key.Value)
				d.keys[member], d.values[member] = placeOf(key), placeOf(value)
			}
			d.writeJSON(b, value, Join(path, key.Value), depth+1)
		})
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, child := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			d.writeJSON(b, child, Item(path, i), depth+1)
		}
		b.WriteByte(']')
	default:
		d.writeScalar(b, n, path)
	}
}

func (d *decoder) writeScalar(b *bytes.Buffer, n *yaml.Node, path string) {
	switch n.Tag {
	case "!!null":
		b.WriteString("null")
	case "!!bool":
		var v bool
		if n.Decode(&v) == nil {
			b.WriteString(strconv.FormatBool(v))
		}
	case "!!int", "!!float":
		number, ok := jsonNumber(n)
		if !ok {
			d.Add(placeOf(n), path, "%s is a number that JSON does not have: %s", path, Quote(n.Value))
			return
		}
		b.WriteString(number)
	default:
		writeString(b, n.Value)
	}
}

// jsonNumber returns a number as JSON writes it: unchanged if that is JSON, else its value (0x10,
// 1_000).
func jsonNumber(n *yaml.Node) (string, bool) {
	if json.Valid([]byte(n.Value)) {
		return n.Value, true
	}
	var i int64
	if n.Tag == "!!int" && n.Decode(&i) == nil {
		return strconv.FormatInt(i, 10), true
	}
	var f float64
	if n.Decode(&f) != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return "", false
	}
	return strconv.FormatFloat(f, 'g', -1, 64), true
}

func writeString(b *bytes.Buffer, s string) {
	text, _ := json.Marshal(s) // a string is always marshalled
	b.Write(text)
}
