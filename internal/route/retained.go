package route

import (
	"sync/atomic"

	"github.com/informerd/informerd/pkg/informer"
)

// maxRetained is how many bytes that handlers made may wait for a retry.
const maxRetained = 32 << 20

// retained counts the bytes that handlers made and that wait for a retry with their events. Objects
// are not counted, since the events refer to them anyway.
//
// An event's bytes are released when it is delivered again. If the subscription drops the event,
// its bytes stay counted. Subscriptions drop events only when they stop: the daemon removes a
// listener's registrations only while its route does not run.
type retained struct{ bytes atomic.Int64 }

// retain reports whether there is room for the rest of an event, and counts it if so. Otherwise the
// event's retry begins with the handler.
func (r *retained) retain(rest *unsent, count func(uint64) uint64) bool {
	size := rest.size()
	if r.bytes.Add(size) <= maxRetained {
		return true
	}
	r.bytes.Add(-size)
	count(1)
	return false
}

// release returns the rest of a delivery's event, and takes it off the count. It is zero if the
// event begins.
func (r *retained) release(d *informer.Delivery) unsent {
	rest, _ := d.Progress.(unsent)
	d.Progress = nil
	r.bytes.Add(-rest.size())
	return rest
}

func (u *unsent) size() (bytes int64) {
	for i := range u.messages {
		bytes += int64(len(u.messages[i].Data))
	}
	return bytes
}
