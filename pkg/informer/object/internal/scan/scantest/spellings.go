// Package scantest has names for the tests of those who compare names: equal ones in different
// spellings, and different ones with equal fingerprints.
package scantest

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// spellings are ways to write the same name, in a string of JSON without its quotes.
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

// hashMultiplier is the one that fingerprints are made with.
const hashMultiplier = 0x9e3779b97f4a7c15

// collider returns one of two texts of the same length after which names have the same fingerprint.
func Collider(n int) string { return colliders()[n] }

// colliders looks for two such texts: the second word of one makes up for what the first words
// differ in.
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
