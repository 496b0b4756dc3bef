package answer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// few is how many answers are shown although nothing comes of the event.
const few = 3

// Summaries are the lines of several answers. Those of which nothing comes are counted, unless they
// are few.
type Summaries struct {
	Several    bool // there may be several listeners
	OnlyComing bool // those of which nothing comes are counted, however few they are

	all     []summary
	reasons map[string]int // why nothing comes
	nothing int
	folded  int // of which nothing comes, and that are no more than counted
	perhaps int // that depend on what is not known
	unknown int // that cannot be told
	objects map[string]bool
	lacking int       // that depend on fields that an API server fills in
	lacks   []string  // these fields
	open    int       // of which nothing comes, although a rule is violated
	notes   []sumNote // other ones, each once

	listeners map[string]bool
}

// sumNote is a note of answers, and their listeners.
type sumNote struct {
	text      string
	listeners []string
}

type summary struct {
	line    string
	nothing bool
	open    bool // a rule is violated, and nothing comes of that any more
}

// Add adds an answer.
func (s *Summaries) Add(a *Answer) {
	if s.reasons == nil {
		s.reasons, s.objects = map[string]int{}, map[string]bool{}
		s.listeners = map[string]bool{}
	}
	line := summary{a.Summary(s.Several), a.Comes() == Nothing, a.violatesAsBefore()}
	switch {
	case len(a.Missing) > 0:
		s.unknown++
	case a.Comes() == Perhaps:
		s.perhaps++
	case line.nothing && line.open && !s.OnlyComing:
		s.nothing++
		s.open++
	case line.nothing:
		s.nothing++
		s.folded++
		reason := strings.Replace(a.verdict(), a.Varies, "", 1)
		if s.Several {
			reason = a.Listener + ": " + reason
		}
		s.reasons[reason]++
	}
	s.objects[a.objectKey()] = true
	if len(a.Lacks) > 0 {
		s.lacking++
	}
	for _, field := range a.Lacks {
		if field = strings.TrimPrefix(field, "object."); !slices.Contains(s.lacks, field) {
			s.lacks = append(s.lacks, field)
		}
	}
	for _, note := range a.Notes {
		s.note(a, note)
	}
	s.listeners[a.Listener] = true
	s.all = append(s.all, line)
}

// note adds a note of an answer.
func (s *Summaries) note(a *Answer, text string) {
	if slices.Contains(a.quiet, text) {
		return
	}
	i := slices.IndexFunc(s.notes, func(n sumNote) bool { return n.text == text })
	if i < 0 {
		i = len(s.notes)
		s.notes = append(s.notes, sumNote{text: text})
	}
	if n := &s.notes[i]; !slices.Contains(n.listeners, a.Listener) {
		n.listeners = append(n.listeners, a.Listener)
	}
}

// Counts reports whether answers of which nothing comes are counted, and not shown.
func (s *Summaries) Counts() bool {
	return s.folded > few || s.OnlyComing && s.folded > 0
}

// All reports whether nothing comes of all answers.
func (s *Summaries) All() bool { return s.nothing == len(s.all) }

// String returns the lines, and what they are in all.
func (s *Summaries) String() string {
	var b strings.Builder
	for _, one := range s.all {
		if !one.nothing || one.open && !s.OnlyComing || !s.Counts() {
			b.WriteString(one.line)
		}
	}
	if s.Counts() {
		fmt.Fprintf(&b, "nothing comes of %d: %s\n", s.folded, s.why())
	}
	if len(s.all) > few {
		fmt.Fprintf(&b, "in all %s about %s: something comes of %d", count(len(s.all), "answer"),
			count(len(s.objects), "object"), len(s.all)-s.nothing-s.perhaps-s.unknown)
		if s.perhaps > 0 {
			fmt.Fprintf(&b, ", perhaps of %d", s.perhaps)
		}
		fmt.Fprintf(&b, ", nothing of %d", s.nothing)
		if s.open > 0 {
			violate := "violate rules"
			if s.open == 1 {
				violate = "violates a rule"
			}
			fmt.Fprintf(&b, " (%d of them %s as before)", s.open, violate)
		}
		if s.unknown > 0 {
			fmt.Fprintf(&b, ", and %d cannot be told", s.unknown)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// maxLacks is how many fields are named that objects lack, maxNotes how many other notes there are.
const (
	maxLacks = 5
	maxNotes = 5
)

// Notes returns what has to be known of the answers, as lines: each note once.
func (s *Summaries) Notes() (text string) {
	for i, note := range s.notes {
		if i == maxNotes {
			text += fmt.Sprintf("note: … and %s\n", count(len(s.notes)-maxNotes, "more note"))
			break
		}
		of := ""
		if len(note.listeners) < len(s.listeners) {
			of = strings.Join(note.listeners, ", ") + ": "
		}
		text += fmt.Sprintf("note: %s%s\n", of, note.text)
	}
	return text + s.lackNote()
}

// lackNote is the note of fields that objects lack.
func (s *Summaries) lackNote() string {
	if s.lacking == 0 {
		return ""
	}
	fields := s.lacks
	if len(fields) > maxLacks {
		fields = append(fields[:maxLacks:maxLacks], "…")
	}
	depend := " depend"
	if s.lacking == 1 {
		depend = " depends"
	}
	return fmt.Sprintf("note: %s%s on fields that an API server fills in and the object does not have: %s\n",
		count(s.lacking, "answer"), depend, strings.Join(fields, ", "))
}

// maxReasons is how many reasons are named.
const maxReasons = 8

// why returns why nothing comes, the most frequent reason first.
func (s *Summaries) why() string {
	reasons := slices.SortedFunc(maps.Keys(s.reasons), func(a, b string) int {
		return cmp.Or(s.reasons[b]-s.reasons[a], strings.Compare(a, b))
	})
	var all []string
	rest := s.folded
	for i, reason := range reasons {
		if i == maxReasons {
			all = append(all, fmt.Sprintf("%d for other reasons", rest))
			break
		}
		rest -= s.reasons[reason]
		all = append(all, fmt.Sprintf("%d × %s", s.reasons[reason], reason))
	}
	return strings.Join(all, "; ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
