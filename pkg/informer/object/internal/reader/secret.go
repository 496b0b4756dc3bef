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

// Redact replaces each value of a Secret by a digest, which shows whether values are equal or
// changed, and nothing else. Those of different namespaces say nothing of each other, or who may make
// Secrets in one could try what those of another are.
func (r *Reader) Redact(d *Digester) {
	s := r.Text
	d.namespace = append(d.namespace[:0], s[r.Namespace.From:r.Namespace.To]...)
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

// Digester makes digests with one key.
type Digester struct {
	mac       hash.Hash
	namespace []byte
	sum       []byte
}

var lineBreak = []byte("\n")

// processKey is the key of digesters without a key of their own.
var processKey = sync.OnceValue(func() []byte {
	key := make([]byte, sha256.Size)
	rand.Read(key)
	return key
})

// NewDigester returns a digester with a key. An empty key stands for a random one that the process
// keeps.
func NewDigester(key []byte) *Digester {
	if len(key) == 0 {
		key = processKey()
	}
	return &Digester{mac: hmac.New(sha256.New, key)}
}

// digest returns the first 12 hexadecimal digits of the HMAC-SHA-256 of the namespace, a line break
// and a value's JSON text. Without the key, nobody can find a password by trying likely ones, but in a
// namespace where they may make Secrets.
func (d *Digester) digest(value string) string {
	d.mac.Reset()
	d.mac.Write(d.namespace)
	d.mac.Write(lineBreak)
	// The value is not copied: it should be nowhere else in memory.
	d.mac.Write(unsafe.Slice(unsafe.StringData(value), len(value)))
	d.sum = d.mac.Sum(d.sum[:0])
	return `"hmac-sha256:` + hex.EncodeToString(d.sum[:6]) + `"`
}
