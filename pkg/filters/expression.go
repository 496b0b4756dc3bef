package filters

import (
	"time"

	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// What users name of the packages below. The fields and methods of these types are described there.
type (
	// Expression is an expression as somebody wrote it: its text, its place in a file, its kind,
	// and what is known of the events that it will see.
	Expression = lang.Expression
	// Message is what an output is about to send, as expressions of KindWhen, KindData and KindText
	// see it.
	Message = lang.Message
	// Position is a place in a file. Line and column count from 1, columns in characters.
	Position = lang.Position
	// Kind is what an expression is for, and so which names there are and what it must return.
	Kind = lang.Kind
	// Schema describes the fields that objects have, as far as they are known: the structural part
	// of an OpenAPI schema. It is immutable once it is handed out, and may refer to itself.
	Schema = lang.Schema
	// LookedUp is what is known of the objects that cached, byIndex and clusters find in an informer.
	LookedUp = lang.LookedUp
	// Caches are the stores of other informers, as cached, byIndex and clusters read them. An
	// implementation is safe for concurrent use and does not block.
	Caches = lang.Caches
	// InCluster is an object of a cluster.
	InCluster = lang.InCluster
	// Evaluator runs a filter's expression, event after event. It serves one goroutine at a time.
	Evaluator = eval.Evaluator
)

const (
	// KindFilter looks at an event: op, object, old, initial, missed, resumed. Its value is true
	// or false.
	KindFilter = lang.KindFilter
	// KindSelect looks at an object alone, and is true if it belongs to a set.
	KindSelect = lang.KindSelect
	// KindDeny looks at an object alone, and is true if it violates a rule.
	KindDeny = lang.KindDeny
	// KindMessage looks at an object alone, and its value is a text.
	KindMessage = lang.KindMessage
	// KindWhen looks at a [Message]. Its value is true or false: whether an output sends it.
	KindWhen = lang.KindWhen
	// KindData looks at a [Message]. It has any value, as JSON: what an output sends.
	KindData = lang.KindData
	// KindText looks at a [Message]. Its value is a text: a subject, a label, a text for people.
	KindText = lang.KindText
)

type (
	// CompileError is a mistake in an expression, with its place.
	CompileError = lang.CompileError
)

var (
	// ErrUnknown matches every error of an evaluation: the expression has no answer, which is
	// neither yes nor no. Such an error names types, never values: those may be secret.
	ErrUnknown = lang.ErrUnknown
	// ErrBudget matches the error of an expression that exceeded a bound on steps or memory.
	ErrBudget = lang.ErrBudget
)

// Bounds on an expression, on one evaluation, and on its result.
const (
	MaxSource  = lang.MaxSource    // bytes of an expression's text
	MaxNodes   = lang.MaxNodes     // nodes of its syntax tree
	MaxNesting = lang.MaxNesting   // any(…, any(…)) and the like
	MaxPattern = values.MaxPattern // bytes of a regular expression
	MaxRange   = lang.MaxRange     // items of a range such as 1..100
	MaxSteps   = lang.MaxSteps     // steps of an evaluation
	MaxMemory  = lang.MaxMemory    // items of lists that it makes
	MaxText    = lang.MaxText      // bytes of a text that it makes
	MaxBytes   = lang.MaxBytes     // of all texts and lists that it makes, and of what it decodes
	MaxMessage = lang.MaxMessage   // bytes of a rule's message
)

// Mistakes returns the mistakes that an error of [Compile] consists of, none if it is another
// error.
func Mistakes(err error) []*CompileError { return lang.Mistakes(err) }

// ParseDuration reads a duration as duration(…) does, and as every duration in a configuration is
// written: 90s, 1h30m, 7d, 1d12h. It reports whether the text is one.
func ParseDuration(text string) (time.Duration, bool) { return values.ParseDuration(text) }
