package lang

import "slices"

// kindWords are the words for a kind of expression in errors.
type kindWords struct {
	Name   string // instead of a file
	Plural string
	must   string // what it must return, as a sentence
	Looks  string // the refusal of a name of events, "" if the kind has those
}

var kinds = [...]kindWords{
	KindFilter: {"filter", "filters", "a filter must return true or false", ""},
	KindSelect: {"select", "selects", "a select must return true or false",
		"a select looks at the object alone: it has no %s; ask for that in the filter"},
	KindDeny: {"deny", "rules", "a rule's deny must return true or false",
		"a rule looks at the object alone: it has no %s"},
	KindMessage: {"message", "rules", "a rule's message must return text",
		"a rule's message looks at the object alone: it has no %s"},
}

// Word returns the words for the kind.
func (k Kind) Word() kindWords {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return kinds[KindFilter]
}

// Must returns the sentence that says what an expression of the kind must return.
func (k Kind) Must() string { return k.Word().must }

// OfEvents are the variables and functions that are about an event and not about an object.
var OfEvents = []string{"op", "old", "initial", "missed", "changed", "became"}

// SeesEvents reports whether expressions of the kind look at events, and not at objects
// alone.
func (k Kind) SeesEvents() bool { return k.Word().Looks == "" }

// names returns those of the names that the kind has.
func (k Kind) names(all []string) []string {
	if k.SeesEvents() {
		return slices.Clone(all)
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.Contains(OfEvents, name)
	})
}

// Variables returns the variables that expressions of the kind have.
func (k Kind) Variables() []string { return k.names(Variables) }

// Functions returns the functions that expressions of the kind may call, sorted.
func (k Kind) Functions() []string { return k.names(Functions()) }
