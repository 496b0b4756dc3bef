package cloudevent

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"strconv"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// stateID returns the id of the state that ev reports. The recipe is in the package doc; receivers
// rely on it.
func (b *Builder) stateID(ev *event.Event) string {
	state := "present"
	if ev.Op == event.Delete {
		state = "absent"
	}
	o := ev.Object
	return sumOf(appendParts(append(make([]byte, 0, 256), b.idPrefix...), o.Namespace(), o.Name(),
		o.UID(), o.ResourceVersion(), state))
}

func (b *Builder) emittedID(ev *event.Event, typ string, index int) string {
	return hash(b.stateID(ev), b.origin.Listener, typ, strconv.Itoa(index))
}

// ruleID returns the id of a rule's report. It does not depend on the object's state, since the
// report may be offered again with a later one.
func (b *Builder) ruleID(o *object.Object, typ string, r *sink.Report, since string) string {
	parts := []string{b.origin.Cluster, b.origin.Resource, o.Namespace(), o.Name(), o.UID(),
		b.origin.Listener, typ,
		r.Rule, since}
	if r.Repeats > 0 {
		parts = append(parts, strconv.Itoa(r.Repeats))
	}
	return hash(parts...)
}

// hash writes each part as a netstring, so that different lists of parts never have the same bytes.
func hash(parts ...string) string {
	return sumOf(appendParts(make([]byte, 0, 256), parts...))
}

func appendParts(dst []byte, parts ...string) []byte {
	for _, p := range parts {
		dst = strconv.AppendInt(dst, int64(len(p)), 10)
		dst = append(dst, ':')
		dst = append(dst, p...)
		dst = append(dst, ',')
	}
	return dst
}

func sumOf(parts []byte) string {
	sum := sha256.Sum256(parts)
	var text [2 * 16]byte
	hex.Encode(text[:], sum[:16])
	return string(text[:])
}

// DeliveryID returns an id for receivers that find duplicates by one id alone. A message's own id
// is about the object's state: what several listeners, or outputs, send about it has the same one.
// The id here begins with it, and differs by its source and by the texts that are given, such as
// the name of the output.
func DeliveryID(m *sink.Message, texts ...string) string {
	digest := fnv.New64a()
	_, _ = digest.Write([]byte(m.Origin.Source)) // it never fails
	for _, text := range texts {
		_, _ = digest.Write([]byte{0})
		_, _ = digest.Write([]byte(text))
	}
	return m.ID + "-" + strconv.FormatUint(digest.Sum64(), 16)
}
