package nats

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	natsgo "github.com/nats-io/nats.go"
)

// denials are the subjects that the server did not allow to be published to. It reports them after
// the fact, and without naming the message. The zero value is empty.
type denials struct {
	mu       sync.Mutex
	subjects map[string]bool
	last     error         // that was added
	added    chan struct{} // closed when one is added
}

// maxDenials bounds how many subjects are kept.
const maxDenials = 10_000

// add takes note of an error of the server.
func (d *denials) add(err error) {
	if !errors.Is(err, natsgo.ErrPermissionViolation) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, quoted, ok := strings.Cut(err.Error(), `Publish to `); ok &&
		len(d.subjects) < maxDenials {
		if prefix, failed := strconv.QuotedPrefix(quoted); failed == nil {
			if subject, failed := strconv.Unquote(prefix); failed == nil {
				if d.subjects == nil {
					d.subjects = map[string]bool{}
				}
				d.subjects[subject] = true
			}
		}
	}
	d.last = err
	if d.added != nil {
		close(d.added)
		d.added = nil
	}
}

// forget forgets all subjects.
func (d *denials) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.subjects)
}

// has reports whether a subject was denied since forget.
func (d *denials) has(subject string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.subjects[subject]
}

// await waits until what the client has read from the server was added.
func (d *denials) await(ctx context.Context, client *natsgo.Conn) error {
	for {
		read := client.LastError()
		d.mu.Lock()
		if !errors.Is(read, natsgo.ErrPermissionViolation) || d.last == read {
			d.mu.Unlock()
			return nil
		}
		if d.added == nil {
			d.added = make(chan struct{})
		}
		added := d.added
		d.mu.Unlock()
		select {
		case <-added:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
