// Package scantest has member names for tests: equal names in different spellings, and different
// names with equal fingerprints. Tests of several packages share it; nothing else imports it.
package scantest

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// Spellings are ways to write the same name, in a JSON string without its quotes.
var Spellings = map[string][]string{
	"a":          {`a`, `\u0061`},
	"a/b":        {`a/b`, `a\/b`, `a\u002fb`, `a\u002Fb`},
	"<>&":        {`<>&`, `\u003c\u003e\u0026`, `\u003C>\u0026`},
	"\"\\":       {`\"\\`, `\u0022\\`, `\"\u005c`},
	"\n\t\b":     {`\n\t\b`, `\u000a\u0009\u0008`},
	"\x01":       {`\u0001`},
	"é":          {`é`, `\u00e9`, `\u00E9`},
	"😀":          {`😀`, `\ud83d\ude00`, `\uD83D\uDE00`},
	"�":          {`�`, `\ud800`, `\udfff`, `\ufffd`},
	"��":         {`��`, `\ud800\ud800`, `\udc00\ud800`},
	"long/n<me>": {`long/n<me>`, `long\/n\u003cme\u003e`, `\u006cong/n<me\u003e`},
}

// hashMultiplier is the multiplier of fingerprints in package scan.
const hashMultiplier = 0x9e3779b97f4a7c15

// Collider returns the n-th of two texts of equal length. Names that begin with one of them and go
// on alike have the same fingerprint.
func Collider(n int) string { return colliders()[n] }

// colliders returns two such texts: the second word of one makes up for the difference of the first
// words.
var colliders = sync.OnceValue(func() [2]string {
	r := rand.New(rand.NewPCG(1, 1))
	letters := func() string {
		var b [16]byte
		for i := range b {
			b[i] = byte('A' + r.IntN(58))
			if b[i] == '\\' {
				b[i] = 'x'
			}
		}
		return string(b[:])
	}
	for {
		one, two := letters(), letters()
		// (word(two) after the first multiplication) ^ x must be the same as that of one.
		w := jsontext.Word(one, 0)*hashMultiplier ^ jsontext.Word(one, 8) ^ jsontext.Word(two,
			0)*hashMultiplier
		var second [8]byte
		binary.LittleEndian.PutUint64(second[:], w)
		name := two[:8] + string(second[:])
		if !strings.ContainsFunc(name, func(c rune) bool {
			return c < ' ' || c > '~' || c == '"' || c == '\\'
		}) && utf8.ValidString(name) && name != one {
			return [2]string{one, name}
		}
	}
})
