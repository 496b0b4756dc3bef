package document

import (
	"reflect"
	"regexp"
	"strings"
)

// Kind is a kind of file: what its mistakes call it, and what its fields need beyond plain types.
type Kind struct {
	// Noun is the word for the file, as in "configuration".
	Noun string
	// Begin is the hint for an empty file. It may be empty.
	Begin string
	// Same are members that several files which are read as one must have alike, and Joined those
	// whose members or items are put together.
	Same, Joined []string
	// Types decode values of types that have a form of their own.
	Types map[reflect.Type]func(v Value, into any)
	// Formats are what the key format in a field's tag may name.
	Formats map[string]Format
	// Versions are the versions of the format other than the one that the tags json are of: the
	// words of the field apiVersion, and the tag of the fields that differ.
	Versions map[string]string
	// Forms are what the key form in the tag of a version may name.
	Forms map[string]Form
	// Synonyms are words of other tools for the words that an enum allows.
	Synonyms map[string][]string
	// Instead returns the hint for a field that has a value of the wrong type, "" for the hint that
	// it has otherwise. Nil: that hint.
	Instead func(path, hint string, is Shape) string
	// Secret reports whether a text must not be shown. Nil: none.
	Secret func(text string) bool
	// Help is about mistakes in values of a type. Pointers count as what they point to.
	Help map[reflect.Type]Help
}

// Help is what mistakes in the values of a type say to do.
type Help struct {
	// Example is the shortest value that has something in it.
	Example string
	// Lone returns the value that is meant where something else than a mapping is written, as YAML
	// on one line. It is shown if it passes the checks. Nil: none.
	Lone func(is Shape) string
	// Renamed are words of other tools for fields of the type, with the fields' names.
	Renamed map[string]string
	// Unknown is the hint for an unknown field, in place of the names of the fields.
	Unknown string
	// Elsewhere are fields that belong elsewhere, with a hint for each.
	Elsewhere map[string]string
	// ByValue returns the hint for an unknown field at a path that its value decides, "" if that
	// does not. It comes first. Nil: none.
	ByValue func(path string, is Shape) string
	// Missing are hints for fields that are required and missing, and Empty for those that are
	// empty.
	Missing, Empty map[string]string
}

func (k *Kind) help(t reflect.Type) Help {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return k.Help[t]
}

// Format is the form that a text must have.
type Format struct {
	// Noun is what the text must be, as in "a DNS label".
	Noun string
	// Hint is what to do about any other, and Suggest returns the text that is meant, "" if that
	// cannot be known. It is shown if it matches the pattern. Suggest may be nil.
	Hint    string
	Suggest func(text string) string
	// Pattern matches every text of the format. It is what a JSON Schema says of it; with nothing
	// in Check it decides alone.
	Pattern *regexp.Regexp
	// Check says what else is wrong with a text, "" if nothing is, as it follows the field's path
	// in a mistake. Item is the field's tag of this name. Nil: nothing else.
	Check func(text, item string) (problem, hint string)
}

// problem says what is wrong with a text, "" if nothing is.
func (f Format) problem(text, item string) (problem, hint string) {
	if f.Check != nil {
		if problem, hint = f.Check(text, item); problem != "" {
			return problem, hint
		}
	}
	if f.Pattern != nil && !f.Pattern.MatchString(text) {
		return " must be " + f.Noun + ", is " + Quote(text), f.hint(text)
	}
	return "", ""
}

// hint returns what to write in place of a text that the pattern does not match.
func (f Format) hint(text string) string {
	if f.Suggest == nil {
		return f.Hint
	}
	meant := f.Suggest(text)
	switch {
	case meant == "" || !f.Pattern.MatchString(meant):
		return f.Hint
	case f.Hint == "" || strings.HasPrefix(f.Hint, "write "):
		return "write " + meant
	}
	return "write " + meant + ": " + f.Hint
}
