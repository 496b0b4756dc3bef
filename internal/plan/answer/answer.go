package answer

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/pkg/filters"
)

// Answer is what becomes of one event at one listener. Its fields are the JSON form.
type Answer struct {
	Listener string `json:"listener"`
	Op       string `json:"op"`
	Object   Object `json:"object"`
	File     string `json:"file,omitempty"`

	// Verdicts say in short what becomes of the event: one for each rule that reports, and one for
	// the event itself. There is at least one.
	Verdicts  []string `json:"verdicts"`
	Notes     []string `json:"notes,omitempty"`
	Unwatched []string `json:"unwatched,omitempty"` // why the listener gets no event of the object
	Missing   []string `json:"missing,omitempty"`   // informers whose objects are not known

	Select *Stage  `json:"select,omitempty"`
	Rules  []*Rule `json:"rules,omitempty"`
	Event  *Event  `json:"event,omitempty"`
	// Otherwise is the stage of the event if the object was not selected before. It is there if
	// that is not known, and the event is then another one.
	Otherwise *Event `json:"otherwise,omitempty"`
	// Lacks are the fields that the answer depends on, and that an API server fills in. A note has
	// them.
	Lacks []string `json:"-"`
	quiet []string // notes that summaries leave out
	// Varies is what of the verdicts is no reason, since it differs from object to object.
	Varies string `json:"-"`
	// Supposed is whether the event would come only if a running informerd did not have the object.
	Supposed bool `json:"-"`
	// Ends is whether an open violation ends with a reload, since its rule is not there any more.
	Ends bool `json:"-"`
	// IfSelected is whether the event is what comes if the object was selected before, which is not
	// known.
	IfSelected bool `json:"-"`

	text  []entry
	stage *Stage // what is said belongs to it
}

// Object says which object it is.
type Object struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// Key returns the object's namespace and name.
func (o Object) Key() string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// objectKey tells the objects of questions apart.
func (a *Answer) objectKey() string { return a.File + " " + a.Object.Kind + " " + a.Object.Key() }

// Stage is the select, a rule or the filter: its expressions with the values of their parts, what
// follows from them in words, and what outputs make of the message that comes of them.
type Stage struct {
	Result      string        `json:"result"`
	Says        []string      `json:"says,omitempty"`
	Expressions []*Expression `json:"expressions,omitempty"`
	Outputs     []*Output     `json:"outputs,omitempty"`
}

// Rule is the stage of a rule.
type Rule struct {
	Name     string `json:"name"`
	Severity string `json:"severity"`
	// Reported says what is reported: see the constants.
	Reported string `json:"reported"`
	For      string `json:"for,omitempty"`
	Repeat   string `json:"repeat,omitempty"`
	Message  string `json:"message,omitempty"` // of the report
	// Remembered is what a running informerd knows of the object by the rule, nil if that is
	// nothing, or none was asked.
	Remembered *memory.Rule `json:"remembered,omitempty"`
	// Joins are outputs that are new with a reload, to which an open violation is reported then.
	Joins []string `json:"joins,omitempty"`
	// Bare is whether it is violated by an object without a status, at which its deny looks.
	Bare bool `json:"bare,omitempty"`
	*Stage
}

// What a rule may report of an event.
const (
	None          = "no"
	Now           = "now"
	Later         = "later"            // when the violation has lasted as long as the rule's for
	Again         = "again"            // it was violated before; the rule repeats it
	IfNew         = "now-if-new"       // unless the object violated the rule before
	OnItsWay      = "on-its-way"       // it was violated before; outputs have yet to take that
	Resolved      = "resolved"         // the end of the violation
	ResolvedIfAny = "resolved-if-open" // the end of a violation, if there is one
	Unknown       = "unknown"          // the rule fails, or depends on what is not known
)

// Event is the stage of the event itself: the filter, and what follows.
type Event struct {
	Op      string `json:"op"` // as the listener gets it
	Handler string `json:"handler,omitempty"`
	*Stage
}

// Output is what an output makes of a message.
type Output struct {
	Name  string `json:"name"`
	Takes string `json:"takes"` // yes, no, or perhaps
	Why   string `json:"why,omitempty"`
	Fails bool   `json:"-"` // that is why it does not take it
	// Made are what its expressions yield, by the fields of the configuration.
	Made map[string]json.RawMessage `json:"made,omitempty"`
	When *Expression                `json:"when,omitempty"`
}

// Yields adds what one of the output's expressions yields.
func (o *Output) Yields(field string, value any) {
	text, err := json.Marshal(value)
	if err != nil { // what filters call JSON is some
		panic(fmt.Sprintf("answer: %s is not JSON: %v", field, err))
	}
	if o.Made == nil {
		o.Made = map[string]json.RawMessage{}
	}
	o.Made[field] = text
}

// entry is a line of the text, or the tree of an expression.
type entry struct {
	line  string
	tree  *filters.Explanation
	stage *Stage // to which it belongs; nil for notes
}

// Line adds a line to the text alone, as the title of what follows.
func (a *Answer) Line(format string, args ...any) {
	a.text = append(a.text, entry{line: fmt.Sprintf(format, args...), stage: a.stage})
}

const notePrefix = "Note: "

// Note adds a note.
func (a *Answer) Note(text string) {
	a.Notes = append(a.Notes, text)
	a.text = append(a.text, entry{line: notePrefix + text})
}

// NoteQuietly adds a note that summaries leave out.
func (a *Answer) NoteQuietly(text string) {
	a.quiet = append(a.quiet, text)
	a.Note(text)
}

// Say adds a sentence to the text and to the stage that is the current one.
func (a *Answer) Say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.Line("%s", text)
	if a.stage != nil {
		a.stage.Says = append(a.stage.Says, strings.TrimSpace(text))
	}
}

// Begin makes a stage the current one.
func (a *Answer) Begin() *Stage {
	a.stage = &Stage{Result: Unknown}
	return a.stage
}

// Tree adds an expression to the stage, with what it is, and its tree to the text.
func (a *Answer) Tree(is string, x filters.Explanation) {
	a.text = append(a.text, entry{tree: &x, stage: a.stage})
	if a.stage != nil {
		a.stage.Expressions = append(a.stage.Expressions, NewExpression(is, x))
	}
}

// Sends adds what outputs make of the message of the current stage.
func (a *Answer) Sends(outputs []*Output) { a.stage.Outputs = outputs }

// When adds what an output's when answers, which belongs to the output.
func (a *Answer) When(o *Output, x filters.Explanation) {
	a.text = append(a.text, entry{tree: &x, stage: a.stage})
	o.When = NewExpression("", x)
}

// Undecided adds an expression that depends on objects of informers that are not known.
func (a *Answer) Undecided(is string, x filters.Explanation, missing []string) {
	a.Say("This cannot be told: it depends on objects of %s, which are not known here.",
		strings.Join(missing, ", "))
	if a.stage != nil {
		a.stage.Expressions = append(a.stage.Expressions,
			&Expression{Is: is, Text: x.Root.Text, Missing: missing})
	}
}
