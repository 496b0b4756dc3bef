package e2e

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// fact is what somebody did to an object: it was so at the latest when the API server had answered,
// and not before it was asked.
type fact struct {
	asked, answered time.Time
	uid             string
	version         uint64 // 0: the object with the uid has gone
	n               string
	bad, late, odd  bool
}

// heard is a message that a receiver has read.
type heard struct {
	at    time.Time
	taken bool // it was answered
	by    string

	ID, Type, Op, UID string
	version, old      uint64
	n                 string
	since             time.Time
	unknown           bool // finalStateUnknown
}

func (h heard) String() string {
	kind := h.Type[strings.LastIndexByte(h.Type, '.')+1:]
	return fmt.Sprintf("%s %s %s %d-%d of %s, since %s, by %s, taken %t", h.at.Format("04:05.000"), kind,
		h.Op, h.old, h.version, h.UID, h.since.Format("04:05.000"), h.by, h.taken)
}

// attack is what was done to those who send.
type attack struct {
	how     string
	at      time.Time
	until   time.Time     // when what was under way has come
	settled time.Time     // when all goes on
	again   time.Duration // how much of what came before may come again
	killed  bool          // what may have been delivered may end twice, or without having come
	forgot  bool          // nothing is known of what was before
	older   bool          // what is known is so old that reports begin again
	reload  bool          // of what the output "selected" is to have
}

// ledger is what one output got of the objects of one name, and what is true of them.
type ledger struct {
	output  string
	heard   []heard
	facts   []fact
	attacks []attack
	away    [][2]time.Time // when the receiver did not take messages
	until   int            // how much of what was heard has been judged
	wrong   []string
}

// errorf says what is wrong with a message, in its place.
func (l *ledger) errorf(format string, args ...any) {
	l.wrong = append(l.wrong, fmt.Sprintf(format, args...)+"\n"+l.near())
}

// repeats reports whether an attack explains that something comes that replaces what came first.
func (l *ledger) repeats(first, again time.Time) bool {
	return slices.ContainsFunc(l.attacks, func(a attack) bool {
		return a.at.Before(again) && first.Before(a.until) &&
			(a.forgot || first.After(a.at.Add(-a.again)))
	})
}

// forgotten reports whether all that was known at a time was forgotten then, or later.
func (l *ledger) forgotten(since, until time.Time) bool {
	return slices.ContainsFunc(l.attacks, func(a attack) bool {
		return (a.forgot || a.older && l.rules()) && a.until.After(since) && a.at.Before(until)
	})
}

// broughtBack reports whether what was known earlier was known again at some time between two.
func (l *ledger) broughtBack(since, until time.Time) bool {
	return slices.ContainsFunc(l.attacks, func(a attack) bool {
		return a.older && a.until.After(since) && a.at.Before(until)
	})
}

// endForgotten reports whether what came at a time was forgotten, and gone before it could come again.
func (l *ledger) endForgotten(came, gone time.Time) bool {
	return slices.ContainsFunc(l.attacks, func(a attack) bool {
		return a.forgot && a.until.After(came) && gone.Before(l.calm(a.until))
	})
}

// calm returns when something could come, at the latest: what was done to those who send and receive
// shortly after a time is over.
func (l *ledger) calm(from time.Time) time.Time {
	for later := from; ; from = later {
		for _, a := range l.attacks {
			if a.at.Before(from.Add(slack)) && a.settled.After(later) {
				later = a.settled
			}
		}
		for _, a := range l.away {
			if a[0].Before(from.Add(slack)) && a[1].After(later) {
				later = a[1]
			}
		}
		if later.Equal(from) {
			return from.Add(slack)
		}
	}
}

// killedSince reports whether what was delivered may not be known for sure.
func (l *ledger) killedSince(since, until time.Time) bool {
	return slices.ContainsFunc(l.attacks, func(a attack) bool {
		return (a.killed || a.forgot) && a.settled.After(since) && a.at.Before(until)
	})
}

// fact returns the one of a version, nil if there was no such state.
func (l *ledger) fact(uid string, version uint64) *fact {
	for i, f := range l.facts {
		if f.uid == uid && f.version == version && version > 0 {
			return &l.facts[i]
		}
	}
	return nil
}

// made and gone return when an object began, and when it ended: zero if it has not.
func (l *ledger) made(uid string) (asked time.Time) {
	for _, f := range l.facts {
		if f.uid == uid {
			return f.asked
		}
	}
	return time.Time{}
}

func (l *ledger) gone(uid string) (f fact) {
	for _, f := range l.facts {
		if f.uid == uid && f.version == 0 {
			return f
		}
	}
	return fact{}
}

// states judges the messages about an object's states. selects says what the output is to have in
// the end; an object comes and goes as it pleases if it is not nil.
func (l *ledger) states(selects func(fact) bool) {
	before := map[string]heard{}  // by id
	present := map[string]heard{} // by uid, what the receiver has
	newest := map[string]heard{}  // by uid
	ended := map[string]heard{}   // by uid
	taken := map[string]bool{}    // ids that were answered the last time
	for i, h := range l.heard {
		l.until = i + 1
		again, was := before[h.ID]
		before[h.ID] = h
		had, has := present[h.UID]
		switch {
		case l.made(h.UID).IsZero():
			l.errorf("there was no such object: %v", h)
		case was && taken[h.ID] && !l.repeats(again.at, h.at) &&
			!(h.Op == "delete" && (has || l.killedSince(l.made(h.UID), h.at))): // each end after a state has its id
			l.errorf("it comes again, after %v: %v", again, h)
		case h.Op == "delete":
			if _, over := ended[h.UID]; !was && selects == nil && over &&
				!l.killedSince(l.made(h.UID), h.at) {
				l.errorf("it ends again: %v", h)
			}
			if selects == nil && (l.gone(h.UID).uid == "" || h.at.Before(l.gone(h.UID).asked)) {
				l.errorf("it is not gone: %v", h)
			}
			if !has && !was && !l.killedSince(l.made(h.UID), h.at) &&
				!(h.unknown && l.killedSince(h.at.Add(-untilAllIsKnown), h.at)) {
				l.errorf("the receiver does not have it: %v", h)
			}
		default:
			f := l.fact(h.UID, h.version)
			if f == nil || f.n != h.n || h.at.Before(f.asked) {
				l.errorf("there was no such state: %v with n=%s", h, h.n)
			}
			end, over := ended[h.UID]
			if over && selects == nil && !was && !l.repeats(end.at, h.at) {
				l.errorf("it has ended, with %v: %v", end, h)
			}
			for uid, other := range present {
				if uid != h.UID && !l.forgotten(other.at, h.at) && !l.repeats(other.at, h.at) &&
					!(was && l.repeats(again.at, h.at)) {
					l.errorf("%v has not ended: %v", other, h)
				}
			}
			if was {
				break
			}
			if top, any := newest[h.UID]; any && top.version > h.version && !l.repeats(top.at, h.at) {
				l.errorf("after %v comes an older one: %v", top, h)
			}
			switch {
			case h.Op == "add" && has && !l.repeats(had.at, h.at):
				l.errorf("the receiver has it, since %v: %v", had, h)
			case h.Op == "update" && !has && !l.killedSince(l.made(h.UID), h.at):
				l.errorf("the receiver does not have it: %v", h)
			case h.Op == "update" && has && h.old != had.version && !l.repeats(had.at, h.at):
				l.errorf("it does not begin at %v: %v", had, h)
			}
		}
		taken[h.ID] = h.taken
		if h.Op == "delete" {
			ended[h.UID] = h
			delete(present, h.UID)
			continue
		}
		delete(ended, h.UID)
		present[h.UID] = h
		if newest[h.UID].version < h.version {
			newest[h.UID] = h
		}
	}
	l.until = len(l.heard)
	last := l.facts[len(l.facts)-1]
	for uid, h := range present {
		if gone := l.gone(uid); gone.uid != "" && !l.endForgotten(h.at, gone.asked) &&
			(selects == nil || !l.forgotten(h.at, time.Now())) { // it may not have been selected any more
			l.errorf("it has gone at %v, and its end has not come: %v", gone.answered, h)
		}
	}
	h, has := present[last.uid]
	wanted := last.version > 0 && (selects == nil || selects(last))
	if wanted && (!has || h.version != last.version) ||
		!wanted && has && last.version > 0 && !l.forgotten(h.at, time.Now()) {
		l.errorf("in the end the receiver has %t %v", has, h)
	}
}

// reports judges the messages of a rule, which is violated by what violates is true for, for a
// while.
func (l *ledger) reports(violates func(fact) bool, lasting time.Duration) {
	before := map[string]heard{}
	open := map[string]heard{}  // by uid
	began := map[string]heard{} // by uid, the last that was violated
	taken := map[string]bool{}
	for i, h := range l.heard {
		l.until = i + 1
		again, was := before[h.ID]
		before[h.ID] = h
		violated := strings.HasSuffix(h.Type, ".violated")
		had, has := open[h.UID]
		switch {
		case l.made(h.UID).IsZero():
			l.errorf("there was no such object: %v", h)
		case was && taken[h.ID] && !l.repeats(again.at, h.at):
			l.errorf("it comes again, after %v: %v", again, h)
		case was:
		case violated && has && !l.forgotten(had.at, h.at):
			l.errorf("it is violated already, since %v: %v", had, h)
		case violated && !began[h.UID].at.IsZero() && !h.since.After(began[h.UID].since) &&
			!l.broughtBack(began[h.UID].at, h.at):
			l.errorf("it began before what has ended, %v: %v", began[h.UID], h)
		case violated && !l.violatedWithin(h.UID, l.heardOf(h.since), h.at, violates):
			l.errorf("it was not violated: %v", h)
		case violated && h.at.Before(h.since.Add(lasting)):
			l.errorf("it is reported early: %v", h)
		case !violated && !has && !l.killedSince(l.made(h.UID), h.at):
			l.errorf("nothing was violated: %v", h)
		case !violated && has && !h.since.Equal(had.since) && !l.broughtBack(had.at, h.at):
			l.errorf("it ends what began at another time, %v: %v", had, h)
		case !violated && l.stillViolated(h, violates):
			l.errorf("it is violated still: %v", h)
		}
		taken[h.ID] = h.taken
		if violated {
			open[h.UID], began[h.UID] = h, h
		} else {
			delete(open, h.UID)
		}
	}
	l.until = len(l.heard)
	last := l.facts[len(l.facts)-1]
	for uid, h := range open {
		if (uid != last.uid || last.version == 0 || !violates(last)) && !l.forgotten(h.at, time.Now()) {
			l.errorf("it is not violated any more, and its end has not come: %v", h)
		}
	}
	if _, is := open[last.uid]; last.version > 0 && violates(last) && !is {
		l.errorf("it is violated, and not reported: %s", last.uid)
	}
	l.unreported(violates, lasting)
}

// heardOf returns since when something may have happened of which those who send have heard at a
// time.
func (l *ledger) heardOf(at time.Time) time.Time {
	earliest := at.Add(-slack)
	for _, a := range l.attacks {
		if from := a.at.Add(-a.again - slack); a.settled.Add(slack).After(at) && a.at.Before(at) && from.Before(earliest) {
			earliest = from
		}
	}
	return earliest
}

// violatedWithin reports whether an object was violated at some time between two.
func (l *ledger) violatedWithin(uid string, from, to time.Time, violates func(fact) bool) bool {
	for i, f := range l.facts {
		if f.uid == uid && f.version > 0 && violates(f) && f.asked.Before(to) &&
			(i+1 == len(l.facts) || l.facts[i+1].answered.After(from)) {
			return true
		}
	}
	return false
}

// stillViolated reports whether an end comes although the object was violated at all times since
// the violation was reported.
func (l *ledger) stillViolated(h heard, violates func(fact) bool) bool {
	from := h.since // since is when they heard of it
	if heard := l.heardOf(from); heard.Before(from.Add(-slack)) {
		from = heard
	}
	for i, f := range l.facts {
		if f.uid == h.UID && f.asked.Before(h.at) && (f.version == 0 || !violates(f)) &&
			(i+1 == len(l.facts) || l.facts[i+1].asked.After(from)) {
			return false
		}
	}
	return true
}

// unreported looks for violations that have lasted for long enough, while nothing was done to
// anybody, and were not reported.
func (l *ledger) unreported(violates func(fact) bool, lasting time.Duration) {
	for i := 0; i < len(l.facts); i++ {
		f := l.facts[i]
		if f.version == 0 || !violates(f) {
			continue
		}
		j := i + 1
		for j < len(l.facts) && l.facts[j].uid == f.uid && l.facts[j].version > 0 && violates(l.facts[j]) {
			j++
		}
		if j == len(l.facts) {
			return // it is reported in the end
		}
		due, over := f.answered.Add(lasting+slack), l.facts[j].asked
		from, to := f.asked.Add(-slack), due.Add(slack)
		if i = j - 1; due.After(over) || l.disturbed(from, to) {
			continue
		}
		if !slices.ContainsFunc(l.heard, func(h heard) bool {
			return h.UID == f.uid && strings.HasSuffix(h.Type, ".violated") && h.at.After(from) && h.at.Before(over.Add(time.Minute))
		}) {
			l.errorf("it was violated from %s to %s and not reported: %s", f.answered.Format("04:05.000"),
				over.Format("04:05.000"), f.uid)
		}
	}
}

// untilAllIsKnown is how long after a kill something may be ended that was never begun, with
// finalStateUnknown: until the API server's next bookmark.
const untilAllIsKnown = 75 * time.Second

// slack is what a change may take until all have heard of it, on a machine that has much to do.
const slack = 3 * time.Second

// disturbed reports whether something was done to those who send or receive between two times.
func (l *ledger) disturbed(from, to time.Time) bool {
	return slices.ContainsFunc(l.attacks, func(a attack) bool {
		return a.settled.Add(slack).After(from) && a.at.Before(to)
	}) || slices.ContainsFunc(l.away, func(a [2]time.Time) bool {
		return a[1].Add(slack).After(from) && a[0].Before(to)
	})
}

// judge returns what is wrong.
func (l *ledger) judge(selects func(fact) bool) []string {
	slices.SortStableFunc(l.heard, func(a, b heard) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	switch l.output {
	case "judged":
		l.reports(func(f fact) bool { return f.bad }, 0)
	case "late":
		l.reports(func(f fact) bool { return f.late }, lateFor)
	case "selected":
		l.states(selects)
	default:
		l.states(nil)
	}
	return l.wrong
}

func (l *ledger) rules() bool { return l.output == "judged" || l.output == "late" }

// near returns what the receiver got last, and what the object was then.
func (l *ledger) near() string {
	var all strings.Builder
	heard := l.heard[max(0, l.until-12):l.until]
	for _, h := range heard {
		fmt.Fprintf(&all, "\t%v\n", h)
	}
	for i, f := range l.facts {
		if len(heard) == 0 || i+8 > len(l.facts) || l.facts[i+7].asked.After(heard[len(heard)-1].at) {
			fmt.Fprintf(&all, "\t%s to %s: %d of %s, bad %t, late %t, odd %t\n", f.asked.Format("04:05.000"),
				f.answered.Format("04:05.000"), f.version, f.uid, f.bad, f.late, f.odd)
		}
		if len(heard) > 0 && f.asked.After(heard[len(heard)-1].at) {
			break
		}
	}
	return all.String()
}
