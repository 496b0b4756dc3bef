package reloads

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// followers compare what comes of the listeners that do not change with what has to come next,
// while the configuration changes. So a loss or a double is found with the reload that caused it.
type followers struct {
	all   []*follower
	rules map[string]bool // the violations that still-rules has told, by object
	hooks int             // so many messages of the receivers were looked at
	file  int64           // so many bytes of the file were
	past  int             // so many changes of the server were

	latest atomic.Int64 // version up to which all of them have compared everything
}

// follower compares the messages of one listener.
type follower struct {
	listener string
	selected asks
	next     map[string][]due // by object
}

// due is what has to come of an object, because of a change.
type due struct {
	told
	change int
}

func newFollowers() *followers {
	return &followers{rules: map[string]bool{}, all: []*follower{
		{"still-file", everything, map[string][]due{}}, {
			"still-hook", selects[2], map[string][]due{}},
	}}
}

// expect adds what has to come because of a change. Of those before the daemon began, the last one
// counts.
func (f *follower) expect(c change, begin int) {
	has, is := c.before, c.after
	key := c.key()
	if has != nil && !f.selected.of(has) {
		has = nil
	}
	if is != nil && !f.selected.of(is) {
		is = nil
	}
	if c.version <= begin {
		has, f.next[key] = nil, nil
	}
	switch {
	case is != nil && has == nil:
		f.next[key] = append(f.next[key], due{told{"add", c.version}, c.version})
	case is != nil:
		f.next[key] = append(f.next[key], due{told{"update", c.version}, c.version})
	case has != nil:
		f.next[key] = append(f.next[key], due{told{"delete", 0}, c.version})
	}
}

// key returns that of the object.
func (c change) key() string {
	if c.after != nil {
		return c.after.key()
	}
	return c.before.key()
}

// hear compares a message with what has to come next of its object.
func (f *follower) hear(m message) (wrong problems) {
	is := told{m.Op, m.version()}
	if is.op == "delete" {
		is.version = 0
	}
	next := f.next[m.key()]
	i := slices.IndexFunc(next, func(d due) bool { return d.told == is })
	switch {
	case i < 0:
		wrong.add("%s: %v came, and nothing of it was to come but %v", f.listener, m, next)
	case i > 0:
		wrong.add("%s: %v came, and %v was lost", f.listener, m, next[:i])
	}
	if f.next[m.key()] = next[i+1:]; len(f.next[m.key()]) == 0 {
		delete(f.next, m.key())
	}
	return wrong
}

// missing returns what has not come of the changes up to a version.
func (f *follower) missing(version int) (wrong problems) {
	for key, next := range f.next {
		if len(next) > 0 && next[0].change <= version {
			wrong.add("%s: %s: %v has not come", f.listener, key, next[0])
		}
	}
	return wrong
}

// heard compares a message, of whatever listener.
func (s *followers) heard(m message) (wrong problems) {
	for _, f := range s.all {
		if m.output == f.listener && m.heard() == f.listener {
			wrong = append(wrong, f.hear(m)...)
		}
	}
	if m.output == "still-rules" && m.heard() == "still-rules" {
		violated := m.told() == "violated"
		if violated == s.rules[m.key()] {
			wrong.add("still-rules: twice: %v", m)
		}
		s.rules[m.key()] = violated
	}
	return wrong
}

// newest returns the newest version up to which everything was compared.
func (s *followers) newest() int { return int(s.latest.Load()) }

// look compares what has come since the last time.
func (s *followers) look(t *testing.T, r *run) (wrong problems) {
	t.Helper()
	hooks := r.receivers.all()[s.hooks:]
	s.hooks += len(hooks)
	messages := slices.Concat(s.written(t, r), hooks)
	r.server.mu.Lock()
	history := r.server.history // has at least what the messages are about
	r.server.mu.Unlock()
	for _, c := range history[s.past:] {
		for _, f := range s.all {
			f.expect(c, r.truth.begin)
		}
	}
	s.past = len(history)
	for _, m := range messages {
		wrong = append(wrong, s.heard(m)...)
	}
	return wrong
}

// written returns the messages that were written to the file since the last time.
func (s *followers) written(t *testing.T, r *run) []message {
	t.Helper()
	f, err := os.Open(filepath.Join(r.folder, "still-file.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, s.file, 1<<40))
	if err != nil {
		t.Fatal(err)
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	s.file += int64(len(text))
	all, err := parse(text, "still-file")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// follow waits until the listeners that do not change have told all that happened so far, and
// nothing else. What is what has happened last.
func (r *run) follow(t *testing.T, what string) {
	t.Helper()
	until := r.server.last()
	var missing problems
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if wrong := r.followers.look(t, r); len(wrong) > 0 {
			t.Errorf("%s:\n%s", what, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
			return
		}
		missing = nil
		for _, f := range r.followers.all {
			missing = append(missing, f.missing(until)...)
		}
		if len(missing) == 0 {
			r.followers.latest.Store(int64(until))
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%s:\n%s", what, strings.Join(missing, "\n"))
}
