package explain

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
)

var discard = slog.New(slog.DiscardHandler)

// What becomes of an event.
const (
	NotWatched  = "not watched"  // the listener gets no such event
	notSelected = "not selected" // of an object that is not
	judged      = "judged"       // only what rules report goes out
	notWanted   = "not wanted"   // the listener wants no events of the op
	notMatched  = "not matched"  // by the filter
	dropped     = "dropped"      // by the handler
	deadLetter  = "dead letter"
	unwanted    = "unwanted"        // by all outputs
	handled     = "for the handler" // which is not run
	passed      = "passed"
)

// sentences say it.
var sentences = map[string]string{
	NotWatched:  "The listener gets no such event: ",
	notSelected: "The object is not selected.",
	notWanted:   "The listener does not want such events.",
	notMatched:  "The event does not match.",
	dropped:     "The handler drops the event.",
	unwanted:    "The event matches, and no output wants it.",
	handled:     "The event matches: it goes to the handler.",
}

// Answer is what came of an event. Its fields are the form as JSON.
type Answer struct {
	Listener string   `json:"listener"`
	Op       string   `json:"op"`
	Object   identity `json:"object"`
	Verdict  string   `json:"verdict"`
	Outside  []string `json:"notWatched,omitempty"` // why the listener gets no such event
	Steps    []step   `json:"steps,omitempty"`      // in the order in which they were evaluated
	Rules    []rule   `json:"rules,omitempty"`      // that are violated, or will be
	Sent     []sent   `json:"sent,omitempty"`
	Letters  []letter `json:"deadLetters,omitempty"`
	// Again is in how long the listener looks at the object again, if nothing happens to it.
	Again string `json:"again,omitempty"`
	// Running is what the informerd that runs with the configuration remembers of the object.
	Running any `json:"running,omitempty"`
}

// identity is which object an event is about.
type identity struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// step is an evaluated expression.
type step struct {
	Stage      string      `json:"stage"` // select, deny, message, filter, when, data, …
	Rule       string      `json:"rule,omitempty"`
	Output     string      `json:"output,omitempty"`
	Of         string      `json:"of,omitempty"` // old; or the op, if it is not the event's
	Expression *expression `json:"expression"`

	tree filters.Explanation
}

// at returns where the step is on the way.
func (s *step) at() string {
	at := s.Stage
	if s.Rule != "" {
		at = "rule " + s.Rule + ", " + at
	}
	if s.Output != "" {
		at = "output " + s.Output + ", " + at
	}
	if s.Of != "" {
		at += ", of " + s.Of
	}
	return at
}

// sink returns the output whose sink evaluates the step, "" if the worker does.
func (s *step) sink() string {
	if s.Stage == "when" || s.Stage == "data" {
		return ""
	}
	return s.Output
}

// rule is a rule that the object violates, or will when For has passed.
type rule struct {
	Rule  string `json:"rule"`
	State string `json:"state"` // violated or pending
	For   string `json:"for,omitempty"`
}

// sent is a message for an output, an event or the report of a rule.
type sent struct {
	Output   string `json:"output"`
	Kind     string `json:"kind,omitempty"`
	Type     string `json:"type"`
	Op       string `json:"op,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Severity string `json:"severity,omitempty"`
	Violated *bool  `json:"violated,omitempty"` // false: resolved
	Message  string `json:"message,omitempty"`
	Do       string `json:"do,omitempty"` // as in POST
	To       string `json:"to,omitempty"`
	Body     string `json:"body,omitempty"`
	Error    string `json:"error,omitempty"` // of what makes the body

	own bool // the body is not the event as it is
}

func sentOf(output string, m *sink.Message) sent {
	s := sent{Output: output, Type: m.Type, Op: m.Op.String(), own: m.Body == sink.BodyData}
	if r := m.Report; r != nil {
		s.Rule, s.Severity, s.Message, s.Violated = r.Rule, r.Severity, r.Message, &r.Violated
	}
	return s
}

// line returns it as in: violated stuck: "the message".
func (s *sent) line() string {
	switch {
	case s.Rule == "" && strings.HasPrefix(s.Type, "dev.informerd."):
		return s.Op
	case s.Rule == "":
		return s.Type
	case *s.Violated:
		return fmt.Sprintf("violated %s: %q", s.Rule, s.Message)
	}
	return "resolved " + s.Rule
}

// letter is an event or a message that is given up.
type letter struct {
	Output string `json:"output,omitempty"`
	Reason string `json:"reason"`
	Error  string `json:"error"`
}

// Violated reports whether the object violates a rule, or that is not known since one failed.
func (a *Answer) Violated() bool {
	return len(a.Rules) > 0 ||
		slices.ContainsFunc(a.Letters, func(l letter) bool { return l.Reason == "rule-failed" })
}

// Line returns what becomes of the event in one line.
func (a *Answer) Line() string {
	var all []string
	for i := range a.Sent {
		all = append(all, a.Sent[i].line()+" -> "+a.Sent[i].Output)
	}
	for _, r := range a.Rules {
		if r.State == "pending" {
			all = append(all, "pending "+r.Rule+" for "+r.For)
		}
	}
	for _, l := range a.Letters {
		all = append(all, "dead letter: "+l.Reason)
	}
	if len(all) == 0 {
		all = append(all, a.Verdict)
	}
	return fmt.Sprintf("%s, %s of %s %q: %s", a.Listener, a.Op, a.Object.Kind, a.Object.key(),
		strings.Join(all, "; "))
}

func (o identity) key() string {
	return strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
}

// Write writes the answer in full.
func (a *Answer) Write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "listener %s, %s of %s %q\n\n", a.Listener, a.Op, a.Object.Kind,
		a.Object.key())
	for i := range a.Steps {
		s := &a.Steps[i]
		fmt.Fprintf(&b, "%s:\n", s.at())
		if err := s.tree.Write(&b); err != nil {
			return err
		}
	}
	if len(a.Steps) > 0 {
		b.WriteString("\n")
	}
	for _, r := range a.Rules {
		if r.State == "pending" {
			fmt.Fprintf(&b, "Rule %s is violated once that has lasted for %s.\n", r.Rule, r.For)
		} else {
			fmt.Fprintf(&b, "Rule %s is violated.\n", r.Rule)
		}
	}
	if a.Verdict == judged && len(a.Rules)+len(a.Sent) == 0 {
		b.WriteString("No rule is violated.\n")
	}
	if text := sentences[a.Verdict] + strings.Join(a.Outside, "; "); text != "" {
		b.WriteString(text + "\n")
	}
	for i := range a.Sent {
		s := &a.Sent[i]
		fmt.Fprintf(&b, "-> %s: %s\n", s.Output, s.line())
		if s.Body != "" && (s.own || own[s.Kind]) {
			fmt.Fprintf(&b, "   %s %s: %s\n", s.Do, s.To, s.Body)
		}
		if s.Error != "" {
			fmt.Fprintf(&b, "   error: %s\n", s.Error)
		}
	}
	for _, l := range a.Letters {
		fmt.Fprintf(&b, "-> dead letters: %s: %s\n", l.Reason, l.Error)
	}
	if a.Again != "" {
		fmt.Fprintf(&b, "The listener looks again within %s.\n", a.Again)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// own are the kinds of outputs that write something else than CloudEvents.
var own = map[string]bool{"slack": true, "alertmanager": true, "patch": true,
	"kubernetesEvent": true}
