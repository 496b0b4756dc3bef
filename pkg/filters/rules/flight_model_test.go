package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/pkg/informer/event"
)

// wire is what happens to the reports of one rule and one object's name on their way to one
// receiver.
type wire struct {
	name, rule string
	receiver   int
}

// heard is one violation, as far as one receiver has to do with it: what the book has to remember.
type heard struct {
	number uint64
	uid    string
	ended  bool
	// Each is "", "owed" or "flying"; the violation may also be "known" or, if it was refused,
	// "over".
	violation, repeat, end string
	maybeKnows             bool // the violation was flying at a restart, and may be known
}

// believed is what a receiver took last of a line.
type believed struct {
	number   uint64
	violated bool
	uid      string
	last     time.Time
	backs    int // how often the clock had been set back by then
}

// routes is a book, with receivers that take, refuse and release what is on its way to them late
// and, for each object, in order.
type routes struct {
	t         *rapid.T
	book      *Book
	evaluator *Evaluator
	rules     []*Rule // of the book
	receivers Receivers
	now       time.Time
	backs     int
	uids      map[string]int
	lanes     map[lane][]Transition
	unwanted  Receivers // who refuse what begins
	over      map[refused]bool
	lines     map[wire][]heard // the first violation first
	beliefs   map[wire]believed
	late      int
	cuts      []recordtest.Cut
	taken     map[report]bool // by receivers
	repeated  map[report]bool // those that come again, since the book does not know that
	restarted bool
}

// report is one report, as its id says.
type report struct {
	wire    wire
	number  uint64
	state   State
	repeats int
}

func idOf(l lane, tr Transition) report {
	return report{wire{l.name, tr.Rule.name, l.receiver}, tr.number, tr.State, tr.Repeats}
}

// refused is an end that a receiver has refused.
type refused struct {
	wire   wire
	number uint64
}

type lane struct {
	name     string
	receiver int
}

const (
	modelReceivers = 4
	modelRepeat    = 7 * time.Second
)

// TestModelOfReceivers: whatever receivers take, refuse or release, and however late, each gets
// beginnings and ends in turn, the book owes it what follows from that, and once it takes
// everything it believes what is true. So it is when the rules and receivers change.
func TestModelOfReceivers(t *testing.T) {
	all := []*Rule{rule(t, "a", "object.r0", 0, 0), rule(t, "b", "object.r1", 3*s, modelRepeat),
		rule(t, "c", "object.r2", 0, modelRepeat), rule(t, "d", "not object.r0", 0, modelRepeat)}
	// of the same names
	others := []*Rule{rule(t, "a", "object.r1", 0, modelRepeat), rule(t, "b", "object.r1", 0, 0),
		rule(t, "c", "not object.r2", s, modelRepeat), rule(t, "d", "object.r0", 0, modelRepeat)}
	late := 0
	rapid.Check(t, func(rt *rapid.T) {
		r := &routes{t: rt, rules: all, receivers: everyReceiver(2), now: begin,
			uids: map[string]int{}, lanes: map[lane][]Transition{}, lines: map[wire][]heard{},
			beliefs: map[wire]believed{}, over: map[refused]bool{}, taken: map[report]bool{},
			repeated: map[report]bool{}}
		r.book = NewBook(all, 2)
		r.evaluator = r.book.Evaluator(nil)
		name := rapid.SampledFrom([]string{"web", "db"})
		step := func(t *rapid.T, op event.Op, name string) {
			fields := make([]string, 3)
			for i := range fields {
				fields[i] = fmt.Sprintf(`"r%d":%t`, i, rapid.Bool().Draw(t, "denied"))
			}
			away := Receivers(rapid.Uint64Range(0, 1<<modelReceivers-1).Draw(t, "away"))
			if rapid.Bool().Draw(t, "all there") {
				away = 0
			}
			if rapid.IntRange(0, 3).Draw(t, "all want it") == 0 {
				r.unwanted = Receivers(rapid.Uint64Range(0, 1<<modelReceivers-1).Draw(t,
					"unwanted"))
			}
			r.see(op, name, strings.Join(fields, ","), away)
			r.unwanted = 0
		}
		rt.Repeat(map[string]func(*rapid.T){
			"update": func(t *rapid.T) { step(t, event.Update, name.Draw(t, "name")) },
			"again":  func(t *rapid.T) { step(t, event.Update, name.Draw(t, "name")) },
			"violated for long": func(t *rapid.T) {
				n := name.Draw(t, "name")
				for range rapid.IntRange(1, 3).Draw(t, "times") {
					r.now = r.now.Add(
						time.Duration(rapid.IntRange(3, 8).Draw(t, "seconds")) * time.Second)
					r.see(event.Update, n, `"r0":true,"r1":true,"r2":true`, 0)
					if rapid.Bool().Draw(t, "taken") {
						r.deliver(lane{n, rapid.IntRange(0, 1).Draw(t, "receiver")}, "take")
					}
				}
				if rapid.Bool().Draw(t, "resolved") {
					r.see(event.Update, n, `"r0":false`, 0)
					r.deliver(lane{n, 0}, rapid.SampledFrom([]string{"take", "refuse",
						"release"}).Draw(t, "how"))
				}
			},
			"another": func(t *rapid.T) {
				n := name.Draw(t, "name")
				r.uids[n]++
				step(t, event.Update, n)
			},
			"delete": func(t *rapid.T) { step(t, event.Delete, name.Draw(t, "name")) },
			"deliver": func(t *rapid.T) {
				l := r.someLane(t)
				for range rapid.IntRange(1, 4).Draw(t, "reports") {
					r.deliver(l, rapid.SampledFrom([]string{"take", "take", "take", "refuse",
						"release"}).Draw(t, "how"))
				}
			},
			"merge": func(t *rapid.T) { // the lane forgets some of its reports, in order
				l := r.someLane(t)
				kept := r.lanes[l][:0:0]
				for _, tr := range r.lanes[l] {
					if rapid.Bool().Draw(t, "kept") {
						kept = append(kept, tr)
					} else {
						r.release(l, tr)
					}
				}
				r.lanes[l] = kept
			},
			"come back": func(t *rapid.T) { r.comeBack(r.someLane(t)) },
			"replay":    func(t *rapid.T) { r.replay(r.someLane(t)) },
			"replay ends": func(*rapid.T) {
				for l := range r.beliefs {
					r.replayEnd(l)
				}
			},
			"reload": func(t *rapid.T) {
				var rules []*Rule
				for i := range all {
					switch rapid.IntRange(0, 4).Draw(t, "rule") {
					case 0:
					case 1:
						rules = append(rules, others[i])
					default:
						rules = append(rules, all[i])
					}
				}
				if rapid.Bool().Draw(t, "turned") {
					slices.Reverse(rules)
				}
				r.reload(rules, Receivers(
					rapid.Uint64Range(1, 1<<modelReceivers-1).Draw(t, "receivers")))
			},
			"cut":     func(*rapid.T) { r.cuts = appendCut(r.cuts, r.book, r.names()) },
			"whole":   func(*rapid.T) { r.cuts = []recordtest.Cut{wholeOf(r.book, r.names())} },
			"restart": func(t *rapid.T) { r.restart(t) },
			"time": func(t *rapid.T) {
				r.now = r.now.Add(
					time.Duration(rapid.IntRange(1, 9000).Draw(t, "ms")) * time.Millisecond)
			},
			"the clock jumps": func(t *rapid.T) {
				jump := rapid.IntRange(-60, 600).Draw(t, "seconds")
				if r.now = r.now.Add(time.Duration(jump) * time.Second); jump < 0 {
					r.backs++ // by such a clock, what is far enough apart may look as if it was not
				}
			},
			"": func(t *rapid.T) { r.check() },
		})
		for _, n := range []string{"web", "db"} {
			r.see(event.Update, n, `"r0":true,"r1":true,"r2":true`, 0)
		}
		r.drain()
		r.believeTheTruth()
		for _, n := range []string{"web", "db"} {
			r.see(event.Delete, n, "", 0)
		}
		r.drain()
		for l, b := range r.beliefs {
			if b.violated && !r.over[refused{l, b.number}] {
				rt.Fatalf("%v believes %+v at the end", l, b)
			}
		}
		if len(r.book.objects) != 0 || len(r.book.counts) != 0 || r.book.open != 0 {
			rt.Fatalf("%d objects, %d counts and %d violations are left", len(r.book.objects),
				len(r.book.counts), r.book.open)
		}
		late += r.late
	})
	if late == 0 && !testing.Short() {
		t.Error("every report was taken at once: this test says nothing")
	}
}

func key(name string) event.Key { return event.Key{Namespace: "shop", Name: name} }

func (r *routes) someLane(t *rapid.T) lane {
	return lane{rapid.SampledFrom([]string{"web", "db"}).Draw(t, "name"),
		rapid.IntRange(0, modelReceivers-1).Draw(t, "receiver")}
}

// each calls f for the lines of a name and a rule, of all receivers.
func (r *routes) each(name, rule string, f func(wire)) {
	for receiver := range modelReceivers {
		if r.receivers.Has(receiver) {
			f(wire{name, rule, receiver})
		}
	}
}

// violations are the records of what is violated, by the rule's name.
func (r *routes) violations(name string) map[string]record {
	found := map[string]record{}
	if o := r.book.objects[key(name)]; o != nil {
		for _, rec := range o.records {
			if rec.violated {
				found[r.rules[rec.rule].name] = rec
			}
		}
	}
	return found
}

// see evaluates an object, and sends what is offered to those who are not away.
func (r *routes) see(op event.Op, name, fields string, away Receivers) {
	uid, before := fmt.Sprint(name, r.uids[name]), r.violations(name)
	outcome := r.evaluator.Evaluate(event.Event{Op: op, Object: podIn(r.t, "shop", name, uid,
		fields)}, r.now)
	if len(outcome.Errors) > 0 {
		r.t.Fatal(outcome.Errors)
	}
	after := r.violations(name)
	for rule, was := range before {
		if is, ok := after[rule]; !ok || is.number != was.number {
			r.end(name, rule)
		}
	}
	for rule, is := range after {
		was, ok := before[rule]
		switch {
		case !ok || was.number != is.number:
			r.each(name, rule, func(l wire) {
				r.lines[l] = append(r.lines[l], heard{number: is.number, uid: uid,
					violation: "owed"})
			})
		case is.repeats > was.repeats:
			r.each(name, rule, func(l wire) { r.repeat(&r.lines[l][len(r.lines[l])-1]) })
		}
	}
	for _, tr := range slices.Clone(outcome.Transitions) {
		for receiver := range modelReceivers {
			switch {
			case !tr.To.Has(receiver):
			case away.Has(receiver): // and gets nothing more this time
				r.late++
			case r.hasRefused(lane{name, receiver}, tr):
				if r.book.Begin(key(name), tr, receiver) {
					r.t.Fatalf("%v: the end of %+v begins, which it has refused", receiver, tr)
				}
			default:
				r.begin(lane{name, receiver}, tr)
			}
		}
	}
}

// hasRefused reports whether the receiver has just refused the violation that a report ends.
func (r *routes) hasRefused(l lane, tr Transition) bool {
	_, _, part := r.part(l, tr)
	return r.unwanted.Has(l.receiver) && tr.State == Resolved && part == nil
}

// end notes that the last violation of a rule has ended.
func (r *routes) end(name, rule string) {
	r.each(name, rule, func(l wire) {
		h := &r.lines[l][len(r.lines[l])-1]
		h.ended = true
		switch {
		case h.maybeKnows, h.violation == "known", h.violation == "flying":
			h.end = "owed"
		default:
			h.violation = "over"
		}
		if h.repeat == "owed" {
			h.repeat = ""
		}
		r.tidy(l)
	})
}

func (r *routes) repeat(h *heard) {
	switch {
	case h.violation == "over":
		h.violation = "owed"
	case h.violation == "known" && h.repeat == "":
		h.repeat = "owed"
	}
}

// tidy forgets what nobody has to hear of any more.
func (r *routes) tidy(l wire) {
	r.lines[l] = slices.DeleteFunc(r.lines[l], func(h heard) bool {
		return h.ended && (h.violation == "over" ||
			h.violation == "known" && h.repeat == "" && h.end == "")
	})
	if len(r.lines[l]) == 0 {
		delete(r.lines, l)
	}
}

// part returns the violation that a report belongs to, how many are before it, and the part of it
// that the report is about; nil if it is forgotten.
func (r *routes) part(l lane, tr Transition) (h *heard, before int, part *string) {
	all := r.lines[wire{l.name, tr.Rule.name, l.receiver}]
	for i := range all {
		if h = &all[i]; h.number != tr.number {
			continue
		}
		switch {
		case tr.State == Resolved:
			return h, i, &h.end
		case tr.Repeated:
			return h, i, &h.repeat
		}
		return h, i, &h.violation
	}
	return nil, 0, nil
}

func (r *routes) begin(l lane, tr Transition) {
	_, _, part := r.part(l, tr)
	if part == nil || *part != "owed" {
		r.t.Fatalf("%v: %s %s of %s is offered, and is not owed", l, tr.State, tr.Rule.name, tr.UID)
	}
	if !r.book.Begin(key(l.name), tr, l.receiver) {
		r.t.Fatalf("%v: %s %s of %s cannot begin", l, tr.State, tr.Rule.name, tr.UID)
	}
	if r.book.Begin(key(l.name), tr, l.receiver) {
		r.t.Fatalf("%v: %s %s of %s begins twice", l, tr.State, tr.Rule.name, tr.UID)
	}
	*part = "flying"
	if r.unwanted.Has(l.receiver) && !r.repeated[idOf(l, tr)] {
		r.refuse(l, tr)
	} else {
		r.lanes[l] = append(r.lanes[l], tr)
	}
}

// deliver sends the first report of a lane, unless it need not be sent any more.
func (r *routes) deliver(l lane, how string) {
	if len(r.lanes[l]) == 0 {
		return
	}
	tr := r.lanes[l][0]
	r.lanes[l] = r.lanes[l][1:]
	for _, behind := range r.lanes[l] {
		if behind.Rule.name == tr.Rule.name &&
			r.book.owes(key(l.name), behind, l.receiver) &&
			r.book.owes(key(l.name), tr, l.receiver) {
			r.t.Fatalf("%v: %s of %s is owed before its turn", l, behind.State, behind.UID)
		}
	}
	h, before, part := r.part(l, tr)
	owes := part != nil && *part == "flying" && before == 0 &&
		(tr.State == Violated || h.violation == "known" && h.repeat != "flying")
	if got := r.book.owes(key(l.name), tr, l.receiver); got != owes {
		r.t.Fatalf("%v: %s %s of %s is owed: %t, want %t: %+v", l, tr.State, tr.Rule.name, tr.UID,
			got, owes, r.lines[wire{l.name, tr.Rule.name, l.receiver}])
	}
	if !owes || how == "release" {
		r.release(l, tr)
		return
	}
	if how == "refuse" && !r.repeated[idOf(l, tr)] { // what it has, it does not refuse
		r.refuse(l, tr)
		return
	}
	r.take(l, tr)
	r.book.Took(key(l.name), tr, l.receiver, r.now)
	if *part = ""; tr.State == Violated && !tr.Repeated {
		*part, h.maybeKnows = "known", false
	}
	r.tidy(wire{l.name, tr.Rule.name, l.receiver})
}

func (r *routes) refuse(l lane, tr Transition) {
	h, _, part := r.part(l, tr)
	r.book.Refused(key(l.name), tr, l.receiver, r.now)
	at := wire{l.name, tr.Rule.name, l.receiver}
	if *part = ""; tr.State == Violated && !tr.Repeated {
		*part, h.end, h.maybeKnows = "over", "", false
	}
	if tr.State == Resolved {
		r.over[refused{at, tr.number}] = true // and so its dead letter says
	}
	r.tidy(at)
}

// take holds what a receiver gets against what it got before.
func (r *routes) take(l lane, tr Transition) {
	at := wire{l.name, tr.Rule.name, l.receiver}
	was, id := r.beliefs[at], idOf(l, tr)
	if r.repeated[id] {
		delete(r.repeated, id) // the receiver knows the id
		return
	}
	if r.taken[id] {
		r.t.Fatalf("%v gets %+v twice", l, id)
	}
	r.taken[id] = true
	if was.number != tr.number && r.over[refused{at, was.number}] {
		was = believed{}
	}
	switch {
	case tr.State == Resolved && (!was.violated || was.uid != tr.UID):
		r.t.Fatalf("%v gets the end of %s, but believes %+v", at, tr.UID, was)
	case tr.State == Violated && tr.Repeated != was.violated:
		r.t.Fatalf("%v gets %s, repeated %t, but believes %+v", at, tr.UID, tr.Repeated, was)
	case tr.Repeated && (tr.UID != was.uid || was.backs == r.backs &&
		r.now.Sub(was.last) < modelRepeat || tr.Rule.Repeat() == 0 && !r.restarted):
		r.t.Fatalf("%v gets %s again, but believes %+v", at, tr.UID, was)
	}
	r.beliefs[at] = believed{tr.number, tr.State == Violated, tr.UID, r.now, r.backs}
}

func (r *routes) release(l lane, tr Transition) {
	h, _, part := r.part(l, tr)
	r.book.Release(key(l.name), tr, l.receiver)
	if part == nil || *part != "flying" {
		return
	}
	*part = "owed"
	switch {
	case tr.State == Resolved || !h.ended:
	case tr.Repeated:
		h.repeat = ""
	case !h.maybeKnows:
		h.violation, h.end = "over", ""
	}
	r.tidy(wire{l.name, tr.Rule.name, l.receiver})
}

// owed returns what is owed with an event of the object that was evaluated last.
func (r *routes) owed(l lane) []Transition {
	return r.book.DueReports(key(l.name), fmt.Sprint(l.name, r.uids[l.name]), l.receiver)
}

// comeBack sends what is owed to a receiver, without an evaluation.
func (r *routes) comeBack(l lane) {
	owed := r.owed(l)
	for i, tr := range owed {
		if slices.ContainsFunc(owed[:i], func(earlier Transition) bool {
			return earlier.Rule.name == tr.Rule.name
		}) && r.book.Begin(key(l.name), tr, l.receiver) {
			r.t.Fatalf("%v: %s of %s begins before its turn", l, tr.State, tr.UID)
		}
	}
	for _, tr := range owed {
		r.begin(l, tr)
	}
}

// replay makes what is violated owed to a receiver that has refused it.
func (r *routes) replay(l lane) {
	for rule, rec := range r.violations(l.name) {
		if !r.receivers.Has(l.receiver) {
			break
		}
		all := r.lines[wire{l.name, rule, l.receiver}]
		h := &all[len(all)-1]
		want := h.violation == "over" || h.violation == "owed"
		if got := r.book.Owe(key(l.name), rule, h.uid, rec.since, l.receiver); got != want {
			r.t.Fatalf("%v: %s is owed again: %t, but %+v", l, rule, got, h)
		}
		if want {
			h.violation = "owed"
		}
	}
}

// replayEnd makes the end that a receiver has refused owed to it.
func (r *routes) replayEnd(l wire) {
	was := r.beliefs[l]
	if !was.violated || !r.over[refused{l, was.number}] {
		return
	}
	lines := r.lines[l]
	open := slices.IndexFunc(lines, func(h heard) bool { return !h.ended })
	want := r.receivers.Has(l.receiver) &&
		slices.ContainsFunc(r.rules, func(rule *Rule) bool { return rule.name == l.rule })
	if open < 0 {
		open = len(lines)
	} else if h := lines[open]; h.violation == "known" || h.violation == "flying" || h.maybeKnows {
		want = false
	}
	want = want && open == 0 // nothing of an earlier one is to be heard
	if got := r.book.OweEnd(key(l.name), l.rule, was.uid, begin, "m", l.receiver); got != want {
		r.t.Fatalf("%v: the end of %+v is owed again: %t, but %+v", l, was, got, lines)
	}
	if want {
		delete(r.over, refused{l, was.number})
		was.number = r.book.number
		r.beliefs[l] = was
		r.lines[l] = slices.Insert(lines, 0, heard{number: was.number, uid: was.uid, ended: true,
			violation: "known", end: "owed"})
	}
}

// reload changes the rules and receivers.
func (r *routes) reload(rules []*Rule, receivers Receivers) {
	open := map[string]map[string]record{"web": r.violations("web"), "db": r.violations("db")}
	stays := func(rule string) bool {
		return slices.ContainsFunc(rules, func(r *Rule) bool { return r.name == rule })
	}
	for name, violations := range open {
		for rule := range violations {
			if !stays(rule) {
				r.end(name, rule)
				delete(violations, rule)
			}
		}
	}
	r.book.Use(rules, receivers)
	gone := r.receivers &^ receivers
	maps.DeleteFunc(r.lines, func(l wire, _ []heard) bool { return gone.Has(l.receiver) })
	maps.DeleteFunc(r.taken, func(id report, _ bool) bool { return gone.Has(id.wire.receiver) })
	maps.DeleteFunc(r.repeated, func(id report, _ bool) bool { return gone.Has(id.wire.receiver) })
	maps.DeleteFunc(r.beliefs, func(l wire, _ believed) bool { return gone.Has(l.receiver) })
	maps.DeleteFunc(r.lanes, func(l lane, _ []Transition) bool { return gone.Has(l.receiver) })
	for name, violations := range open {
		for rule, rec := range violations {
			for receiver := range modelReceivers {
				if l := (wire{name, rule, receiver}); receivers.Has(receiver) &&
					!r.receivers.Has(receiver) {
					r.lines[l] = append(r.lines[l], heard{number: rec.number,
						uid: r.book.objects[key(name)].uid, violation: "owed"})
				}
			}
		}
	}
	r.rules, r.receivers = rules, receivers
}

// drain lets every receiver take everything.
func (r *routes) drain() {
	for _, name := range []string{"web", "db"} {
		for receiver := range modelReceivers {
			l := lane{name, receiver}
			for more := true; more; more = len(r.lanes[l]) > 0 {
				for len(r.lanes[l]) > 0 {
					r.deliver(l, "take")
				}
				r.comeBack(l)
			}
		}
	}
}

// believeTheTruth checks what receivers believe who have taken everything.
func (r *routes) believeTheTruth() {
	for _, name := range []string{"web", "db"} {
		for rule, rec := range r.violations(name) {
			r.each(name, rule, func(l wire) {
				over := slices.ContainsFunc(r.lines[l], func(h heard) bool {
					return h.violation == "over"
				})
				if b := r.beliefs[l]; !over && (!b.violated || b.uid != fmt.Sprint(name,
					r.uids[name])) {
					r.t.Fatalf("%v believes %+v, but %+v is violated", l, b, rec)
				}
			})
		}
	}
	for l, b := range r.beliefs {
		if _, open := r.violations(l.name)[l.rule]; b.violated && !open &&
			!r.over[refused{l, b.number}] {
			r.t.Fatalf("%v believes %+v", l, b)
		}
	}
}

// check holds what the book owes against the model.
func (r *routes) check() {
	for receiver := range modelReceivers {
		var unreported []event.Key
		for _, name := range []string{"db", "web"} {
			var want, got []string
			for l, all := range r.lines {
				if l.name != name || l.receiver != receiver {
					continue
				}
				for _, h := range all {
					for part, state := range map[string]string{"violated false": h.violation,
						"violated true": h.repeat, "resolved false": h.end} {
						if state == "owed" {
							want = append(want, fmt.Sprint(l.rule, " ", h.uid, " ", h.number, " ",
								part))
						}
					}
				}
			}
			for _, tr := range r.owed(lane{name, receiver}) {
				got = append(got, fmt.Sprint(tr.Rule.name, " ", tr.UID, " ", tr.number, " ",
					tr.State, " ", tr.Repeated))
				if tr.To != Receivers(0).With(receiver) {
					r.t.Fatalf("to %b", tr.To)
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				r.t.Fatalf("%s, receiver %d: owed\n got %q\nwant %q", name, receiver, got, want)
			}
			if len(want) > 0 {
				unreported = append(unreported, key(name))
			}
		}
		if got := r.book.Unreported(receiver); !slices.Equal(got, unreported) {
			r.t.Fatalf("receiver %d: unreported %v, want %v", receiver, got, unreported)
		}
	}
	r.checkMemory()
}

// checkMemory holds what the book keeps, and counts, against what there is to keep.
func (r *routes) checkMemory() {
	open := 0
	for _, name := range []string{"web", "db"} {
		o := r.book.objects[key(name)]
		if o == nil {
			continue
		}
		if len(o.records)+len(o.debts) == 0 {
			r.t.Fatalf("%s is remembered for nothing", name)
		}
		if !slices.IsSortedFunc(o.records, func(a, b record) int {
			return cmp.Compare(a.rule, b.rule)
		}) {
			r.t.Fatalf("the records of %s: %+v", name, o.records)
		}
		open += len(r.violations(name))
		for _, d := range o.debts {
			kept := 0
			r.each(name, d.reportedAs.name, func(l wire) {
				for _, h := range r.lines[l] {
					if h.number == d.number && h.ended && d.open().Has(l.receiver) {
						kept++
					}
				}
			})
			if kept == 0 {
				r.t.Fatalf("%s: nobody has to hear of %+v", name, d)
			}
		}
	}
	counted := 0
	for _, n := range r.book.Counts() {
		counted += n
	}
	if open != counted || open != len(r.book.Open()) {
		r.t.Fatalf("%d are violated, %d counted, %d listed", open, counted, len(r.book.Open()))
	}
}
