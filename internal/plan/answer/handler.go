package answer

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// Source is where the object of a question is, for a command that reads it again.
type Source struct {
	File string // has that object alone; "" if none does
	Get  string // the command that makes the file, unless it is there
	Old  string // has the object before an update
}

// TryHandler returns how a user sees what the handler of a listener makes of an event, op. Initial
// is whether it is one of the first list. What the handler may look up has to be in files.
func (s Source) TryHandler(file string, l *config.Listener, op string, initial bool) string {
	run := fmt.Sprintf("informerd plugin run -c %s -l %s", Word(file), l.Name)
	if h := l.Handler; h != nil && h.Grants.Cache != nil {
		for _, name := range h.Grants.Cache.Informers {
			run += " --cache " + name + "=OBJECTS"
		}
	}
	run += " --event "
	object := Word(s.File)
	if s.File == "" {
		object = "OBJECT"
	}
	get := ""
	if s.Get != "" {
		get = fmt.Sprintf("%s > %s && ", s.Get, object)
	}
	switch {
	case op == "update" && s.Old != "":
		return get + run + object + " --old " + Word(s.Old)
	case op == "add" && !initial:
		return get + run + object
	case op == "delete" && s.Old != "": // the update that it was took the object out
		s = Source{File: s.Old}
	}
	return s.asEvent(op, initial, run)
}

// asEvent is TryHandler for an event that needs a file with more than its object.
func (s Source) asEvent(op string, initial bool, run string) string {
	members, and := "op: "+op+`\n`, ""
	if initial {
		members, and = members+`initial: true\n`, " and initial: true"
	}
	object := fmt.Sprintf("sed '/^---/d; s/^/  /' %s", Word(s.File))
	switch {
	case s.Get != "":
		object = s.Get + " | sed 's/^/  /'"
	case s.File == "":
		return fmt.Sprintf("%sEVENT (a file with op: %s%s, and the object as object)", run, op, and)
	}
	return fmt.Sprintf("(printf '%sobject:\\n'; %s) | %s-", members, object, run)
}

// Word returns a text as one word of a shell.
func Word(text string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 127 ||
			strings.ContainsRune("/._-+,:@%=", r)
	}
	if strings.TrimFunc(text, safe) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
