package rules

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Severities are the levels of a violation, the least first.
var Severities = []string{"info", "low", defaultSeverity, "high", "critical"}

const defaultSeverity = "medium"

// Definition is a rule as somebody wrote it.
type Definition struct {
	Name     string        // a DNS label, unique among the rules of the listener
	Severity string        // one of Severities; "" means medium
	For      time.Duration // how long deny must be true before the rule is violated; 0: at once
	Repeat   time.Duration // after which a violation is reported again; 0: never
	// FailureViolates: an object on which Deny fails violates the rule, with a message that says so.
	FailureViolates bool

	// Deny is true for an object that violates the rule. Message is the text of the report; if
	// its Text is "", the rule's name is. Compile sets the Kind and Rule of both.
	Deny, Message filters.Expression
}

// Rule is a compiled Definition. It is immutable and safe for concurrent use.
type Rule struct {
	name, severity string
	hold, repeat   time.Duration
	deny, message  *filters.Filter
	clock          bool // deny's answer changes although the object does not
	failViolates   bool
}

// Name returns the rule's name, unique in its listener.
func (r *Rule) Name() string { return r.name }

// Severity returns one of [Severities].
func (r *Rule) Severity() string { return r.severity }

// For returns how long deny must be true before the rule is violated.
func (r *Rule) For() time.Duration { return r.hold }

// Repeat returns the time after which a violation is reported again, 0 for never.
func (r *Rule) Repeat() time.Duration { return r.repeat }

// Deny returns the filter that is true for an object that violates the rule.
func (r *Rule) Deny() *filters.Filter { return r.deny }

// Message returns the expression of the report's text, nil if that is the rule's name.
func (r *Rule) Message() *filters.Filter { return r.message }

// Recorded returns a rule that is the same, and passes each evaluation of its deny and of its message
// to a function.
func (r *Rule) Recorded(to func(of *filters.Filter, ev event.Event, x filters.Explanation)) (
	*Rule, error) {
	recorded := *r
	for _, f := range []**filters.Filter{&recorded.deny, &recorded.message} {
		of := *f
		again, err := of.Recorded(func(ev event.Event, x filters.Explanation) { to(of, ev, x) })
		if err != nil {
			return nil, err
		}
		*f = again
	}
	return &recorded, nil
}

// Compile checks and compiles a rule. A mistake in one of its expressions is a
// [*filters.CompileError].
func Compile(definition Definition) (*Rule, error) {
	definition.Severity = cmp.Or(definition.Severity, defaultSeverity)
	if err := definition.check(); err != nil {
		return nil, err
	}
	definition.Deny.Kind, definition.Deny.Rule = filters.KindDeny, definition.Name
	definition.Message.Kind, definition.Message.Rule = filters.KindMessage, definition.Name
	r := &Rule{name: definition.Name, severity: definition.Severity, hold: definition.For,
		repeat: definition.Repeat, failViolates: definition.FailureViolates}
	var err error
	if r.deny, err = filters.Compile(definition.Deny); err != nil {
		return nil, err
	}
	r.clock = r.deny.LooksAround()
	if definition.Message.Text != "" {
		r.message, err = filters.Compile(definition.Message)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

var dnsLabel = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

func (d Definition) check() error {
	if !dnsLabel.MatchString(d.Name) {
		return d.mistake(`the name must be a DNS label; use at most 63 lower-case letters, digits and "-", with a letter or digit at both ends`)
	}
	if !slices.Contains(Severities, d.Severity) {
		return d.mistake("severity must be info, low, medium, high or critical, is %q%s",
			d.Severity, severityHint(d.Severity))
	}
	if d.For < 0 {
		return d.mistake("for must not be negative, is %s; leave it out if a violation counts at once", d.For)
	}
	if d.Repeat < 0 {
		return d.mistake("repeat must not be negative, is %s; leave it out to report a violation once", d.Repeat)
	}
	return nil
}

func (d Definition) mistake(format string, args ...any) error {
	where := ""
	if d.Deny.File != "" {
		where = d.Deny.File + ": "
	}
	if d.Deny.Listener != "" {
		where += fmt.Sprintf("listener %q: ", d.Deny.Listener)
	}
	return fmt.Errorf("%srule %q: "+format, append([]any{where, d.Name}, args...)...)
}

func severityHint(word string) string {
	if near, ok := nearest.Name(word, Severities); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
