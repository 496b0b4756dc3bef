package document

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/informerd/informerd/internal/config/units"
)

// durationHintFor returns what to write in place of a duration that cannot be read.
func (d *decoder) durationHintFor(n *yaml.Node, path string, t reflect.Type) string {
	if n.Kind != yaml.ScalarNode {
		return durationHint
	}
	text := strings.TrimSpace(n.Value)
	meant := units.Duration(text)
	switch {
	case units.Digits(text):
		for _, unit := range []string{"s", "m", "h", "ms"} {
			if d.fits(text+unit, path, t) {
				return "write a number and a unit (d, h, m, s, ms), as in " + text + unit
			}
		}
	case slices.Contains(offWords, strings.ToLower(text)):
		meant = "0"
	}
	if hint := d.write(path, t, meant); hint != "" {
		return hint
	}
	return durationHint
}

// bytesHintFor returns what to write in place of a quantity of bytes that cannot be read, or is
// not within its limits.
func (d *decoder) bytesHintFor(n *yaml.Node, path string, t reflect.Type) string {
	if n.Kind != yaml.ScalarNode {
		return bytesHint
	}
	if hint := d.write(path, t, units.Size(strings.TrimSpace(n.Value))); hint != "" {
		return hint
	}
	return bytesHint
}

// unitHint returns the hint for a quantity of bytes below its limits that seems to lack its unit.
func unitHint(v, low, high reflect.Value) string {
	is, bytes := v.Interface().(Bytes)
	if !bytes || !low.IsValid() || !high.IsValid() || is <= 0 || is >= 1<<20 ||
		is%1024 == 0 || is >= low.Interface().(Bytes) {
		return ""
	}
	if mega := is << 20; mega >= low.Interface().(Bytes) && mega <= high.Interface().(Bytes) {
		return "a number alone is bytes: write " + mega.String()
	}
	return ""
}
