package shown

import "github.com/informerd/informerd/internal/plan/reach"

// Plan is a plan as JSON has it.
type Plan struct {
	Cluster   string            `json:"cluster"`
	Process   map[string]string `json:"process,omitempty"` // whom it speaks to, what it keeps
	Informers []Informer        `json:"informers"`
	Outputs   []Output          `json:"outputs"`
	// Requests are what is requested besides the objects of the informers.
	Requests []Request `json:"requests"`
	// Warnings are not about an expression: those are where it is.
	Warnings []string `json:"warnings,omitempty"`
}

// Informer is an informer with the listeners that share it.
type Informer struct {
	Resource          string            `json:"resource"`
	Known             bool              `json:"known"` // without asking an API server
	Names             []string          `json:"names,omitempty"`
	Namespaces        []string          `json:"namespaces,omitempty"` // none: all
	LabelSelector     string            `json:"labelSelector,omitempty"`
	FieldSelector     string            `json:"fieldSelector,omitempty"`
	Drop              []string          `json:"drop,omitempty"`
	KeepManagedFields bool              `json:"keepManagedFields,omitempty"`
	Indexes           map[string]string `json:"indexes,omitempty"`
	LookedUpBy        []string          `json:"lookedUpBy,omitempty"`
	// Again: another informer watches some of the same objects.
	Again     bool       `json:"watchedAgain,omitempty"`
	Listeners []Listener `json:"listeners"`
}

// Listener is what a listener takes, decides and sends.
type Listener struct {
	Name           string            `json:"name"`
	File           string            `json:"file,omitempty"` // none: all are in one file
	On             []string          `json:"on"`
	Resync         string            `json:"resync,omitempty"`
	Before         Before            `json:"before"`
	Behind         []Stage           `json:"behind"`
	Handler        string            `json:"handler,omitempty"`
	NotLoaded      []string          `json:"notLoaded,omitempty"` // what is wrong with its module
	Grants         []string          `json:"grants,omitempty"`
	Outputs        []string          `json:"outputs"`
	Sends          []Sends           `json:"sends,omitempty"`
	EvaluatedAgain []string          `json:"evaluatedAgain,omitempty"` // without an event
	Settings       map[string]string `json:"settings,omitempty"`
	Warnings       []string          `json:"warnings,omitempty"`
	Suggestion     string            `json:"suggestion,omitempty"`
}

// Before is what is decided before the buffer of a listener.
type Before struct {
	On []string `json:"on"`
	// Conditions must all be true.
	Conditions []string `json:"conditions,omitempty"`
	// ObjectOrOld: of an update, the conditions are about either state.
	ObjectOrOld bool `json:"objectOrOld,omitempty"`
	Never       bool `json:"never,omitempty"`    // nothing gets in
	Complete    bool `json:"complete,omitempty"` // nothing more is decided behind it
}

// Stage is an expression behind the buffer.
type Stage struct {
	Is         string `json:"is"` // select, rule or filter
	Name       string `json:"name,omitempty"`
	Severity   string `json:"severity,omitempty"`
	Expression string `json:"expression"`
	For        string `json:"for,omitempty"`
	Repeat     string `json:"repeat,omitempty"`
	Message    string `json:"message,omitempty"`
}

// Output is an output with its expressions.
type Output struct {
	Name        string            `json:"name"`
	To          string            `json:"to"`
	Listeners   []string          `json:"listeners"`
	Never       []reach.Missed    `json:"never,omitempty"` // what it never gets of them
	Expressions map[string]string `json:"expressions,omitempty"`
	Data        string            `json:"data,omitempty"` // without an expression for it
	Settings    map[string]string `json:"settings,omitempty"`
	Warnings    []string          `json:"warnings,omitempty"`
}

// Request is a right that is needed, and what needs it.
type Request struct {
	Right string   `json:"right"`
	For   []string `json:"for"`
}
