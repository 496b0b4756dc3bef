package rules

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters"
)

// Severities are the words for how bad a violation is, least first.
var Severities = []string{"info", "low", defaultSeverity, "high", "critical"}

const defaultSeverity = "medium"

// Definition is a rule as somebody wrote it.
type Definition struct {
	Name     string        // a DNS label, unique among the rules of its listener
	Severity string        // one of Severities; "" means medium
	For      time.Duration // how long deny must hold before the rule is violated; 0: not at all
	Repeat   time.Duration // after which a violation is reported again; 0: never

	// Deny is true for an object that violates the rule. Message is what to tell of it; if its Text
	// is "", the rule's name. Compile sets their Kind and Rule.
	Deny, Message filters.Expression
}

// Rule is a compiled Definition. It is immutable and safe for concurrent use.
type Rule struct {
	name, severity string
	hold, repeat   time.Duration
	deny, message  *filters.Filter
	clock          bool // deny's answer changes although the object does not
}

// Name tells the rule from the others of its listener.
func (r *Rule) Name() string { return r.name }

// Severity is one of [Severities].
func (r *Rule) Severity() string { return r.severity }

// For is how long deny must hold before the rule is violated.
func (r *Rule) For() time.Duration { return r.hold }

// Repeat is the time after which a violation is reported again, 0 for never.
func (r *Rule) Repeat() time.Duration { return r.repeat }

// Deny is true for an object that violates the rule.
func (r *Rule) Deny() *filters.Filter { return r.deny }

// Message says what to tell of a violation. It is nil if that is the rule's name.
func (r *Rule) Message() *filters.Filter { return r.message }

// Compile checks and compiles a rule. A mistake in one of its expressions is a
// [*filters.CompileError].
func Compile(source Definition) (*Rule, error) {
	if source.Severity == "" {
		source.Severity = defaultSeverity
	}
	if err := source.check(); err != nil {
		return nil, err
	}
	source.Deny.Kind, source.Deny.Rule = filters.KindDeny, source.Name
	source.Message.Kind, source.Message.Rule = filters.KindMessage, source.Name
	r := &Rule{name: source.Name, severity: source.Severity, hold: source.For,
		repeat: source.Repeat}
	var err error
	if r.deny, err = filters.Compile(source.Deny); err != nil {
		return nil, err
	}
	r.clock = r.deny.UsesClock() || len(r.deny.Informers()) > 0
	if source.Message.Text != "" {
		r.message, err = filters.Compile(source.Message)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

var dnsLabel = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

func (s Definition) check() error {
	if !dnsLabel.MatchString(s.Name) {
		return s.mistake(`the name must be a DNS label; use at most 63 lower-case letters, digits and "-", with a letter or digit at both ends`)
	}
	if !slices.Contains(Severities, s.Severity) {
		return s.mistake("severity must be info, low, medium, high or critical, is %q%s",
			s.Severity, severityHint(s.Severity))
	}
	if s.For < 0 {
		return s.mistake("for must not be negative, is %s; leave it out if a violation counts at once", s.For)
	}
	if s.Repeat < 0 {
		return s.mistake("repeat must not be negative, is %s; leave it out to tell a violation once", s.Repeat)
	}
	return nil
}

func (s Definition) mistake(format string, args ...any) error {
	where := ""
	if s.Deny.File != "" {
		where = s.Deny.File + ": "
	}
	if s.Deny.Listener != "" {
		where += fmt.Sprintf("listener %q: ", s.Deny.Listener)
	}
	return fmt.Errorf("%srule %q: "+format, append([]any{where, s.Name}, args...)...)
}

func severityHint(word string) string {
	if near, ok := nearest.Name(word, Severities); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
