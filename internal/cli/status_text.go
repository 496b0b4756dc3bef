package cli

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

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/wording"
)

// byTrouble returns the listeners, those in trouble first.
func byTrouble(s *status.Status) []*status.Listener {
	shown := make([]*status.Listener, len(s.Listeners))
	for i := range s.Listeners {
		shown[i] = &s.Listeners[i]
	}
	slices.SortStableFunc(shown, func(a, b *status.Listener) int {
		return cmp.Or(cmp.Compare(b.Severity(), a.Severity()), strings.Compare(a.Name, b.Name))
	})
	return shown
}

// head returns the first lines: the whole.
func head(s *status.Status, rates status.Rates) string {
	var b strings.Builder
	verdict := "ready"
	if !s.Ready {
		verdict = "NOT READY"
	}
	fmt.Fprintf(&b, "informerd %s, cluster %s, %s", wording.Printable(s.Version), wording.Printable(s.Cluster), verdict)
	if s.Role != "" {
		fmt.Fprintf(&b, ", %s", wording.Printable(s.Role))
	}
	fmt.Fprintf(&b, ", up %s, %s of memory", duration.HumanDuration(max(0, s.Time.Sub(s.Started))),
		bytesText(int64(s.Process.MemoryBytes)))
	if rates.Over > 0 {
		fmt.Fprintf(&b, ", %.0f %% of a core", 100*rates.CPU)
	}
	b.WriteString("\n")
	if d := s.DeadLetters; d != nil && d.Letters > 0 {
		fmt.Fprintf(&b, "%s, %s of %s", wording.Count(d.Letters, "dead letter"), bytesText(d.Bytes),
			bytesText(d.LimitBytes))
		if d.Waiting > 0 {
			fmt.Fprintf(&b, ", and %d wait for room", d.Waiting)
		}
		b.WriteString("\n")
	}
	if c := s.Checkpoint; c != nil {
		if c.Error != "" {
			fmt.Fprintf(&b, "the checkpoint was given up: %s\n", wording.Printable(c.Error))
		} else if !c.Current.IsZero() {
			fmt.Fprintf(&b, "checkpoint: all but the last %s, commits take %s\n",
				ageText(s.Time.Sub(c.Current).Seconds()), ageText(c.CommitSeconds))
		}
	}
	if s.Role == "standby" {
		b.WriteString("this replica stands by: it delivers nothing, and the one that leads has what is under way\n")
	}
	if s.Sharding != nil {
		b.WriteString(shardsText(s.Sharding))
	}
	if len(s.Clusters) > 0 {
		b.WriteString(clustersText(s.Clusters))
	}
	if r := s.Reload; r != nil && !r.Successful {
		b.WriteString("the last reload has failed: the configuration of before is in use\n")
	}
	for _, stall := range s.Stalled {
		fmt.Fprintf(&b, "stalled for %s: %s\n", ageText(s.Time.Sub(stall.Since).Seconds()),
			wording.Printable(stall.String()))
	}
	return b.String()
}

// writeWhole writes everything.
func writeWhole(w io.Writer, s *status.Status, rates status.Rates) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, head(s, rates))
	fmt.Fprintln(table, "\nINFORMER\tOBJECTS\tMEMORY\tEVENTS/S\tHEARD\tLISTS\tTROUBLE")
	informers, events := inAllClusters(s.Informers, rates.Informers)
	for _, in := range informers {
		heard, shard := "-", ""
		if in.Shard != "" {
			shard = "shard " + in.Shard
		}
		if !in.Heard.IsZero() {
			heard = ageText(s.Time.Sub(in.Heard).Seconds())
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%d\t%s\n",
			wording.Printable(scopeText(in.Resource, in.Namespace, in.LabelSelector, in.FieldSelector, shard)), in.Objects,
			bytesText(in.MemoryBytes), rateText(rates, events, in.Key()), heard, in.Lists,
			wording.Printable(in.Error))
	}
	writeListeners(table, s, rates)
	if s.Sharding != nil {
		writeShards(table, s)
	}
	if len(s.Clusters) > 0 {
		writeClusters(table, s)
	}
	return table.Flush()
}

// inAllClusters returns informers with what they do per second, by their keys. Those of one scope
// in several clusters are one: counts are sums, the rest is that of the one that is worst off.
func inAllClusters(all []status.Informer, rates map[string]float64) (sums []*status.Informer,
	events map[string]float64) {
	events = map[string]float64{}
	at := map[string]*status.Informer{}
	for _, in := range all {
		rate, known := rates[in.Key()]
		if in.Error == "" && !in.Synced {
			in.Error = "the first list is not complete"
		}
		of := in.Cluster
		if of != "" && in.Error != "" {
			in.Error = "cluster " + of + ": " + in.Error
		}
		in.Cluster = ""
		key := in.Key()
		if known {
			events[key] += rate
		}
		sum := at[key]
		if sum == nil || of == "" {
			sums, at[key] = append(sums, &in), &in
			continue
		}
		sum.Objects, sum.MemoryBytes, sum.Lists = sum.Objects+in.Objects, sum.MemoryBytes+in.MemoryBytes, sum.Lists+in.Lists
		sum.Error = cmp.Or(sum.Error, in.Error)
		if sum.Heard.IsZero() || !in.Heard.IsZero() && in.Heard.Before(sum.Heard) {
			sum.Heard = in.Heard
		}
	}
	return sums, events
}

// clustersText says in a line how many clusters there are, and which are in trouble.
func clustersText(all []status.Cluster) string {
	var bad []string
	for i := range all {
		if all[i].Error != "" {
			bad = append(bad, wording.Printable(all[i].Name))
		}
	}
	text := fmt.Sprintf("clusters: %d", len(all))
	if len(bad) > 0 {
		text += fmt.Sprintf(", of which %d in trouble: %s", len(bad), wording.Some(bad, maxNames))
	}
	return text + "\n"
}

// writeClusters writes the clusters, those in trouble first.
func writeClusters(table io.Writer, s *status.Status) {
	fmt.Fprintln(table, "\nCLUSTER\tLABELS\tSERVER\tSINCE\tOBJECTS\tWAITING\tOLDEST\tTROUBLE")
	all := slices.SortedStableFunc(slices.Values(s.Clusters), func(a, b status.Cluster) int {
		return cmp.Compare(min(1, len(b.Error)), min(1, len(a.Error)))
	})
	for i := range all {
		c := &all[i]
		since := "-"
		if !c.Since.IsZero() {
			since = ageText(s.Time.Sub(c.Since).Seconds())
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s\n", wording.Printable(c.Name),
			cell(labels.Set(c.Labels).String()), cell(c.Server), since, c.Objects, c.Waiting,
			ageText(c.OldestSeconds), wording.Printable(wording.Shorten(c.Error, maxShownError)))
	}
}

// cell returns a text for the middle of a table.
func cell(text string) string {
	return cmp.Or(wording.Printable(wording.Shorten(text, maxCell)), "-")
}

// shardsText says in a line or two which shards this replica has, and what is wrong with others.
func shardsText(s *status.Sharding) string {
	var own, without []string
	for _, one := range s.Shards {
		if one.Own {
			own = append(own, strconv.Itoa(one.Shard))
		}
		if !one.Owned {
			without = append(without, strconv.Itoa(one.Shard))
		}
	}
	text := fmt.Sprintf("shards: %d of %d, of %s", len(own), len(s.Shards), wording.Count(s.Replicas, "replica"))
	if len(own) > 0 {
		text += ": " + strings.Join(own, ", ")
	}
	if s.Error != "" {
		text += "\nthis replica takes no shards: " + wording.Printable(s.Error)
	}
	if len(without) > 0 {
		text += "\nno replica has these shards: " + strings.Join(without, ", ")
	}
	return text + "\n"
}

func writeShards(table io.Writer, s *status.Status) {
	fmt.Fprintln(table, "\nSHARD\tOWNER\tSINCE\tEPOCH\tOBJECTS\tWAITING\tOLDEST")
	for _, one := range s.Sharding.Shards {
		owner, since, here := wording.Printable(one.Owner), "-", "-\t-\t-"
		switch {
		case !one.Owned:
			owner = "-"
		case one.Own:
			owner += " (this one)"
			here = fmt.Sprintf("%d\t%d\t%s", one.Objects, one.Waiting, ageText(one.OldestSeconds))
		}
		if one.Owned {
			since = ageText(s.Time.Sub(one.Since).Seconds())
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%d\t%s\n", one.Shard, owner, since, one.Epoch, here)
	}
}

func writeListeners(table io.Writer, s *status.Status, rates status.Rates) {
	fmt.Fprintln(table, "\nLISTENER\tSTATE\tEVENTS/S\tSENT/S\tWAITING\tOLDEST\tLETTERS\tVIOLATIONS\tTROUBLE")
	for _, l := range byTrouble(s) {
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
			trouble = wording.Printable(wording.Shorten(all[0], maxShownError))
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%d\t%s\t%s\n", wording.Printable(l.Name),
			wording.Printable(l.State), events, sent, l.Waiting(), ageText(l.Oldest()), l.Letters,
			violations, trouble)
	}
}

// writeListener writes one listener in depth.
func writeListener(w io.Writer, l *status.Listener, r status.ListenerRates) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	row("listener", "%s, of %s", wording.Printable(l.Name), wording.Printable(l.Resource))
	row("state", "%s", wording.Printable(l.State))
	for _, t := range l.Troubles() {
		row("trouble", "%s", wording.Printable(t))
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
	fmt.Fprintln(table, "\nOUTPUT\tSENT/S\tSENT\tWAITING\tOLDEST\tLAG\tRETRIED\tMERGED\tDROPPED\tLETTERS")
	for _, o := range l.Outputs {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\t%s\t%d\t%d\t%d\t%d\n", wording.Printable(o.Name),
			perSecond(r.Outputs[o.Name]), o.Written, o.Waiting, ageText(o.OldestSeconds),
			ageText(o.LagSeconds), o.Retried, o.Merged, o.Dropped, o.DeadLetters)
	}
	return table.Flush()
}

// scopeText returns what an informer is about.
func scopeText(resource, namespace string, selectors ...string) string {
	text := resource + wording.In(namespace)
	for _, selector := range selectors {
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

// maxShownError is how many characters of an error a table has.
const maxShownError = 80

const (
	maxCell  = 40 // characters of what is in the middle of a table
	maxNames = 10 // that a line has
)

// findListener returns a listener, or an error with the names there are.
func findListener(s *status.Status, name string) (*status.Listener, error) {
	var names []string
	for i := range s.Listeners {
		if s.Listeners[i].Name == name {
			return &s.Listeners[i], nil
		}
		names = append(names, s.Listeners[i].Name)
	}
	return nil, fmt.Errorf("there is no listener %q; %s", name,
		wordHint(name, names, "the listeners are "))
}
