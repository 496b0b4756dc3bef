package conformance

import (
	"fmt"
	"strings"
)

// script is what happens to the server while a client follows it. The first step happens before the
// client starts.
type script struct {
	// streams: the server streams first lists (WatchList), and refuses to otherwise.
	streams bool
	steps   []step
}

// step happens at one moment, while the client rests; then the client gets as much time as it needs
// to rest again.
type step struct {
	join    bool // another listener comes, before all else
	streams flip
	changes []change
	compact bool // the server forgets what was before; what is sent below it still knows
	// running is how the watch that runs gets to know of the changes.
	running play
	// refuse is how many of the next connections are refused.
	refuse int
	// snapshots, pages and watches answer the next requests: for a list, paged or streamed; for its
	// further pages; for a watch. Later requests are answered well.
	snapshots, pages, watches []answer
}

// flip changes whether the server streams lists.
type flip int

const (
	keep flip = iota
	streamsOn
	streamsOff
)

// play is how frames are put on a stream, and how that ends.
type play struct {
	doubled  bool // each frame twice
	stranger bool // an object of another kind before the frames
	bookmark bool // one after the frames
	end      ending
	after    int // the frames before the end, where it is neither endCut nor endNever
	bytes    int // endCut: the bytes of the response from now on; endHalf: of the frame
}

// ending is how a stream ends.
type ending int

const (
	endNever ending = iota
	endClean
	endLater   // cleanly, after two seconds
	endCut     // the connection breaks
	endHalf    // a part of a frame, then cleanly
	endGone    // an ERROR frame of 410
	endBusy    // of 429
	endBroken  // of 500
	endUnknown // a frame of unknown type
	endNoJSON  // a frame that is none
)

var endingNames = [...]string{
	endNever: "open", endClean: "closed", endLater: "closed later", endCut: "cut",
	endHalf: "half frame", endGone: "error 410",
	endBusy: "error 429", endBroken: "error 500", endUnknown: "unknown type", endNoJSON: "no JSON",
}

// answer is how one request is answered.
type answer struct {
	refusal refusal
	// happen when the request has arrived, before it is answered; of a streamed list, while it is
	late  []change
	stale int // a list that is this many versions old
	// a streamed list whose end is never marked; from then on the server streams none
	noEnd bool
	play  play // of a list in pages, only how it ends
}

// refusal is an answer that is neither a list nor a watch.
type refusal int

const (
	answered refusal = iota
	noAnswer         // the connection breaks before the answer is complete enough to be one
	expired          // 410, as servers say it
	gone             // 410, as servers before 1.18 said it
	tooLarge
	busy
	busyFor // 429 with Retry-After
	broken  // 500
	invalid // 422, of a streamed list only
)

var refusalNames = [...]string{
	answered: "answered", noAnswer: "no answer", expired: "410 Expired", gone: "410 Gone",
	tooLarge: "504 too large", busy: "429",
	busyFor: "429 Retry-After", broken: "500", invalid: "422",
}

func (s script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the server streams lists: %t\n", s.streams)
	for i, st := range s.steps {
		fmt.Fprintf(&b, "step %d: %s\n", i, st)
	}
	return b.String()
}

func (s step) String() string {
	var parts []string
	add := func(when bool, format string, args ...any) {
		if when {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(s.join, "a listener joins")
	add(s.streams == streamsOn, "the server begins to stream lists")
	add(s.streams == streamsOff, "the server stops to stream lists")
	add(len(s.changes) > 0, "%s", changesText(s.changes))
	add(s.compact, "compact")
	add(s.running != play{}, "the watch: %s", s.running)
	add(s.refuse > 0, "refuse %d connections", s.refuse)
	for _, next := range []struct {
		what    string
		answers []answer
	}{{"lists", s.snapshots}, {"pages", s.pages}, {"watches", s.watches}} {
		for i, a := range next.answers {
			add(true, "%s[%d]: %s", next.what, i, a)
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, "; ")
}

func changesText(changes []change) string {
	var texts []string
	for _, c := range changes {
		texts = append(texts, c.String())
	}
	return strings.Join(texts, ", ")
}

func (p play) String() string {
	var parts []string
	for _, is := range []struct {
		set  bool
		name string
	}{{p.doubled, "doubled"}, {p.stranger, "stranger"}, {p.bookmark, "bookmark"}} {
		if is.set {
			parts = append(parts, is.name)
		}
	}
	switch p.end {
	case endNever:
	case endCut:
		parts = append(parts, fmt.Sprintf("cut after %d bytes", p.bytes))
	case endHalf:
		parts = append(parts, fmt.Sprintf("after %d frames %d bytes of one", p.after, p.bytes))
	default:
		parts = append(parts, fmt.Sprintf("after %d frames %s", p.after, endingNames[p.end]))
	}
	return strings.Join(parts, " ")
}

func (a answer) String() string {
	var parts []string
	if len(a.late) > 0 {
		parts = append(parts, "meanwhile "+changesText(a.late))
	}
	if a.refusal != answered {
		return strings.Join(append(parts, refusalNames[a.refusal]), " ")
	}
	if a.stale > 0 {
		parts = append(parts, fmt.Sprintf("%d versions old", a.stale))
	}
	if a.noEnd {
		parts = append(parts, "without an end")
	}
	if p := a.play.String(); p != "" {
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return "ok"
	}
	return strings.Join(parts, " ")
}
