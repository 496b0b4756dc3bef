package pipeline

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/status"
)

// The orders of listeners.
const (
	SortName    = "name"
	SortRate    = "rate"
	SortWaiting = "waiting"
	SortAge     = "age"
	SortTrouble = "trouble"
)

// Sorts are the orders of listeners.
var Sorts = []string{SortName, SortRate, SortWaiting, SortAge, SortTrouble}

// View is how a status is shown.
type View struct {
	Sort    string // of Sorts
	Reverse bool
	Filter  string // a text that listeners have in their name, resource or state
	Color   bool
}

// stateColors are those of SGR.
var stateColors = map[string]string{status.Running: "32", status.Starting: "33",
	status.Paused: "33", status.Failing: "31"}

// painted returns a state in its color. All have the same number of bytes around them, so that
// columns stay aligned.
func (v *View) painted(state string) string {
	if !v.Color {
		return words.Plain(state)
	}
	return "\x1b[" + cmp.Or(stateColors[state], "39") + "m" + words.Plain(state) + "\x1b[0m"
}

// listeners returns those that are shown, in their order.
func (v *View) listeners(s *status.Status, rates status.Rates) (shown []*status.Listener) {
	for i := range s.Listeners {
		l := &s.Listeners[i]
		if strings.Contains(l.Name+"\x00"+l.Resource+"\x00"+l.State, v.Filter) {
			shown = append(shown, l)
		}
	}
	by := map[string]func(a, b *status.Listener) int{
		SortName: func(a, b *status.Listener) int { return 0 },
		SortWaiting: func(a, b *status.Listener) int {
			return cmp.Compare(b.Waiting(), a.Waiting())
		},
		SortAge: func(a, b *status.Listener) int { return cmp.Compare(b.Oldest(), a.Oldest()) },
		SortRate: func(a, b *status.Listener) int {
			return cmp.Compare(rates.Listeners[b.Name].Events, rates.Listeners[a.Name].Events)
		},
		SortTrouble: func(a, b *status.Listener) int {
			return cmp.Compare(b.Severity(), a.Severity())
		},
	}[v.Sort]
	slices.SortStableFunc(shown, func(a, b *status.Listener) int {
		return cmp.Or(by(a, b), strings.Compare(a.Name, b.Name))
	})
	if v.Reverse {
		slices.Reverse(shown)
	}
	return shown
}

// head returns the first lines: the whole.
func head(s *status.Status, rates status.Rates) string {
	var b strings.Builder
	verdict := "ready"
	if !s.Ready {
		verdict = "NOT READY"
	}
	fmt.Fprintf(&b, "informerd %s, cluster %s, %s", words.Plain(s.Version), words.Plain(s.Cluster), verdict)
	if s.Role != "" {
		fmt.Fprintf(&b, ", %s", words.Plain(s.Role))
	}
	fmt.Fprintf(&b, ", up %s, %s of memory", duration.HumanDuration(max(0, s.Time.Sub(s.Started))),
		bytesText(int64(s.Process.MemoryBytes)))
	if rates.Over > 0 {
		fmt.Fprintf(&b, ", %.0f %% of a core", 100*rates.CPU)
	}
	b.WriteString("\n")
	if d := s.DeadLetters; d != nil && d.Letters > 0 {
		fmt.Fprintf(&b, "%s, %s of %s", words.Count(d.Letters, "dead letter"), bytesText(d.Bytes),
			bytesText(d.LimitBytes))
		if d.Waiting > 0 {
			fmt.Fprintf(&b, ", and %d wait for room", d.Waiting)
		}
		b.WriteString("\n")
	}
	if c := s.Checkpoint; c != nil {
		if c.Error != "" {
			fmt.Fprintf(&b, "the checkpoint was given up: %s\n", words.Plain(c.Error))
		} else if !c.Current.IsZero() {
			fmt.Fprintf(&b, "checkpoint: all but the last %s, commits take %s\n",
				ageText(s.Time.Sub(c.Current).Seconds()), ageText(c.CommitSeconds))
		}
	}
	if s.Role == "standby" {
		b.WriteString("this replica stands by: it delivers nothing, and the one that leads has what is under way\n")
	}
	if r := s.Reload; r != nil && !r.Successful {
		b.WriteString("the last reload has failed: the configuration of before is in use\n")
	}
	for _, stall := range s.Stalled {
		fmt.Fprintf(&b, "stalled for %s: %s\n", ageText(s.Time.Sub(stall.Since).Seconds()),
			words.Plain(stall.String()))
	}
	return b.String()
}

// Write writes everything.
func (v *View) Write(w io.Writer, s *status.Status, rates status.Rates) error {
	if _, err := io.WriteString(w, head(s, rates)); err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nINFORMER\tOBJECTS\tMEMORY\tEVENTS/S\tHEARD\tLISTS\tTROUBLE")
	for i := range s.Informers {
		in := &s.Informers[i]
		trouble := words.Plain(in.Error)
		if trouble == "" && !in.Synced {
			trouble = "the first list is not complete"
		}
		heard := "-"
		if !in.Heard.IsZero() {
			heard = ageText(s.Time.Sub(in.Heard).Seconds())
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%d\t%s\n", words.Plain(scopeText(in)), in.Objects,
			bytesText(in.MemoryBytes), rateText(rates, rates.Informers, in.Key()), heard, in.Lists,
			trouble)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return v.writeListeners(w, s, rates)
}

func (v *View) writeListeners(w io.Writer, s *status.Status, rates status.Rates) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\nLISTENER\t%s\tEVENTS/S\tSENT/S\tWAITING\tOLDEST\tLETTERS\tVIOLATIONS\tTROUBLE\n",
		v.paintedHead("STATE"))
	shown := v.listeners(s, rates)
	for _, l := range shown {
		violations := "-"
		if l.Violations != nil {
			violations = strconv.Itoa(*l.Violations)
		}
		events, sent := "-", "-"
		if r, has := rates.Listeners[l.Name]; has {
			events, sent = perSecond(r.Events), perSecond(r.Written)
		}
		trouble := ""
		if all := l.Troubles(); len(all) > 0 {
			trouble = shortText(all[0])
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%d\t%s\t%s\n", words.Plain(l.Name),
			v.painted(l.State), events, sent, l.Waiting(), ageText(l.Oldest()), l.Letters,
			violations, trouble)
	}
	if len(shown) == 0 {
		fmt.Fprintln(table, "there are no such listeners")
	}
	return table.Flush()
}

// paintedHead is the head of a column of states, with as many bytes around it as they have.
func (v *View) paintedHead(text string) string {
	if !v.Color {
		return text
	}
	return "\x1b[39m" + text + "\x1b[0m"
}

// writeListener writes one listener in depth.
func (v *View) writeListener(w io.Writer, l *status.Listener, r status.ListenerRates) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("listener", "%s, of %s", words.Plain(l.Name), words.Plain(l.Resource))
	row("state", "%s", v.painted(l.State))
	for _, t := range l.Troubles() {
		row("trouble", "%s", words.Plain(t))
	}
	var events []string
	for _, op := range slices.Sorted(maps.Keys(l.Events)) {
		events = append(events, fmt.Sprintf("%s %d", op, l.Events[op]))
	}
	row("events", "%s (%s/s)", strings.Join(events, ", "), perSecond(r.Events))
	row("kept from it", "refused before the buffer %d, unselected %d, filtered %d, its own patches %d",
		l.Refused, l.Unselected, l.Filtered, l.Own)
	row("matched", "%d", l.Matched)
	row("buffer", "events %d, for a retry %d, marked %d, first list %d, on disk %d, oldest %s",
		l.Buffer.Events, l.Buffer.Waiting, l.Buffer.Marked, l.Buffer.Backlog, l.Buffer.OnDisk,
		ageText(l.Buffer.OldestSeconds))
	row("overflow", "merged %d, dropped %d, waited %d", l.Buffer.Coalesced, l.Buffer.Dropped,
		l.Buffer.Blocked)
	if h := l.Handler; h != nil {
		row("handler", "calls %d, crashes %d, dropped %d, emitted %d", h.Calls, h.Crashes, h.Dropped,
			h.Emitted)
	}
	if l.Violations != nil {
		row("violations", "%d", *l.Violations)
	}
	row("failures", "of expressions %d, tried again %d, dead letters %d, %d of them there now",
		l.Errors, l.Retried, l.DeadLetters, l.Letters)
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(table, "\nOUTPUT\tSENT/S\tSENT\tWAITING\tOLDEST\tLAG\tRETRIED\tMERGED\tDROPPED\tLETTERS")
	for _, o := range l.Outputs {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\t%d\t%d\t%d\t%d\n", words.Plain(o.Name),
			perSecond(r.Outputs[o.Name]), o.Written, o.Waiting, ageText(o.OldestSeconds),
			ageText(o.LagSeconds), o.Retried, o.Merged, o.Dropped, o.DeadLetters)
	}
	return table.Flush()
}

// scopeText returns what an informer is about.
func scopeText(in *status.Informer) string {
	text := in.Resource
	if in.Namespace != "" {
		text += " in " + in.Namespace
	}
	for _, selector := range []string{in.LabelSelector, in.FieldSelector} {
		if selector != "" {
			text += " with " + selector
		}
	}
	return text
}

func rateText(rates status.Rates, of map[string]float64, key string) string {
	if rate, has := of[key]; has && rates.Over > 0 {
		return perSecond(rate)
	}
	return "-"
}

func perSecond(rate float64) string {
	if rate > 0 && rate < 10 {
		return strings.TrimSuffix(strconv.FormatFloat(rate, 'f', 1, 64), ".0")
	}
	return strconv.FormatFloat(rate, 'f', 0, 64)
}

// ageText returns seconds for people.
func ageText(seconds float64) string {
	switch {
	case seconds <= 0:
		return "-"
	case seconds < 1:
		return strconv.Itoa(max(1, int(1000*seconds))) + "ms"
	}
	return duration.HumanDuration(time.Duration(seconds * float64(time.Second)))
}

// bytesText returns a number of bytes for people.
func bytesText(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	x, i := float64(n), 0
	for x >= 1024 && i < len(units)-1 {
		x, i = x/1024, i+1
	}
	if i == 0 || x >= 100 {
		return fmt.Sprintf("%.0f %s", x, units[i])
	}
	return fmt.Sprintf("%.1f %s", x, units[i])
}

// shortText returns the beginning of a text that a table has.
func shortText(text string) string {
	if utf8.RuneCountInString(text) > maxShownError {
		text = string([]rune(text)[:maxShownError]) + "…"
	}
	return words.Plain(text)
}

// maxShownError is how many characters of an error a table has.
const maxShownError = 80

// Find returns a listener, or an error with the names there are.
func Find(s *status.Status, name string) (*status.Listener, error) {
	i := slices.IndexFunc(s.Listeners, func(l status.Listener) bool { return l.Name == name })
	if i >= 0 {
		return &s.Listeners[i], nil
	}
	var names []string
	for _, l := range s.Listeners {
		names = append(names, l.Name)
	}
	return nil, fmt.Errorf("there is no listener %q; %s", name,
		words.Hint(name, "", names, "the listeners are "))
}

// WriteOne writes one listener in depth.
func (v *View) WriteOne(w io.Writer, s *status.Status, rates status.Rates, name string) error {
	l, err := Find(s, name)
	if err != nil {
		return err
	}
	return v.writeListener(w, l, rates.Listeners[name])
}
