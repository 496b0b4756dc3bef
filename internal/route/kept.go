package route

import (
	"sync/atomic"

	"github.com/informerd/informerd/pkg/informer"
)

// maxKept is how many bytes that handlers made wait for a retry at most.
const maxKept = 32 << 20

// kept counts the bytes that handlers made and that wait for a retry with their events. Objects are
// not counted, as they are what the event has anyway.
//
// An event's bytes are released when it is delivered again. If the source drops the event, that
// never happens, and its bytes stay counted. Sources drop events only when they stop: the daemon
// removes a listener's registrations before its route runs, and nothing may remove one while it
// does.
type kept struct{ bytes atomic.Int64 }

// keep reports whether there is room for the rest of an event. If not, its retry begins again, with
// the handler.
func (k *kept) keep(left *unsent, count func(uint64) uint64) bool {
	size := left.size()
	if k.bytes.Add(size) <= maxKept {
		return true
	}
	k.bytes.Add(-size)
	count(1)
	return false
}

// release takes the rest of a delivery, if there is one.
func (k *kept) release(d *informer.Delivery) unsent {
	left, _ := d.Progress.(unsent)
	d.Progress = nil
	k.bytes.Add(-left.size())
	return left
}

func (u *unsent) size() (bytes int64) {
	for i := range u.messages {
		bytes += int64(len(u.messages[i].Data))
	}
	return bytes
}
