package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/wording"
)

// asYAML returns JSON whose texts mean the same in YAML, which is what the API server takes an
// apply patch for. YAML does not know the escape \/ nor pairs of surrogates, has line breaks that
// are none in JSON, and refuses further characters. The text must be valid JSON.
func asYAML(text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		panic(err) // it was made of valid JSON
	}
	plain := wording.MustJSON(value)
	safe := make([]byte, 0, len(plain))
	for _, c := range string(plain) {
		if oddInYAML(c) {
			safe = fmt.Appendf(safe, `\u%04x`, c)
		} else {
			safe = utf8.AppendRune(safe, c)
		}
	}
	return safe
}

// oddInYAML reports whether a character must be escaped that JSON has in texts as it is.
func oddInYAML(c rune) bool {
	switch c {
	case '\u2028', '\u2029', '\ufeff', '\ufffe', '\uffff':
		return true
	}
	return 0x7f <= c && c <= 0x9f
}
