package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube/lease"
)

// writer is a lease.Record.
type writer interface {
	Write(context.Context, lease.Content) error
}

// publisher writes what a keeper publishes. Make one with newPublisher.
type publisher struct {
	ctx     context.Context // ends when the replica does not lead any more
	record  writer
	latest  map[string][]byte // as the keeper has published it
	written map[string][]byte // as it was written
	tooMuch map[string]bool   // listeners of which something older is kept
	log     *slog.Logger
}

// newPublisher returns a publisher for a record that has this data.
func newPublisher(ctx context.Context, record writer, data map[string][]byte,
	log *slog.Logger) *publisher {
	p := &publisher{ctx: ctx, record: record, latest: map[string][]byte{}, written: data,
		tooMuch: map[string]bool{}, log: log}
	maps.Copy(p.latest, data)
	return p
}

// publish implements what keeper.Publish asks for.
func (p *publisher) publish(segments map[string][]byte, final bool) error {
	for name, segment := range segments {
		if segment != nil {
			p.latest[name] = pack(segment)
			continue
		}
		delete(p.latest, name)
		delete(p.tooMuch, name)
	}
	data, all := p.fit()
	// A listener of which something older is kept has done more after that.
	err := p.record.Write(p.ctx, lease.Content{Data: data, Final: final && all})
	if err == nil {
		p.written = data
	}
	return err
}

// fit returns what the keeper has published last of each listener, but what was written before of
// as few as it takes. all reports whether that is none.
func (p *publisher) fit() (data map[string][]byte, all bool) {
	data = maps.Clone(p.latest)
	total := 0
	for name, segment := range data {
		total += len(name) + len(segment)
	}
	saved := func(name string) int {
		if before, had := p.written[name]; had {
			return len(p.latest[name]) - len(before)
		}
		return len(p.latest[name]) + len(name)
	}
	most := slices.SortedFunc(maps.Keys(p.latest), func(a, b string) int {
		return cmp.Or(cmp.Compare(saved(b), saved(a)), cmp.Compare(a, b))
	})
	for _, name := range most {
		tooMuch := total > lease.MaxRecord && saved(name) > 0
		p.note(name, len(p.latest[name]), tooMuch)
		if !tooMuch {
			continue
		}
		total -= saved(name)
		if data[name] = p.written[name]; data[name] == nil {
			delete(data, name)
		}
	}
	return data, !slices.Contains(slices.Collect(maps.Values(p.tooMuch)), true)
}

// note logs when there begins to be too much of a listener, and when that ends.
func (p *publisher) note(name string, size int, tooMuch bool) {
	if tooMuch == p.tooMuch[name] {
		return
	}
	p.tooMuch[name] = tooMuch
	if tooMuch {
		p.log.Warn("the listener has more unfinished than a standby can be told: if another replica takes over now, more of it comes again",
			"listener", name, "bytes", size)
		return
	}
	p.log.Info("standbys know again how far the listener is", "listener", name)
}

var (
	packer, _   = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	unpacker, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(maxSegment))
)

// maxSegment is how large a segment may be that is read.
const maxSegment = 256 << 20

func pack(segment []byte) []byte { return packer.EncodeAll(segment, nil) }

// unpack returns the segments of a record, and what they say.
func unpack(data map[string][]byte) (segments map[string][]byte,
	listeners map[string]*keeper.Progress, err error) {
	segments, listeners = map[string][]byte{}, map[string]*keeper.Progress{}
	var errs []error
	for name, packed := range data {
		segment, err := unpacker.DecodeAll(packed, nil)
		if err == nil {
			listeners[name], err = keeper.ReadProgress(segment)
		}
		if err != nil {
			delete(listeners, name)
			errs = append(errs, fmt.Errorf("listener %q: %w", name, err))
			continue
		}
		segments[name] = segment
	}
	return segments, listeners, errors.Join(errs...)
}
