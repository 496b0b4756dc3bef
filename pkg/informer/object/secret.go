package object

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
	"unsafe"
)

// redact replaces each value of a Secret by a digest that tells equal values and changes, and
// nothing else.
func (r *reader) redact(d *digester) {
	s := r.text
	for _, sp := range r.hidden {
		if s[sp.from] != '{' {
			if s[sp.from] != 'n' {
				r.edits = append(r.edits, edit{sp.from, sp.to, d.digest(s[sp.from:sp.to])})
			}
			continue
		}
		for i := nextToken(s, sp.from+1); s[i] == '"'; i = nextToken(s, i) {
			from := nextToken(s, stringEnd(s, i))
			i = valueEnd(s, from)
			r.edits = append(r.edits, edit{from, i, d.digest(s[from:i])})
		}
	}
}

// digester makes digests with one key.
type digester struct {
	mac hash.Hash
	sum []byte
}

// processKey is the key of those who were given none.
var processKey = sync.OnceValue(func() []byte {
	key := make([]byte, sha256.Size)
	rand.Read(key)
	return key
})

func newDigester(key []byte) *digester {
	if len(key) == 0 {
		key = processKey()
	}
	return &digester{mac: hmac.New(sha256.New, key)}
}

// digest returns the first 12 hexadecimal digits of the HMAC-SHA-256 of the value's JSON text.
// Without the key, nobody can find a password by trying those that are likely.
func (d *digester) digest(value string) string {
	d.mac.Reset()
	// not copied: what a Secret hides should be nowhere else
	d.mac.Write(unsafe.Slice(unsafe.StringData(value), len(value)))
	d.sum = d.mac.Sum(d.sum[:0])
	return `"hmac-sha256:` + hex.EncodeToString(d.sum[:6]) + `"`
}
