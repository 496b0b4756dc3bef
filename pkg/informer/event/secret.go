package event

import (
	"crypto/sha256"
	"encoding/hex"
)

// redact replaces each value of a Secret by a digest that tells equal values and changes, and nothing else.
func (r *reading) redact() {
	s := r.s
	for _, sp := range r.secret {
		if s[sp.from] != '{' {
			if s[sp.from] != 'n' {
				r.edits = append(r.edits, edit{sp.from, sp.to, digest(s[sp.from:sp.to])})
			}
			continue
		}
		for i := nextToken(s, sp.from+1); s[i] == '"'; i = nextToken(s, i) {
			from := nextToken(s, stringEnd(s, i))
			i = skipTrusted(s, from)
			r.edits = append(r.edits, edit{from, i, digest(s[from:i])})
		}
	}
}

// digest is the first 12 hexadecimal digits of the SHA-256 of the value's JSON text.
func digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return `"sha256:` + hex.EncodeToString(sum[:6]) + `"`
}
