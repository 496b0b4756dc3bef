package objects

import (
	"fmt"
	"math/rand/v2"
)

// vocabulary is made-up words, the more frequent ones first.
var vocabulary = func() (words [2048]string) {
	r := rand.New(rand.NewPCG(1, 20))
	syllables := []string{"ba", "con", "der", "el", "fi", "gra", "hol", "in", "ka", "lo", "mer",
		"nu", "or", "pre", "qua", "re", "sta", "tion", "un", "ver"}
	for i := range words {
		for range 1 + i%4 {
			words[i] += pick(r, syllables)
		}
	}
	return words
}()

// appendProse appends about n bytes of text as in configuration and scripts: frequent and rare
// words, numbers, identifiers, lines. Two texts have a line in common only by chance. The text
// needs no further escapes in JSON; line breaks are already escaped.
func appendProse(to []byte, r *rand.Rand, n int) []byte {
	for end := len(to) + n; len(to) < end; {
		switch k := r.IntN(16); {
		case k < 11:
			rank := r.Float64()
			to = append(append(to, vocabulary[int(rank*rank*float64(len(vocabulary)))]...), ' ')
		case k < 13:
			to = fmt.Appendf(to, "%d ", r.IntN(100_000))
		case k < 14:
			to = append(append(to, hexDigits(r, 12)...), ' ')
		case k < 15:
			to = append(to, "= "...)
		default:
			to = append(to, `\n`...)
		}
	}
	return to
}
