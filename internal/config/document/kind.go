package document

import (
	"reflect"
	"regexp"
)

// Kind is a kind of file: what its mistakes call it, and what its fields need beyond plain types.
type Kind struct {
	// Noun is the word for the file, as in "configuration".
	Noun string
	// Same are members that several files which are read as one must have alike, and Joined those
	// whose members or items are put together.
	Same, Joined []string
	// Types decode values of types that have a form of their own.
	Types map[reflect.Type]func(v Value, into any)
	// Formats are what the key format in a field's tag may name.
	Formats func() map[string]Format
	// Secret reports whether a text must not be shown, and SecretLine whether a line that is not
	// YAML must not be. Nil: none.
	Secret, SecretLine func(text string) bool
	// Elsewhere are names that other programs have for fields, as Type.name, with what they are
	// here.
	Elsewhere map[string]string
}

func (k *Kind) isSecret(text string) bool { return k.Secret != nil && k.Secret(text) }

// Format is the form that a text must have.
type Format struct {
	// Noun is what the text must be, as in "a DNS label".
	Noun string
	// Pattern matches every text of the format. It is what a JSON Schema says of it; with nothing
	// in Check it decides alone.
	Pattern *regexp.Regexp
	// Check says what else is wrong with a text, "" if nothing is, as it follows the field's path
	// in a mistake. Item is the field's tag of this name. Nil: nothing else.
	Check func(text, item string) (problem string)
}

// problem says what is wrong with a text, "" if nothing is.
func (f Format) problem(text, item string) string {
	if f.Check != nil {
		if problem := f.Check(text, item); problem != "" {
			return problem
		}
	}
	if f.Pattern != nil && !f.Pattern.MatchString(text) {
		return " must be " + f.Noun + ", is " + Quote(text)
	}
	return ""
}
