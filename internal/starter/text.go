package starter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/docs"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/yamltext"
)

// Config returns the text of the configuration.
func (w *Wishes) Config() ([]byte, error) {
	listeners, alerts, err := w.settled()
	if err != nil {
		return nil, err
	}
	t := text{said: map[string]bool{}}
	t.WriteString(docs.SchemaComment)
	t.comment(0, "Written by informerd init. The line above has editors complete and check this"+
		" file; informerd validate checks it, too. docs/configuration.md has every field.")
	t.member(0, "apiVersion", config.APIVersion)
	t.member(0, "kind", config.Kind)
	t.WriteString("\n")
	t.comment(0, "What must outlast informerd is kept in this folder: how far each listener is, and"+
		" what could not be delivered. A relative path counts from the folder of this file.")
	t.WriteString("state:\n")
	dir := w.StateDir
	if dir == "" {
		dir = DefaultStateDir
	}
	t.member(2, "dir", dir)
	t.WriteString("\n")
	t.comment(0, "A status page and metrics, for this machine alone. Remove the # to have them.")
	t.WriteString("# http: {address: \"127.0.0.1:8080\"}\n\n")
	if further := informersOf(listeners); len(further) > 0 {
		t.comment(0, "Resources whose objects expressions look up.")
		t.WriteString("informers:\n")
		for _, name := range slices.Sorted(maps.Keys(further)) {
			t.WriteString("  " + yamltext.String(name, 0) + ":\n")
			if err := t.value(4, further[name]); err != nil {
				return nil, err
			}
		}
		t.WriteString("\n")
	}
	t.comment(0, "A listener passes on what happens to the objects of one resource.")
	t.WriteString("listeners:\n")
	for i := range listeners {
		if err := t.listener(&listeners[i]); err != nil {
			return nil, err
		}
	}
	t.WriteString("\n")
	t.comment(0, "Where messages go. What an output does not take is tried again, in order for each"+
		" object.")
	t.WriteString("outputs:\n")
	for i := range alerts {
		t.output(&alerts[i])
	}
	return []byte(t.String()), nil
}

// text is YAML with comments.
type text struct {
	strings.Builder
	said map[string]bool
}

// maxColumns is where lines of comments end.
const maxColumns = 100

// comment writes a comment, in as many lines as it needs.
func (t *text) comment(indent int, words string) {
	lead := strings.Repeat(" ", indent) + "#"
	line := lead
	for _, word := range strings.Fields(words) {
		if len(line)+1+len(word) > maxColumns && line != lead {
			t.WriteString(line + "\n")
			line = lead
		}
		line += " " + word
	}
	t.WriteString(line + "\n")
}

// explain writes a comment, unless it was written before.
func (t *text) explain(indent int, words string) {
	if !t.said[words] {
		t.said[words] = true
		t.comment(indent, words)
	}
}

// member writes a member whose value is a string.
func (t *text) member(indent int, name, value string) {
	fmt.Fprintf(t, "%s%s: %s\n", strings.Repeat(" ", indent), name,
		yamltext.String(value, indent+2))
}

// value writes a value of several lines.
func (t *text) value(indent int, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("the configuration cannot be written: %w", err)
	}
	lines, err := yamltext.FromJSON(data)
	t.WriteString(yamltext.Indent(string(lines), indent))
	return err
}

// listener writes a listener. Each field is explained where it is first used.
func (t *text) listener(l *listener) error {
	if l.why != "" {
		t.comment(2, l.why)
	}
	t.WriteString("  " + yamltext.String(l.name, 0) + ":\n")
	t.explain(4, "Which objects are watched; without namespaces, those of all.")
	t.WriteString("    informer:\n")
	if err := t.value(6, &l.informer); err != nil {
		return err
	}
	if l.choice != "" {
		t.explain(4, "The objects that the rules look at.")
		t.member(4, "select", l.choice)
	}
	if len(l.rules) > 0 {
		t.explain(4, "Unwanted states. informerd reports an object that is in one, and when it no"+
			" longer is. informerd explain shows why.")
		t.WriteString("    rules:\n")
		repeat := slices.Equal(l.outputs, []string{kindAlertmanager})
		for i := range l.rules {
			t.rule(&l.rules[i], repeat)
		}
	}
	if l.filter != "" {
		t.explain(4, "Which events are sent: not those for objects that existed before informerd, and"+
			" of updates only those that change these fields.")
		t.member(4, "filter", l.filter)
	}
	t.explain(4, "After a restart it goes on where it was; what happened meanwhile is not lost.")
	t.WriteString("    checkpoint: true\n")
	t.explain(4, "The outputs, defined below, that get the messages.")
	t.WriteString("    outputs:\n")
	for _, name := range l.outputs {
		t.WriteString("      - " + yamltext.String(name, 0) + "\n")
	}
	return nil
}

// rule writes a rule, which is reported again and again if repeat is true.
func (t *text) rule(r *rule, repeat bool) {
	if r.why != "" {
		t.comment(6, r.why)
	}
	t.WriteString("      - name: " + yamltext.String(r.name, 0) + "\n")
	t.explain(8, "The state, as an expression about the object.")
	t.member(8, "deny", r.deny)
	if r.wait != "" {
		t.explain(8, "How long the object must be in it without a break.")
		t.WriteString("        for: " + r.wait + "\n")
	}
	if repeat {
		t.explain(8, "Alertmanager keeps alerts in memory, so that each one is sent again.")
		t.WriteString("        repeat: 5m\n")
	}
	t.explain(8, "info, low, medium, high or critical.")
	t.member(8, "severity", r.severity)
	if r.message != "" {
		t.explain(8, "The text of the report, as an expression; the object's name is added.")
		t.member(8, "message", r.message)
	}
}

// output writes an output.
func (t *text) output(a *Alert) {
	k, _ := kindOf(a.Kind)
	t.comment(2, k.what)
	t.WriteString("  " + yamltext.String(a.name, 0) + ":\n")
	if k.field == "" {
		t.WriteString("    " + k.name + ": {}\n")
		return
	}
	t.WriteString("    " + k.name + ":\n")
	switch place := k.place(a.Address); {
	case place != "":
		t.WriteString("      " + k.field + ":\n")
		t.member(8, place, a.Address)
	case k.list:
		t.WriteString("      " + k.field + ":\n        - " + yamltext.String(a.Address, 0) + "\n")
	default:
		t.member(6, k.field, a.Address)
	}
	t.WriteString(yamltext.Indent(k.rest, 6))
}
