package reader

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
	"unsafe"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// redact replaces each value of a Secret by a digest that tells equal values and changes, and
// nothing else.
func (r *Reader) Redact(d *Digester) {
	s := r.Text
	for _, sp := range r.hidden {
		if s[sp.From] != '{' {
			if s[sp.From] != 'n' {
				r.Edits = append(r.Edits, edit{sp.From, sp.To, d.digest(s[sp.From:sp.To])})
			}
			continue
		}
		for i := jsontext.NextToken(s, sp.From+1); s[i] == '"'; i = jsontext.NextToken(s, i) {
			from := jsontext.NextToken(s, jsontext.StringEnd(s, i))
			i = jsontext.ValueEnd(s, from)
			r.Edits = append(r.Edits, edit{from, i, d.digest(s[from:i])})
		}
	}
}

// digester makes digests with one key.
type Digester struct {
	mac hash.Hash
	sum []byte
}

// processKey is the key of those who were given none.
var processKey = sync.OnceValue(func() []byte {
	key := make([]byte, sha256.Size)
	rand.Read(key)
	return key
})

func NewDigester(key []byte) *Digester {
	if len(key) == 0 {
		key = processKey()
	}
	return &Digester{mac: hmac.New(sha256.New, key)}
}

// digest returns the first 12 hexadecimal digits of the HMAC-SHA-256 of the value's JSON text.
// Without the key, nobody can find a password by trying those that are likely.
func (d *Digester) digest(value string) string {
	d.mac.Reset()
	// not copied: what a Secret hides should be nowhere else
	d.mac.Write(unsafe.Slice(unsafe.StringData(value), len(value)))
	d.sum = d.mac.Sum(d.sum[:0])
	return `"hmac-sha256:` + hex.EncodeToString(d.sum[:6]) + `"`
}
