package rules

import (
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// A story is what happens to one object, line by line: when (since the beginning), what, and what
// it leads to. What is "add", "update", "resync" or "delete", the object's n, and its uid, u1 if
// that is left out.
type line struct {
	at   time.Duration
	what string
	want string
}

const deny = "object.n > 3"

const s, m, h = time.Second, time.Minute, time.Hour

func TestStories(t *testing.T) {
	stories := []struct {
		name         string
		rule         string
		hold, repeat time.Duration
		lines        []line
	}{
		{"at once", "a", 0, 0, []line{
			{0, "add 1", ""},
			{1 * s, "update 5", "violated a of u1 since 1s"},
			{2 * s, "update 6", ""},
			{3 * s, "resync 6", ""},
			{4 * s, "update 2", "resolved a of u1 since 1s"},
			{5 * s, "update 3", ""},
			{6 * s, "add 9", "violated a of u1 since 6s"},
		}},
		{"a missing field violates nothing and resolves", "a", 0, 0, []line{
			{0, "add 5", "violated a of u1 since 0s"},
			{1 * s, "update null", "resolved a of u1 since 0s"},
		}},
		{"pending first", "a", 10 * s, 0, []line{
			{0, "add 5", "look after 10s"},
			{4 * s, "update 6", "look after 6s"},
			{10*s - 1, "resync 6", "look after 1ms"},
			{10 * s, "resync 6", "violated a of u1 since 0s"},
			{11 * s, "update 7", ""},
			{h, "resync 7", ""},
			{h + s, "update 1", "resolved a of u1 since 0s"},
		}},
		{"looked at late", "a", 10 * s, 0, []line{
			{0, "add 5", "look after 10s"},
			{h, "resync 5", "violated a of u1 since 0s"},
		}},
		{"a false in between begins again", "a", 10 * s, 0, []line{
			{0, "add 5", "look after 10s"},
			{9 * s, "update 1", ""},
			{10 * s, "update 5", "look after 10s"},
			{19 * s, "resync 5", "look after 1s"},
			{20 * s, "resync 5", "violated a of u1 since 10s"},
		}},
		{"repeated", "a", 0, 10 * s, []line{
			{0, "add 5", "violated a of u1 since 0s; look after 10s"},
			{9 * s, "update 5", "look after 1s"},
			{10 * s, "update 5", "violated a of u1 since 0s again; look after 10s"},
			{19 * s, "resync 5", "look after 1s"},
			{25 * s, "resync 5", "violated a of u1 since 0s again; look after 10s"},
			{30 * s, "resync 5", "look after 5s"},
			{31 * s, "update 1", "resolved a of u1 since 0s"},
			{32 * s, "update 5", "violated a of u1 since 32s; look after 10s"},
		}},
		{"pending, then repeated", "a", 5 * s, 10 * s, []line{
			{0, "add 5", "look after 5s"},
			{7 * s, "resync 5", "violated a of u1 since 0s; look after 10s"},
			{17 * s, "resync 5", "violated a of u1 since 0s again; look after 10s"},
		}},
		{"deleted", "a", 0, 0, []line{
			{0, "add 5", "violated a of u1 since 0s"},
			{1 * s, "delete 5", "resolved a of u1 since 0s"},
			{2 * s, "delete 5", ""},
			{3 * s, "add 5", "violated a of u1 since 3s"},
		}},
		{"deleted while pending", "a", 10 * s, 0, []line{
			{0, "add 5", "look after 10s"},
			{9 * s, "delete 5", ""},
			{10 * s, "add 5", "look after 10s"},
		}},
		{"an object that is deleted is not asked", "a", 0, 0, []line{
			{0, "delete 5", ""},
			{1 * s, `delete "x"`, ""},
		}},
		{"another object of the same name", "a", 0, 0, []line{
			{0, "add 5", "violated a of u1 since 0s"},
			{1 * s, "update 6 u2", "resolved a of u1 since 0s; violated a of u2 since 1s"},
			{2 * s, "update 1 u3", "resolved a of u2 since 1s"},
			{3 * s, "update 5 u4", "violated a of u4 since 3s"},
			{4 * s, "delete 5 u5", "resolved a of u4 since 3s"},
		}},
		{"another object of the same name, pending", "a", 10 * s, 0, []line{
			{0, "add 5", "look after 10s"},
			{9 * s, "update 5 u2", "look after 10s"},
			{19 * s, "resync 5 u2", "violated a of u2 since 9s"},
		}},
		{"another object of the same name, of which deny fails", "a", 0, 0, []line{
			{0, "add 5", "violated a of u1 since 0s"},
			{1 * s, `update "x" u2`, "resolved a of u1 since 0s; failed"},
			{2 * s, "update 5 u2", "violated a of u2 since 2s"},
		}},
		{"a failure neither violates nor resolves", "a", 0, 0, []line{
			{0, `add "x"`, "failed"},
			{1 * s, "update 5", "violated a of u1 since 1s"},
			{2 * s, `update "x"`, "failed"},
			{3 * s, "update 5", ""},
			{4 * s, `update "x"`, "failed"},
			{5 * s, "update 1", "resolved a of u1 since 1s"},
		}},
		{"a failure while pending", "a", 10 * s, 0, []line{
			{0, "add 5", "look after 10s"},
			{6 * s, `update "x"`, "failed; look after 4s"},
			{9500 * time.Millisecond, `resync "x"`, "failed; look after 1s"},
			{20 * s, `resync "x"`, "failed; look after 1s"},
			{21 * s, "update 5", "violated a of u1 since 0s"},
		}},
		{"a failure while a repeat is due", "a", 0, 10 * s, []line{
			{0, "add 5", "violated a of u1 since 0s; look after 10s"},
			{10 * s, `resync "x"`, "failed; look after 1s"},
			{11 * s, "resync 5", "violated a of u1 since 0s again; look after 10s"},
		}},
		{"the clock", "~a", 0, 0, []line{
			{0, "add 1", "look after 1m0s"},
			{1 * m, "resync 5", "violated a of u1 since 1m0s; look after 1m0s"},
			{2 * m, "resync 5", "look after 1m0s"},
			{3 * m, "resync 1", "resolved a of u1 since 1m0s; look after 1m0s"},
			{4 * m, `resync "x"`, "failed; look after 1m0s"},
			{5 * m, "delete 1", ""},
		}},
		{"the clock and for, which is shorter", "~a", 90 * s, 0, []line{
			{0, "add 5", "look after 1m0s"},
			{1 * m, "resync 5", "look after 30s"},
			{90 * s, "resync 5", "violated a of u1 since 0s; look after 1m0s"},
		}},
		{"a clock that is set back", "a", 10 * s, 20 * s, []line{
			{h, "add 5", "look after 10s"},
			{0, "resync 5", "look after 10s"},
			{h + 9*s, "resync 5", "look after 1s"},
			{h + 10*s, "resync 5", "violated a of u1 since 1h0m0s; look after 20s"},
			{0, "resync 5", "look after 20s"},
			{h + 30*s, "resync 5", "violated a of u1 since 1h0m0s again; look after 20s"},
		}},
	}
	for _, story := range stories {
		t.Run(story.name, func(t *testing.T) {
			b := NewBook([]*Rule{rule(t, story.rule, deny, story.hold, story.repeat)}, 1)
			e := b.Evaluator(nil)
			for _, l := range story.lines {
				words := append(strings.Fields(l.what), "u1")
				op, err := event.ParseOp(words[0])
				if err != nil {
					t.Fatal(err)
				}
				ev := event.Event{Op: op, Object: pod(t, "web", words[2], `"n":`+words[1])}
				if got := told(evaluate(e, ev, begin.Add(l.at))); got != l.want {
					t.Errorf("%s, %s:\n got %s\nwant %s", l.at, l.what, got, l.want)
				}
			}
		})
	}
}

// Rules have nothing to do with each other: each has its own state, and one that fails fails alone.
func TestSeveralRules(t *testing.T) {
	b := NewBook([]*Rule{
		rule(t, "a", "object.a", 10*s, 0), rule(t, "b", "object.b", 0, 0),
		rule(t, "c", "object.c > 3", 3*s, 0), rule(t, "d", "object.d", 0, 0),
	}, 1)
	e := b.Evaluator(nil)
	for _, l := range []line{
		{0, `"a":true,"d":true`, "violated d of u1 since 0s; look after 10s"},
		{1 * s, `"a":true,"b":true,"c":4`,
			"violated b of u1 since 1s; resolved d of u1 since 0s; look after 3s"},
		{2 * s, `"a":true,"b":true,"c":"x"`, "failed; look after 2s"},
		{4 * s, `"b":true,"c":4`, "violated c of u1 since 1s"},
		{5 * s, `"c":4,"d":true`, "resolved b of u1 since 1s; violated d of u1 since 5s"},
	} {
		if got := told(evaluate(e,
			event.Event{Op: event.Update, Object: pod(t, "web", "u1", l.what)},
			begin.Add(l.at))); got != l.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", l.at, l.what, got, l.want)
		}
	}
	if got, want := opened(b),
		"c medium shop/web u1 since 1s: c; d medium shop/web u1 since 5s: d"; got != want {
		t.Errorf("open:\n got %s\nwant %s", got, want)
	}
	got := told(evaluate(e, event.Event{Op: event.Delete, Object: pod(t, "web", "u1", "")},
		begin.Add(6*s)))
	if want := "resolved c of u1 since 1s; resolved d of u1 since 5s"; got != want {
		t.Errorf("deleted:\n got %s\nwant %s", got, want)
	}
}

// A message is made when it is reported, not in between, and is still that of the violation when it
// is resolved.
func TestMessages(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 10*s)}, 1)
	e := telling(t, b.Evaluator(nil))
	for _, l := range []struct {
		line
		open string
	}{
		{line{0, `"n":5,"message":"five"`, "violated a of u1 since 0s: five; look after 10s"},
			"five"},
		{line{1 * s, `"n":6,"message":"six"`, "look after 9s"}, "five"},
		{line{10 * s, `"n":7,"message":"seven"`,
			"violated a of u1 since 0s: seven again; look after 10s"}, "seven"},
		{line{11 * s, `"n":1,"message":"one"`, "resolved a of u1 since 0s: seven"}, ""},
		{line{12 * s, `"n":8`, "violated a of u1 since 12s; no message; look after 10s"}, "a"},
		{line{22 * s, `"n":8,"message":""`, "violated a of u1 since 12s again; look after 10s"},
			"a"},
	} {
		if got := told(evaluate(e,
			event.Event{Op: event.Update, Object: pod(t, "web", "u1", l.what)},
			begin.Add(l.at))); got != l.want {
			t.Errorf("%s, %s:\n got %s\nwant %s", l.at, l.what, got, l.want)
		}
		got := ""
		for _, v := range b.Open() {
			got += v.Message
		}
		if got != l.open {
			t.Errorf("%s, %s: open:\n got %s\nwant %s", l.at, l.what, got, l.open)
		}
	}
}

// Rules are asked about an object, whatever happened to it.
func TestWhatExpressionsAreAskedAbout(t *testing.T) {
	e := telling(t, NewBook([]*Rule{rule(t, "a", deny, 0, 0)}, 1).Evaluator(nil))
	o := pod(t, "web", "u1", `"n":5,"message":"five"`)
	want := event.Event{Op: event.Resync, Object: o}
	asked := 0
	judge := e.judges[0]
	e.judges[0].deny = func(ev event.Event) (bool, error) {
		if asked++; ev != want {
			t.Errorf("deny is asked about %v", ev)
		}
		return judge.deny(ev)
	}
	e.judges[0].text = func(ev event.Event) (string, error) {
		if asked++; ev != want {
			t.Errorf("message is asked about %v", ev)
		}
		return judge.text(ev)
	}
	evaluate(e, event.Event{Op: event.Update, Initial: true, Missed: 3, Object: o,
		Old: pod(t, "web", "u1", "")}, begin)
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestBookWithoutRules(t *testing.T) {
	b := NewBook(nil, 1)
	if got := told(evaluate(b.Evaluator(nil),
		event.Event{Op: event.Add, Object: pod(t, "web", "u1", "")}, begin)); got != "" ||
		len(b.Open()) != 0 || len(b.Counts()) != 0 {
		t.Errorf("got %s, %v, %v", got, b.Open(), b.Counts())
	}
}
