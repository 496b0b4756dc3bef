package answer

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
)

// An returns a word with the article in front.
func An(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// Names returns the names of outputs, with what they are.
func Names(names []string) string {
	switch len(names) {
	case 0:
		return "no output"
	case 1:
		return "the output " + names[0]
	}
	return "the outputs " + strings.Join(names, ", ")
}

// maxShownText is how much is shown of what an output's expression yields, in characters.
const maxShownText = 1000

// Shown returns what an output's expression yields, as a line.
func Shown(text string) string {
	if all := []rune(text); len(all) > maxShownText {
		text = string(all[:maxShownText]) + "…"
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// Goes returns in short where a message goes: -> out (not chat, mail).
func Goes(outputs []*Output) string {
	var to, not, perhaps, fail []string
	for _, o := range outputs {
		switch {
		case o.Takes == "yes":
			to = append(to, o.Name)
		case o.Takes == "perhaps":
			perhaps = append(perhaps, o.Name)
		case o.Fails:
			fail = append(fail, o.Name)
		default:
			not = append(not, o.Name)
		}
	}
	var but []string
	for _, of := range []struct {
		word  string
		names []string
	}{{"not", not}, {"perhaps", perhaps}, {"it fails for", fail}} {
		if len(of.names) > 0 {
			but = append(but, of.word+" "+strings.Join(of.names, ", "))
		}
	}
	if len(to) == 0 && len(not) > 0 {
		but[0] = strings.Join(not, ", ") + " do not take it"
		if len(not) == 1 {
			but[0] = not[0] + " does not take it"
		}
	}
	text := " -> " + cmp.Or(strings.Join(to, ", "), "no output")
	if len(but) > 0 {
		text += " (" + strings.Join(but, "; ") + ")"
	}
	return text
}
