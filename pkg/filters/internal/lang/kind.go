package lang

import "slices"

// returns is what an expression of a kind must return.
type returns uint8

const (
	ReturnsBool returns = iota
	ReturnsText
	ReturnsJSON // any value, as JSON
)

// kindWords are the words for a kind of expression in errors, and what it is for.
type kindWords struct {
	Name    string // instead of a file
	Plural  string
	must    string // what it must return, as a sentence
	Looks   string // the refusal of a name of events, "" if the kind has those
	Method  string // of an Evaluator, which returns the value
	returns returns
	message bool // it looks at a message
}

var kinds = [...]kindWords{
	KindFilter: {Name: "filter", Plural: "filters", must: "a filter must return true or false",
		Method: "Match"},
	KindSelect: {Name: "select", Plural: "selects", must: "a select must return true or false",
		Looks:  "a select looks at the object alone: it has no %s; ask for that in the filter",
		Method: "Match"},
	KindDeny: {Name: "deny", Plural: "rules", must: "a rule's deny must return true or false",
		Looks:  "a rule looks at the object alone: it has no %s; ask for that in the filter",
		Method: "Match"},
	KindMessage: {Name: "message", Plural: "rules", must: "a rule's message must return text",
		Looks: "a rule's message looks at the object alone: it has no %s", Method: "Text",
		returns: ReturnsText},
	KindWhen: {Name: "when", Plural: "outputs", must: "when must return true or false",
		Method: "MatchMessage", message: true},
	KindData: {Name: "data", Plural: "outputs", must: "the data must be a value of JSON",
		Method: "JSONOf", returns: ReturnsJSON, message: true},
	KindText: {Name: "text", Plural: "outputs", must: "this expression must return text",
		Method: "TextOf", returns: ReturnsText, message: true},
}

// Word returns the words for the kind.
func (k Kind) Word() *kindWords {
	if int(k) < len(kinds) {
		return &kinds[k]
	}
	return &kinds[KindFilter]
}

// Must returns the sentence that says what an expression of the kind must return.
func (k Kind) Must() string { return k.Word().must }

// Returns returns what an expression of the kind must return.
func (k Kind) Returns() returns { return k.Word().returns }

// OfEvents are the variables and functions that are about an event and not about an object.
var OfEvents = []string{"op", "old", "initial", "missed", "resumed", "changed", "became"}

// OfCaches are the functions that read other objects. An expression that looks at a message
// has none of them.
var OfCaches = []string{"byIndex", "cached", "clusters"}

// seesEvents reports whether expressions of the kind look at events, and not at objects
// alone. A message has an event.
func (k Kind) seesEvents() bool { return k.Word().Looks == "" }

// SeesMessages reports whether expressions of the kind look at messages.
func (k Kind) SeesMessages() bool { return k.Word().message }

// Has reports whether expressions of the kind may use a name of the language.
func (k Kind) Has(name string) bool {
	switch {
	case slices.Contains(OfEvents, name):
		return k.seesEvents()
	case slices.Contains(OfCaches, name):
		return !k.SeesMessages()
	}
	return k.SeesMessages() || !slices.Contains(MessageVariables, name)
}

// names returns those of the names that the kind has.
func (k Kind) names(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !k.Has(name) })
}

// Variables returns the variables that expressions of the kind have.
func (k Kind) Variables() []string { return k.names(slices.Concat(Variables, MessageVariables)) }

// Functions returns the functions that expressions of the kind may call, sorted.
func (k Kind) Functions() []string { return k.names(Functions()) }
