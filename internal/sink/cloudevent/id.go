package cloudevent

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// stateID names the state that ev tells of. The recipe is in the package doc; receivers rely on it.
func (s *Source) stateID(ev event.Event) string {
	state := "present"
	if ev.Op == event.Delete {
		state = "absent"
	}
	o := ev.Object
	return hash(s.cluster, s.resource, o.Namespace(), o.Name(), o.UID(), o.ResourceVersion(), state)
}

func (s *Source) emittedID(ev event.Event, typ string, index int) string {
	return hash(s.stateID(ev), s.listener, typ, strconv.Itoa(index))
}

// ruleID names what a rule reports, and not the object's state: it may be offered again with a
// later one.
func (s *Source) ruleID(o *object.Object, typ string, r RuleState, since string) string {
	parts := []string{s.cluster, s.resource, o.Namespace(), o.Name(), o.UID(), s.listener, typ,
		r.Rule, since}
	if r.Repeats > 0 {
		parts = append(parts, strconv.Itoa(r.Repeats))
	}
	return hash(parts...)
}

// hash writes each part as a netstring, so that no two lists of parts give the same bytes.
func hash(parts ...string) string {
	buf := make([]byte, 0, 256)
	for _, p := range parts {
		buf = strconv.AppendInt(buf, int64(len(p)), 10)
		buf = append(buf, ':')
		buf = append(buf, p...)
		buf = append(buf, ',')
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:16])
}
