package replicas

import (
	"fmt"
	"strings"
	"time"
)

// loss is a leader that was taken away.
type loss struct {
	how     ending
	replica int
	at      time.Time
	until   time.Time // when it went on, if it was frozen: with what was under way; else at
	back    time.Time // when it was begun again
}

const (
	// interval is how long before a loss a message may have come that comes again. A leader
	// publishes every two seconds; the rest is for a machine without time.
	interval = 6 * time.Second
	// overlap is how long after the first message of a successor one may come that was under way.
	overlap = time.Second
)

// missing returns what has not come of the last states.
func missing(got []*message, now map[string]truth) (all []string) {
	type of struct{ listener, name string }
	last := map[of]*message{}
	present := map[string]string{} // uids of which all has states, and no delete so far: names
	for _, m := range got {
		last[of{m.listener, m.name()}] = m
		if m.listener == "all" {
			if m.gone() {
				delete(present, m.UID)
			} else {
				present[m.UID] = m.name()
			}
		}
	}
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for name, is := range now {
		m := last[of{"all", name}]
		switch {
		case is.uid == "" && m != nil && !m.gone():
			say("all: %s is gone, and the last message is %s %s of %s", name, m.Op, m.Version, m.UID)
		case is.uid != "" && (m == nil || m.gone() || m.Version != is.version):
			say("all: %s is %s of %s, and the last message is %s", name, is.version, is.uid, show(m))
		}
		m = last[of{"selected", name}]
		switch selected := is.uid != "" && is.bad == "no"; {
		case !selected && m != nil && !m.gone():
			say("selected: %s is not any more, and the last message is %s", name, show(m))
		case selected && (m == nil || m.gone() || m.Version != is.version):
			say("selected: %s is %s, and the last message is %s", name, is.version, show(m))
		}
		m = last[of{"judged", name}]
		open := m != nil && strings.HasSuffix(m.Type, ".violated")
		if open != (is.bad == "yes") {
			say("judged: %s is bad: %q, and the last message is %s", name, is.bad, show(m))
		}
	}
	for uid, name := range present {
		if now[name].uid != uid {
			say("all: %s with the uid %s is gone, and no delete of it has come\n%s", name, uid,
				story(got, "all", name))
		}
	}
	return all
}

// story returns what a listener has got of a name.
func story(got []*message, listener, name string) string {
	var all strings.Builder
	for _, m := range got {
		if m.listener == listener && m.name() == name {
			fmt.Fprintf(&all, "\t%s\n", show(m))
		}
	}
	return all.String()
}

func show(m *message) string {
	if m == nil {
		return "none"
	}
	return fmt.Sprintf("%s %s %s of %s by %d at %s", m.Type[strings.LastIndexByte(m.Type, '.')+1:],
		m.Op, m.Version, m.UID, m.replica, m.at.Format("04:05.000"))
}

// disorder returns what came after something newer, and reports of rules that do not alternate.
// What comes again does so in its order, and is judged by repeated.
func disorder(got []*message) (all []string) {
	type of struct{ listener, name string }
	newest := map[of]*message{}
	ended := map[string]*message{} // by listener and uid
	report := map[string]*message{}
	had := map[string]bool{}
	for _, m := range got {
		key := of{m.listener, m.name()}
		id := m.listener + m.Type + m.ID
		again := had[id]
		had[id] = true
		if again {
			continue
		}
		if m.listener == "judged" {
			before := report[m.name()]
			if before != nil && before.Type == m.Type && before.ID != m.ID {
				all = append(all, fmt.Sprintf("judged: %s: after %s came %s", m.name(),
					show(before), show(m)))
			}
			report[m.name()] = m
			continue
		}
		if m.gone() {
			ended[m.listener+m.UID] = m
			continue
		}
		if end := ended[m.listener+m.UID]; end != nil && m.listener == "all" {
			all = append(all, fmt.Sprintf("all: %s: after %s came %s", m.name(), show(end), show(m)))
		}
		if before := newest[key]; before != nil && before.version() > m.version() {
			all = append(all, fmt.Sprintf("%s: %s: after %s came %s", m.listener, m.name(),
				show(before), show(m)))
		} else {
			newest[key] = m
		}
	}
	return all
}

// repeated returns how many messages came again, and those that nothing explains.
func repeated(got []*message, losses []loss) (explained int, all []string) {
	first := map[string]*message{}
	for _, m := range got {
		key := m.listener + " " + m.Type + " " + m.ID
		before := first[key]
		if before == nil {
			first[key] = m
			continue
		}
		if before.Op == m.Op && explains(losses, before, m) {
			explained++
			continue
		}
		if before.Op == m.Op {
			all = append(all, fmt.Sprintf("%s: %s: after %s came %s", m.listener, m.name(),
				show(before), show(m)))
		}
	}
	return explained, all
}

// explains reports whether a leader was taken away between two messages that are the same, soon
// after the first. What may have been delivered by one that did not end in order stays in doubt
// for longer.
func explains(losses []loss, first, again *message) bool {
	for _, l := range losses {
		if l.how != asked && again.Unknown && l.at.Before(first.at) {
			return true
		}
		if l.how != asked && first.at.Before(l.until.Add(overlap)) && again.at.After(l.at) &&
			l.at.Sub(first.at) < interval {
			return true
		}
	}
	return false
}

// together returns messages of a replica about what its successor had begun with before. What one
// replica at a time works on is a unit.
func together(got []*message, losses []loss, unit func(*message) string) (all []string) {
	for _, l := range losses {
		last, begun := map[string]*message{}, map[string]*message{}
		for _, m := range got {
			switch of := unit(m); {
			case m.at.Before(l.at):
				last[of] = m
			case !l.back.IsZero() && m.at.After(l.back):
			case last[of] == nil || last[of].replica != l.replica: // it had another one
			case m.replica != l.replica && begun[of] == nil:
				begun[of] = m
			case begun[of] != nil && m.replica == l.replica && m.at.After(begun[of].at.Add(overlap)):
				all = append(all, fmt.Sprintf("%v of %d: its successor has begun with %s, and then came %s",
					l.how, l.replica, show(begun[of]), show(m)))
			}
		}
	}
	return all
}

// apart has each object of a name be known by its uid as well, since with shards by object nothing is
// in order between them. The objects that there were and are not any more get a truth, too.
func apart(got []*message, now map[string]truth) (renamed []*message, all map[string]truth) {
	all = map[string]truth{}
	for _, m := range got {
		other := *m
		other.Subject += "@" + m.UID
		renamed = append(renamed, &other)
		all[other.name()] = truth{}
	}
	for name, is := range now {
		if is.uid != "" {
			all[name+"@"+is.uid] = is
		}
	}
	return renamed, all
}
