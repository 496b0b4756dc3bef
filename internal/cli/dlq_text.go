package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/deadletter"
)

// linesAligned is how many lines of a table have the same columns: a list is not read as a whole
// before it is shown.
const linesAligned = 500

// letterList writes letters as a table or as JSON.
type letterList struct {
	w     io.Writer
	table *tabwriter.Writer // nil for JSON
	n     int
}

func newLetterList(w io.Writer, asJSON bool) *letterList {
	l := &letterList{w: w}
	if !asJSON {
		l.table = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	}
	return l
}

func (l *letterList) add(letter *deadletter.Letter) error {
	l.n++
	if l.table == nil {
		return writeLine(l.w, letter)
	}
	if l.n%linesAligned == 1 {
		if err := l.table.Flush(); err != nil {
			return err
		}
		if l.n == 1 {
			fmt.Fprintln(l.table, "ID\tAGE\tLISTENER\tOUTPUT\tOBJECT\tREASON\tATTEMPTS\tERROR")
		}
	}
	reason := plain(letter.Reason)
	if letter.Superseded {
		reason += ", superseded"
	}
	_, err := fmt.Fprintf(l.table, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", letter.ID,
		duration.HumanDuration(max(0, time.Since(letter.Stored))), plain(letter.Listener),
		dash(letter.Output), objectOf(letter), reason, letter.Attempts, shortError(letter.Error))
	return err
}

func (l *letterList) end(complete bool) error {
	if l.table == nil {
		return nil
	}
	if l.n == 0 && complete {
		fmt.Fprintln(l.table, "There are no such dead letters.")
	}
	return l.table.Flush()
}

// objectOf returns the resource and the name of a letter's object.
func objectOf(l *deadletter.Letter) string {
	name := plain(l.Name)
	if l.Namespace != "" {
		name = plain(l.Namespace) + "/" + name
	}
	return dash(strings.TrimSpace(plain(l.Resource) + " " + name))
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return plain(text)
}

// maxShownError is how many characters of an error a table has.
const maxShownError = 80

func shortError(text string) string {
	if text == "" {
		return ""
	}
	if runes := []rune(text); len(runes) > maxShownError {
		text = string(runes[:maxShownError]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

func writeLine(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// showLetter writes a letter's fields, one a line, and its texts.
func showLetter(w io.Writer, l *deadletter.Letter, asJSON bool) error {
	if asJSON {
		return writeLine(w, l)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(table, "%s:\t%s\n", name, plain(value))
		}
	}
	at := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.UTC().Format(time.RFC3339Nano)
	}
	flag := func(set bool) string {
		if set {
			return "true"
		}
		return ""
	}
	field("ID", l.ID)
	field("Stored", at(l.Stored))
	field("Superseded", flag(l.Superseded))
	field("Listener", l.Listener)
	field("Output", l.Output)
	field("Rule", l.Rule)
	field("Reason", l.Reason)
	field("Error", l.Error)
	field("Attempts", fmt.Sprint(l.Attempts))
	field("First attempt", at(l.First))
	field("Last attempt", at(l.Last))
	field("Handler", l.Handler)
	field("Configuration", l.Config)
	field("Cluster", l.Cluster)
	field("Object", objectOf(l))
	field("UID", l.UID)
	field("Version", l.ResourceVersion)
	field("Op", l.Op)
	field("Initial", flag(l.Initial))
	field("Final state unknown", flag(l.FinalStateUnknown))
	if l.Missed > 0 {
		field("Missed", fmt.Sprint(l.Missed))
	}
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
		if _, err := fmt.Fprintf(w, "\n%s:\n%s\n", text.name, words.JSON(b.String())); err != nil {
			return err
		}
	}
	return nil
}

func writeDropped(w io.Writer, n int, asJSON bool) error {
	if asJSON {
		return writeLine(w, struct {
			Dropped int `json:"dropped"`
		}{n})
	}
	_, err := fmt.Fprintf(w, "dropped %s\n", count(n, "dead letter"))
	return err
}

// known returns an error for IDs of letters that are not there.
func known(ctx context.Context, letters admin.DeadLetters, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	there := map[string]bool{}
	for l, err := range letters.List(ctx, admin.Selection{IDs: ids, Heads: true}) {
		var one *admin.LetterError
		if err != nil && !errors.As(err, &one) { // one that cannot be read can be dropped
			return err
		}
		there[l.ID] = true
	}
	var unknown []string
	for _, id := range ids {
		if !there[id] {
			unknown = append(unknown, id)
		}
	}
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
	json   bool
	counts map[string]int
	err    error
}

func (o *outcomes) report(one admin.Outcome) {
	if o.counts == nil {
		o.counts = map[string]int{}
	}
	o.counts[one.Result]++
	if o.err != nil {
		return
	}
	if o.json {
		o.err = writeLine(o.w, one)
		return
	}
	text := ""
	if one.Error != "" {
		text = ": " + shortError(one.Error)
	}
	_, o.err = fmt.Fprintf(o.w, "%s %s%s\n", one.ID, plain(one.Result), text)
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
	if !o.json {
		line := "There are no such dead letters."
		if total > 0 {
			line = fmt.Sprintf("replayed %s: %s", count(total, "dead letter"), strings.Join(sums,
				", "))
		}
		if o.counts[admin.Superseded] > 0 {
			line += "\ninformerd dlq drop --superseded removes what was superseded"
		}
		if _, err := fmt.Fprintln(o.w, line); err != nil {
			return err
		}
	}
	if n := o.counts[admin.Failed]; n > 0 {
		return fmt.Errorf("%s failed", count(n, "dead letter"))
	}
	return nil
}
