package filters

import "slices"

// kindWords are how errors speak of a kind of expression.
type kindWords struct {
	name   string // instead of a file
	plural string
	must   string // what it has to return
	looks  string // what it looks at, if that is the object alone
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

func (k Kind) word() kindWords {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return kinds[KindFilter]
}

// must says what an expression of the kind has to give.
func (k Kind) must() string { return k.word().must }

// ofEvents are the variables and functions that say something of an event and not of an object.
var ofEvents = []string{"op", "old", "initial", "missed", "changed", "became"}

func (k Kind) seesEvents() bool { return k.word().looks == "" }

// names leaves out those that the kind does not have.
func (k Kind) names(all []string) []string {
	if k.seesEvents() {
		return slices.Clone(all)
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.Contains(ofEvents, name)
	})
}

func (k Kind) variables() []string { return k.names(variables) }

func (k Kind) functions() []string { return k.names(Functions()) }
