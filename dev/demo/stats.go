package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// logLine is one line of informerd's log.
type logLine struct {
	Level    string         `json:"level"`
	Message  string         `json:"msg"`
	Listener string         `json:"listener"`
	Events   *listenerStats `json:"events"` // of the last line about a listener
	rest     map[string]any // the other fields
}

// listenerStats is the counters of a listener in informerd's log.
type listenerStats struct {
	Listener string `json:"-"`

	Add          int `json:"add"`
	Update       int `json:"update"`
	Delete       int `json:"delete"`
	Resync       int `json:"resync"`
	Filtered     int `json:"filtered"`
	HandlerCalls int `json:"handlerCalls"`
	Dropped      int `json:"handlerRefused"`
	Emitted      int `json:"emitted"`
	Written      int `json:"written"`
}

// The messages that the demo uses.
const (
	msgStarted   = "started"
	msgListening = "listening"
	msgStopped   = "listener stopped"
)

// parseLog parses a line of informerd's stderr. A line that is not a log line, such as the error
// that ended informerd, becomes an error's message.
func parseLog(line []byte) logLine {
	var l logLine
	if err := json.Unmarshal(line, &l); err != nil || l.Level == "" {
		return logLine{Level: "ERROR", Message: string(line)}
	}
	_ = json.Unmarshal(line, &l.rest) // it is an object, as parsed above
	for _, shown := range []string{"time", "level", "msg"} {
		delete(l.rest, shown)
	}
	if l.Message == msgStopped && l.Events == nil { // it had no events
		l.Events = &listenerStats{}
	}
	if l.Events != nil {
		l.Events.Listener = l.Listener
	}
	return l
}

// Important reports whether the viewer should see the line.
func (l logLine) Important() bool { return l.Level != "INFO" && l.Level != "DEBUG" }

// Short returns the line without its time, with its fields sorted by name.
func (l logLine) Short() string {
	var b strings.Builder
	fmt.Fprintf(&b, "informerd %s: %s", strings.ToLower(l.Level), l.Message)
	names := make([]string, 0, len(l.rest))
	for name := range l.rest {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		value, _ := json.Marshal(l.rest[name]) // it came from JSON
		fmt.Fprintf(&b, " %s=%s", name, value)
	}
	return b.String()
}

var statsColumns = []struct {
	title string
	value func(listenerStats) int
}{
	{"add", func(s listenerStats) int { return s.Add }},
	{"update", func(s listenerStats) int { return s.Update }},
	{"delete", func(s listenerStats) int { return s.Delete }},
	{"resync", func(s listenerStats) int { return s.Resync }},
	{"filtered out", func(s listenerStats) int { return s.Filtered }},
	{"handler calls", func(s listenerStats) int { return s.HandlerCalls }},
	{"dropped by it", func(s listenerStats) int { return s.Dropped }},
	{"emitted by it", func(s listenerStats) int { return s.Emitted }},
	{"written", func(s listenerStats) int { return s.Written }},
}

// statsTable returns one row for each listener, in the given order, without a final line break.
func statsTable(stats []listenerStats) string {
	rows := [][]string{{"listener"}}
	for _, c := range statsColumns {
		rows[0] = append(rows[0], c.title)
	}
	for _, s := range stats {
		row := []string{s.Listener}
		for _, c := range statsColumns {
			row = append(row, strconv.Itoa(c.value(s)))
		}
		rows = append(rows, row)
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for r, row := range rows {
		lines[r] = fmt.Sprintf("%-*s", widths[0], row[0])
		for i := 1; i < len(row); i++ {
			lines[r] += fmt.Sprintf("  %*s", widths[i], row[i])
		}
	}
	return strings.Join(lines, "\n")
}

// linesWritten returns the number of lines that informerd reports to have printed.
func linesWritten(stats []listenerStats) (n int) {
	for _, s := range stats {
		n += s.Written
	}
	return n
}
