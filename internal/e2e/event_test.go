package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	ce "github.com/cloudevents/sdk-go/v2/event"
	"github.com/rogpeppe/go-internal/testscript"
)

// parseEvents checks that every line is a valid CloudEvent.
func parseEvents(lines string) ([]map[string]any, error) {
	var events []map[string]any
	for line := range strings.Lines(lines) {
		var event ce.Event
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			return nil, fmt.Errorf("a line of standard output is not a CloudEvent: %w\n%s", err,
				line)
		}
		if err := event.Validate(); err != nil {
			return nil, fmt.Errorf("a line of standard output is not a valid CloudEvent: %w\n%s",
				err,
				line)
		}
		fields := map[string]any{}
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber() // floats would change large numbers
		if err := decoder.Decode(&fields); err != nil {
			return nil, err
		}
		events = append(events, fields)
	}
	return events, nil
}

// field follows a path of names and, in lists, indexes.
func field(value any, path string) (found any, ok bool) {
	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			if value, ok = v[name]; !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// plain returns a text as it is, and any other value as JSON.
func plain(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it came from JSON
	}
	return string(text)
}

// condition is a condition on a field of an event.
type condition struct {
	text string
	met  func(event map[string]any) bool
}

var conditionForm = regexp.MustCompile(`(?s)^([A-Za-z0-9_./-]+)([=~])(.*)$`)

func conditions(ts *testscript.TestScript, args []string) []condition {
	var cs []condition
	for _, arg := range args {
		if path, absent := strings.CutPrefix(arg, "!"); absent {
			cs = append(cs, condition{arg, func(event map[string]any) bool {
				_, found := field(event, path)
				return !found
			}})
			continue
		}
		match := conditionForm.FindStringSubmatch(arg)
		if match == nil {
			ts.Fatalf("%q is not a condition: FIELD=VALUE, FIELD~REGEXP or !FIELD", arg)
		}
		compare := func(value string) bool { return value == match[3] }
		if match[2] == "~" {
			re, err := regexp.Compile(match[3])
			ts.Check(err)
			compare = re.MatchString
		}
		cs = append(cs, condition{arg, func(event map[string]any) bool {
			value, found := field(event, match[1])
			return found && compare(plain(value))
		}})
	}
	return cs
}

// matching returns the events that meet all conditions.
func matching(lines string, cs []condition) (events []map[string]any, err error) {
	all, err := parseEvents(lines)
	for _, event := range all {
		meets := true
		for _, c := range cs {
			meets = meets && c.met(event)
		}
		if meets {
			events = append(events, event)
		}
	}
	return events, err
}

// awaitEvents waits for n events that meet the conditions, or for standard output to be wrong.
func (p *process) awaitEvents(name string, n int, cs []condition) (events []map[string]any,
	err error) {
	var wrong error
	err = p.await(p.out, func(lines string) error {
		if events, wrong = matching(lines, cs); wrong != nil || len(events) >= n {
			return nil
		}
		return fmt.Errorf("%d of %d events match\n%s%s.out has\n%s%s.err has\n%s", len(events), n,
			list(cs), name, brief(lines), name, p.written())
	})
	if err == nil {
		err = wrong
	}
	return events, err
}

func list(cs []condition) string {
	var b strings.Builder
	for _, c := range cs {
		fmt.Fprintf(&b, "  %s\n", c.text)
	}
	return b.String()
}

// brief shortens long lines: what identifies an event comes first.
func brief(lines string) string {
	var b strings.Builder
	for line := range strings.Lines(lines) {
		if len(line) > 1200 {
			line = line[:1200] + "…\n"
		}
		b.WriteString("  " + line)
	}
	return b.String()
}

func expectEvent(ts *testscript.TestScript, args []string) {
	s := storyOf(ts)
	events, err := s.process(ts, args[0]).awaitEvents(args[0], 1, conditions(ts, args[1:]))
	ts.Check(err)
	event := events[0]
	for _, part := range []string{"object", "old", "data"} {
		path := "data." + part
		if part == "data" {
			path = part
		}
		file := ts.MkAbs("event." + part)
		ts.Check(os.RemoveAll(file))
		if value, found := field(event, path); found {
			ts.Check(os.WriteFile(file, []byte(pretty(value)), 0o644))
		}
	}
	observed, err := time.Parse(time.RFC3339Nano, plain(event["time"]))
	if err != nil || !strings.HasSuffix(plain(event["time"]), "Z") ||
		time.Since(observed).Abs() > 10*time.Minute {
		ts.Fatalf("time is %q, want the time of the change, RFC 3339 in UTC", event["time"])
	}
	s.event = event
	attributes := maps.Clone(event)
	delete(attributes, "data")
	delete(attributes, "time")
	ts.Check(os.WriteFile(ts.MkAbs("event.attributes"), []byte(pretty(attributes)), 0o644))
}

func eventEnv(ts *testscript.TestScript, args []string) {
	value, found := field(storyOf(ts).event, args[1])
	if !found {
		ts.Fatalf("the event has no %s:\n%s", args[1], pretty(storyOf(ts).event))
	}
	ts.Setenv(args[0], plain(value))
}

func expectEvents(ts *testscript.TestScript, args []string) {
	s := storyOf(ts)
	_, err := s.process(ts, args[0]).awaitEvents(args[0], number(ts, args[1]),
		conditions(ts, args[2:]))
	ts.Check(err)
}

// soFar returns the events received so far that meet the conditions.
func soFar(ts *testscript.TestScript, name string, args []string) (events []map[string]any,
	what string) {
	cs := conditions(ts, args)
	lines, _ := storyOf(ts).process(ts, name).out.lines()
	events, err := matching(lines, cs)
	ts.Check(err)
	return events, fmt.Sprintf("events\n%s%s.out has\n%s", list(cs), name, brief(lines))
}

func countEvents(ts *testscript.TestScript, args []string) {
	want := number(ts, args[1])
	if events, what := soFar(ts, args[0], args[2:]); len(events) != want {
		ts.Fatalf("%d %s, want %d", len(events), what, want)
	}
}

// countStates counts each event and the states that it replaces.
func countStates(ts *testscript.TestScript, args []string) {
	want := number(ts, args[1])
	events, what := soFar(ts, args[0], args[2:])
	got := len(events)
	for _, event := range events {
		if missed, found := event["missed"]; found {
			got += number(ts, plain(missed))
		}
	}
	if got != want {
		ts.Fatalf("%d in all in %d %s, want %d", got, len(events), what, want)
	}
}

func noEvent(ts *testscript.TestScript, args []string) {
	if events, what := soFar(ts, args[0], args[1:]); len(events) != 0 {
		ts.Fatalf("%d %s, want none", len(events), what)
	}
}

func eventGaps(ts *testscript.TestScript, args []string) {
	least, most := duration(ts, args[1]), duration(ts, args[2])
	events, what := soFar(ts, args[0], args[3:])
	if len(events) < 2 {
		ts.Fatalf("only %d %s", len(events), what)
	}
	var last time.Time
	for i, event := range events {
		at, err := time.Parse(time.RFC3339Nano, plain(event["time"]))
		ts.Check(err)
		if gap := at.Sub(last); i > 0 && (gap < least || gap > most) {
			ts.Fatalf("%v between two of the %s, want %v to %v", gap, what, least, most)
		}
		last = at
	}
}

// eventID follows the recipe in the documentation of package cloudevent, not its code.
func eventID(ts *testscript.TestScript, args []string) {
	var recipe strings.Builder
	for _, part := range args[1:] {
		fmt.Fprintf(&recipe, "%d:%s,", len(part), part)
	}
	digest := sha256.Sum256([]byte(recipe.String()))
	ts.Setenv(args[0], hex.EncodeToString(digest[:16]))
}
