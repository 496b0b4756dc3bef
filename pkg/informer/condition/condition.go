package condition

import "github.com/informerd/informerd/pkg/informer/event"

// Condition asks one thing of an event. The zero value asks for a namespace that is in an empty
// list, which no object has.
type Condition struct {
	// Of is what is asked about.
	Of Subject
	// Old asks about the state before an update. Other events have none: its fields are missing.
	Old bool
	// Key is the label's key of OfLabel, the path of OfField and OfItem (see object.CompilePath),
	// else "". The empty path of OfItem is the item itself.
	Key string
	// Test is what is asked.
	Test Test
	// Values are the texts that Test compares with, Numbers the numbers and Bools the truth values.
	// In and NotIn take any number of each; StartsWith, EndsWith, Contains, Has and their opposites
	// take one text; Less, AtMost and their opposites take one text or one number.
	Values  []string
	Numbers []float64
	Bools   []bool
	// Ops are, for OfOp, the ops that In compares with.
	Ops event.OpSet
	// Either has, for OfAlternatives, lists of conditions of which one must hold as a whole.
	// Items has, for Any and Every, the conditions that an item must all fulfill.
	Either [][]Condition
	Items  []Condition
}

// Subject is what a condition asks about.
type Subject uint8

const (
	// OfNamespace: the object's namespace, "" if it is cluster-scoped.
	OfNamespace Subject = iota
	// OfName: the object's name.
	OfName
	// OfLabel: one of its labels.
	OfLabel
	// OfField: the value of a field, or the items of a list.
	OfField
	// OfOp: the event's op.
	OfOp
	// OfItem: a field of an item of a list. Only among Items.
	OfItem
	// OfAlternatives: there are several lists of conditions of which one must hold.
	OfAlternatives
)

// Test is what a condition asks. Each odd test is the opposite of the one before it. Unless
// otherwise stated, a value of a type that a test is not for passes both, and a missing or
// null one only the opposite.
type Test uint8

const (
	// In: it is one of the values. A value of another type is none of them.
	In Test = iota
	// NotIn: it is none of the values, or missing.
	NotIn
	// Exists: there is such a label, or a field that is not null. A label that is not a text, and
	// labels that are not an object, which no API server sends, pass both.
	Exists
	// NotExists is the opposite.
	NotExists
	// StartsWith: the text begins with the value.
	StartsWith
	// NotStartsWith is the opposite.
	NotStartsWith
	// EndsWith: the text ends with the value.
	EndsWith
	// NotEndsWith is the opposite.
	NotEndsWith
	// Contains: the value is a part of the text. Texts longer than MaxText pass both.
	Contains
	// NotContains is the opposite.
	NotContains
	// Less: it is less than the value, as a text or as a number.
	Less
	// NotLess is the opposite; something missing is not less.
	NotLess
	// AtMost: it is less than the value or equal to it.
	AtMost
	// NotAtMost is the opposite; something missing is not at most a value.
	NotAtMost
	// More: it is more than the value.
	More
	// NotMore is the opposite; something missing is not more.
	NotMore
	// AtLeast: it is more than the value or equal to it.
	AtLeast
	// NotAtLeast is the opposite; something missing is not at least a value.
	NotAtLeast
	// True: it is true. False, null and missing are not.
	True
	// NotTrue is the opposite.
	NotTrue
	// Has: it is an object with a member of this name, or a list with this text.
	Has
	// NotHas is the opposite.
	NotHas
	// Differs: it may differ from the same field of the state before. Values with the same JSON
	// text do not.
	Differs
	// NotDiffers passes everything, so that every test has an opposite.
	NotDiffers
	// Any: an item of the list fulfills Items. Lists longer than MaxItems pass.
	Any
	// Every: every item of the list fulfills Items, or it is missing. Lists longer than MaxItems
	// pass.
	Every

	tests
)

// Bounds on what is read before a buffer, where one listener's question delays all of them.
const (
	MaxItems = 64      // items of a list that Any, Every and Has read
	MaxText  = 4 << 10 // bytes of a text that Contains reads
)

// Opposite returns the test that the other objects pass.
func (t Test) Opposite() Test { return t ^ 1 }

// IsOpposite reports whether the test is the opposite of the one before it. Any and Every are both
// tests.
func (t Test) IsOpposite() bool { return t&1 == 1 && t < Any }
