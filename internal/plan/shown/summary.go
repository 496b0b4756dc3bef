package shown

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteSummary writes a line for each listener: what it watches, what decides, and what goes where.
func (p *Plan) WriteSummary(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "LISTENER\tWATCHES\tDECIDES\tSENDS TO")
	for _, inf := range p.Informers {
		for _, l := range inf.Listeners {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", l.Name, inf.watches(), l.decides(), l.sendsTo())
		}
	}
	return table.Flush()
}

func (i *Informer) watches() string {
	text := i.Resource
	if n := len(i.Namespaces); n > 2 {
		text += fmt.Sprintf(" in %d namespaces", n)
	} else if n > 0 {
		text += " in " + strings.Join(i.Namespaces, ", ")
	}
	if i.LabelSelector != "" || i.FieldSelector != "" {
		text += ", selected"
	}
	return text
}

func (l *Listener) decides() string {
	if l.Before.Never {
		return "never"
	}
	rules := 0
	var parts []string
	for _, s := range l.Behind {
		if s.Is == "rule" {
			rules++
		} else {
			parts = append(parts, s.Is)
		}
	}
	if rules > 0 {
		parts = append(parts, Count(rules, "rule"))
	}
	if l.Handler != "" {
		parts = append(parts, "handler")
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

func (l *Listener) sendsTo() string {
	var parts []string
	some := 0
	for _, s := range l.Sends {
		some += 1 - min(len(s.Nothing), 1)
	}
	for _, s := range l.Sends {
		text := strings.Join(s.Outputs, ", ")
		all := s.AllReports && !s.Partly && (s.AllEvents || len(s.Events) == 0) &&
			len(s.Violations) == 0
		switch {
		case s.Nothing != "":
			text += " (nothing)"
		case !all || some > 1:
			text += " (" + s.Text() + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
