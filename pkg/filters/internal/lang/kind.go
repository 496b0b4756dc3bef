package lang

import "slices"

// kindWords are how errors speak of a kind of expression.
type kindWords struct {
	Name   string // instead of a file
	Plural string
	must   string // what it has to return
	Looks  string // what it looks at, if that is the object alone
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

func (k Kind) Word() kindWords {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return kinds[KindFilter]
}

// Must says what an expression of the kind has to give.
func (k Kind) Must() string { return k.Word().must }

// OfEvents are the variables and functions that say something of an event and not of an object.
var OfEvents = []string{"op", "old", "initial", "missed", "changed", "became"}

func (k Kind) SeesEvents() bool { return k.Word().Looks == "" }

// names leaves out those that the kind does not have.
func (k Kind) names(all []string) []string {
	if k.SeesEvents() {
		return slices.Clone(all)
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.Contains(OfEvents, name)
	})
}

func (k Kind) Variables() []string { return k.names(Variables) }

func (k Kind) Functions() []string { return k.names(Functions()) }
