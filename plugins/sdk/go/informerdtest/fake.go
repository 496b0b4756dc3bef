//go:build !wasip1

package informerdtest

import (
	"encoding/json"
	"math/rand/v2"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// The host's statuses.
const (
	notFound    = -1
	badArgument = -2
	denied      = -3
	quota       = -4
	unavailable = -5
	wrongPhase  = -6
)

// phase is the export in which the guest is running.
type phase int

const (
	configuring phase = iota
	idle
	batch // on_batch, with no current event
	event
)

// fake is the host's side of one guest, built on encoding/json. It implements host.Host.
type fake struct {
	host     *Host
	config   string
	phase    phase
	paths    [][]string // steps: member names and [n]
	prefetch prefetch
	event    Event
	batch    batchState
	result   Result // of the current event
	random   *rand.ChaCha8
	answer   *Answer // to the last request for this event
	readers  []*reader
}

func newFake(h *Host, config string) *fake {
	return &fake{host: h, config: config, random: newRandom(h.seed)}
}

// begin makes e the current event.
func (f *fake) begin(e Event, now phase) {
	if e.Op == 0 {
		e.Op = informerd.Add
	}
	f.event, f.phase, f.result = e, now, Result{}
	f.writePrefetched()
}

// end releases what belongs to the current event.
func (f *fake) end() {
	f.event, f.phase, f.answer, f.readers = Event{}, idle, nil, nil
}

// arguments returns the arguments of on_event.
func (f *fake) arguments() (op, flags, objectLen, oldLen uint32) {
	for bit, set := range []bool{f.event.Initial, f.event.FinalStateUnknown, f.event.Missed,
		f.event.Resumed} {
		if set {
			flags |= 1 << bit
		}
	}
	return uint32(f.event.Op), flags, uint32(len(f.event.Object)), uint32(len(f.event.Old))
}

// object returns the text of the object or of the old one, "" if there is none.
func (f *fake) object(which uint32) string {
	if which == 0 {
		return f.event.Object
	}
	return f.event.Old
}

func (f *fake) EventObject(which, off uint32, buf []byte) int32 {
	if f.phase != event {
		return wrongPhase
	}
	text := f.object(which)
	if text == "" {
		return notFound
	}
	return int32(copy(buf, text[min(int(off), len(text)):]))
}

func (f *fake) EventPath(path string) int32 {
	if f.phase != configuring {
		return wrongPhase
	}
	steps, err := parsePath(path)
	if err != nil {
		return badArgument
	}
	f.paths = append(f.paths, steps)
	return int32(len(f.paths) - 1)
}

func (f *fake) EventField(which, handle uint32, buf []byte) int64 {
	if f.phase != event {
		return wrongPhase
	}
	f.result.FieldCalls++
	return f.field(f.object(which), handle, buf)
}

func (f *fake) EventChanged(handle uint32) int32 {
	if f.phase != event {
		return wrongPhase
	}
	now := string(lookup(f.event.Object, f.paths[handle]))
	changed := now != ""
	switch f.event.Op {
	case informerd.Update:
		changed = now != string(lookup(f.event.Old, f.paths[handle]))
	case informerd.Resync:
		changed = false
	}
	if changed {
		return 1
	}
	return 0
}

func (f *fake) ResultEmit(kind int32, text []byte) int32 {
	if f.phase != event {
		return wrongPhase
	}
	var e Emission
	if kind == 2 {
		e.Data = append(e.Data, text...)
	} else if err := json.Unmarshal(text, &e); err != nil || e.Type == "" {
		return badArgument
	}
	f.result.Emitted = append(f.result.Emitted, e)
	return 0
}

func (f *fake) ResultError(reason string) { f.result.Message = reason }

func (f *fake) ConfigGet(buf []byte) int32 {
	config := f.config
	if config == "" {
		config = "{}"
	}
	return copyWhole(buf, config)
}

func (f *fake) Log(_ int32, line string) { f.result.Log = append(f.result.Log, line) }

func (f *fake) LogEnabled(int32) int32 { return 1 }

// copyWhole copies a text whole or not at all, and returns its length.
func copyWhole[T string | []byte](buf []byte, text T) int32 {
	if len(text) <= len(buf) {
		copy(buf, text)
	}
	return int32(len(text))
}

var _ host.Host = (*fake)(nil)
