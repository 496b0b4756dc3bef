package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/wording"
)

// linesAligned is how many lines of a table have the same columns: a list is not read as a whole
// before it is shown.
const linesAligned = 500

// listLetters writes letters as a table, with their clusters if there are several, or as JSON.
func listLetters(letters iter.Seq2[deadletter.Letter, error], stdout, stderr io.Writer,
	asJSON, clusters bool) error {
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	listed, wrong := 0, 0
	for l, err := range letters {
		switch {
		case errors.As(err, new(*admin.LetterError)):
			fmt.Fprintf(stderr, "informerd: %v\n", err)
			wrong++
			continue
		case err != nil:
			return err
		case asJSON:
			err = wording.WriteJSON(stdout, &l, "")
		case listed == 0:
			cluster := ""
			if clusters {
				cluster = "CLUSTER\t"
			}
			fmt.Fprintf(table, "ID\tAGE\t%sLISTENER\tOUTPUT\tOBJECT\tREASON\tATTEMPTS\tERROR\n", cluster)
		case listed%linesAligned == 0:
			err = table.Flush()
		}
		if err != nil {
			return err
		}
		listed++
		if !asJSON {
			writeLetter(table, &l, clusters)
		}
	}
	if listed+wrong == 0 && !asJSON {
		fmt.Fprintln(table, noLetters)
	}
	if err := table.Flush(); err != nil || wrong == 0 {
		return err
	}
	return fmt.Errorf("%s could not be listed", wording.Count(wrong, "dead letter"))
}

// noLetters is written in place of a list or sums of none.
const noLetters = "There are no such dead letters."

// writeLetter writes a line of the table.
func writeLetter(w io.Writer, l *deadletter.Letter, cluster bool) {
	reason := wording.Printable(l.Reason)
	if l.Superseded {
		reason += ", superseded"
	}
	listener := wording.Printable(l.Listener)
	if cluster {
		listener = dash(l.Cluster) + "\t" + listener
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", l.ID, ago(l.Stored), listener,
		dash(l.Output), objectOf(l), reason, l.Attempts, shortError(l.Error))
}

// objectOf returns the resource and the name of a letter's object.
func objectOf(l *deadletter.Letter) string {
	name := wording.Printable(l.Name)
	if l.Namespace != "" {
		name = wording.Printable(l.Namespace) + "/" + name
	}
	return dash(strings.TrimSpace(wording.Printable(l.Resource) + " " + name))
}

func shortError(text string) string {
	if text == "" {
		return ""
	}
	return strconv.Quote(wording.Shorten(text, maxShownError))
}

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// showLetter writes a letter's fields, one a line, and its texts.
func showLetter(w io.Writer, l *deadletter.Letter, asJSON bool) error {
	if asJSON {
		return wording.WriteJSON(w, l, "")
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(table, "%s:\t%s\n", name, wording.Printable(value))
		}
	}
	number := func(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "0") }
	flag := func(set bool) string { return strings.TrimPrefix(strconv.FormatBool(set), "false") }
	field("ID", l.ID)
	field("Stored", timeText(l.Stored))
	field("Superseded", flag(l.Superseded))
	field("Listener", l.Listener)
	field("Output", l.Output)
	field("Rule", l.Rule)
	field("Reason", l.Reason)
	field("Error", l.Error)
	field("Attempts", strconv.Itoa(l.Attempts))
	field("First attempt", timeText(l.First))
	field("Last attempt", timeText(l.Last))
	field("Handler", l.Handler)
	field("Configuration", l.Config)
	field("Cluster", l.Cluster)
	field("Object", objectOf(l))
	field("UID", l.UID)
	field("Version", l.ResourceVersion)
	field("Op", l.Op)
	field("Initial", flag(l.Initial))
	field("Final state unknown", flag(l.FinalStateUnknown))
	field("Missed", number(l.Missed))
	field("Resumed", flag(l.Resumed))
	if err := table.Flush(); err != nil {
		return err
	}
	for _, text := range []struct {
		name string
		json json.RawMessage
	}{{"Message", l.Message}, {"Object", l.Object}, {"Old", l.Old}} {
		if len(text.json) == 0 {
			continue
		}
		var b bytes.Buffer
		if json.Indent(&b, text.json, "", "  ") != nil {
			b.Reset()
			fmt.Fprintf(&b, "%q", text.json)
		}
		if _, err := fmt.Fprintf(w, "\n%s:\n%s\n", text.name, wording.JSON(b.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// known returns an error for IDs of letters that are not there.
func known(ctx context.Context, letters admin.DeadLetters, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	there := map[string]bool{}
	for l, err := range letters.List(ctx, admin.Selection{Query: deadletter.Query{IDs: ids, Heads: true}}) {
		if err != nil && !errors.As(err, new(*admin.LetterError)) { // one that cannot be read can be dropped
			return err
		}
		there[l.ID] = true
	}
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return there[id] })
	if len(unknown) == 0 {
		return nil
	}
	return unknownLetters(unknown)
}

func unknownLetters(ids []string) error {
	text := ""
	for _, id := range ids[:min(len(ids), 10)] {
		text += fmt.Sprintf(" %.40q", id)
	}
	return fmt.Errorf("there are no such dead letters:%s; informerd dlq ls lists them", text)
}

// outcomes writes what became of letters that were replayed.
type outcomes struct {
	w      io.Writer
	counts map[string]int
	err    error
}

func (o *outcomes) report(one admin.Outcome) {
	o.counts[one.Result]++
	if o.err != nil {
		return
	}
	text := ""
	if one.Error != "" {
		text = ": " + shortError(one.Error)
	}
	_, o.err = fmt.Fprintf(o.w, "%s %s%s\n", one.ID, wording.Printable(one.Result), text)
}

// end writes the sums, and returns an error if one letter has failed.
func (o *outcomes) end(err error) error {
	if err = errors.Join(err, o.err); err != nil {
		return err
	}
	var sums []string
	total := 0
	for _, result := range []string{admin.Delivered, admin.Filtered, admin.Superseded,
		admin.Failed} {
		if n := o.counts[result]; n > 0 {
			sums = append(sums, fmt.Sprintf("%d %s", n, result))
			total += n
		}
	}
	line := noLetters
	if total > 0 {
		line = fmt.Sprintf("replayed %s: %s", wording.Count(total, "dead letter"), strings.Join(sums, ", "))
	}
	if o.counts[admin.Superseded] > 0 {
		line += "\ninformerd dlq drop --superseded removes what was superseded"
	}
	if _, err := fmt.Fprintln(o.w, line); err != nil {
		return err
	}
	if n := o.counts[admin.Failed]; n > 0 {
		return fmt.Errorf("%s failed", wording.Count(n, "dead letter"))
	}
	return nil
}
