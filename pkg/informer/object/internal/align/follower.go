package align

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/delta"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// This file reads an object against its own last state. Both differ from the base in the same
// places, most of them: a replica's name and addresses are its own in each of its states. To read
// those differences again is most of what it takes to read an update against the base. But the last
// state is valid, and its operations say piece by piece what it has of the base. So the text is
// compared with these pieces, one after the other, or with the whole base if there is no last state
// that was packed:
//
//	base  {"status":{"podIP":"10.1.0.1","startTime":"08:15"}}
//	last  {"status":{"podIP":"10.1.7.9","startTime":"08:30"}}
//	text  {"status":{"podIP":"10.1.7.9","startTime":"11:02"}}
//	                                                ~~~~~ read
//
// Where it differs within a string, number or word that is a value, or right behind the beginning
// of a container, the rest of that is read, and the reader goes on behind it in both. Up to there
// both have the same tokens, but for the contents of values, so that they are in the same state of
// the grammar and one is as valid as the other. Whether a place is within a string shows in the
// number of quotes before it. All other differences are left to the reader that needs no last
// state.

const (
	// differCost is what it takes to go on behind a difference, in bytes that could have been read
	// for it.
	differenceCost = 120
	// maxPassed is about how much of the last state is passed over because the text has something
	// else there.
	maxSkipped = 1 << 10
	// maxLevels bounds how deep an object nests that is followed, but for what its base nests
	// deeper.
	MaxFollowedDepth = 256
)

// lastState is the last state of an object, as far as it is known.
type LastState struct {
	Base   *Base // nil if there is none
	Packed bool  // or else it is the base itself
	// Of one that is packed:
	Delta                     delta.Decoder
	Spec, Status, Size, Depth int
	Fields                    string
}

// begin takes what there is to follow. It reports whether there is something.
func (f *Follower) Begin(r *Aligner, i int, last *LastState) bool {
	f.aligner, f.At, f.unquoted, f.from = r, i, i, i
	b := r.Base
	if last.Base == b && last.Depth > 0 && last.Spec > 0 {
		f.Decoder, f.status, f.size, f.Depth = last.Delta, last.Status, last.Size, last.Depth
		for at := last.Spec; ; {
			if f.lastAt+len(f.piece) > at {
				f.skip(at - f.lastAt)
				return true
			}
			f.lastAt += len(f.piece)
			f.piece = f.Next()
		}
	}
	if b.Depth == 0 || b.Spec == 0 {
		return false
	}
	f.lastAt, f.piece, f.status, f.size, f.Depth = int(b.Spec), b.Text[b.Spec:], int(b.Status),
		len(b.Text), int(b.Depth)
	f.BaseEnd = f.size
	return true
}

// run follows from where begin was told. It reports whether that was to the end.
func (f *Follower) Run() (all bool) {
	f.checkpoint(f.from)
	all = f.compare(f.from)
	f.aligner.Matches = f.aligner.Matches[:f.validMatches]
	if f.validMatches > 0 {
		f.aligner.Matches[f.validMatches-1] = f.validMatch
	}
	return all
}

// follower goes through a text and the last state, or base, that it follows.
type Follower struct {
	delta.Decoder
	aligner  *Aligner
	from     int    // where it began
	At       int    // place in the text
	unquoted int    // a place before that, which is outside of strings
	lastAt   int    // place in the JSON of the last state
	piece    string // what that has there, to the end of an operation
	size     int    // of that JSON
	// Where the value of status begins in it, and in the text.
	status, NewStatus int
	// Up to here, all is as in the last state, whatever comes: a place of the text, how many
	// matches there are before it, and the last one of them.
	Valid, validMatches int
	validMatch          Match
	// how deep the text nests at most: as deep as the last state, and the containers that it has
	// more
	Depth       int
	differences int // values so far
}

// mark notes that place.
func (f *Follower) checkpoint(at int) {
	f.Valid = at
	if f.validMatches = len(f.aligner.Matches); f.validMatches > 0 {
		f.validMatch = f.aligner.Matches[f.validMatches-1]
	}
}

// behindSpec returns the place behind the value of spec, if status is next.
func (f *Follower) BehindSpec() int {
	s := f.aligner.Text[:f.NewStatus]
	s = s[:strings.LastIndexByte(s, '"')]
	s = s[:strings.LastIndexByte(s, '"')]
	return strings.LastIndexByte(s, ',')
}

// rest follows the last state to its end, from a place of the text on.
func (f *Follower) compare(from int) bool {
	s := f.aligner.Text
	for {
		n := len(f.piece)
		if n > len(s)-f.At || s[f.At:f.At+n] != f.piece {
			n = jsontext.CommonPrefix(s[f.At:], f.piece)
		}
		if here := f.status - f.lastAt; here >= 0 && here <= n && f.NewStatus == 0 && f.status > 0 {
			f.NewStatus = f.At + here
			f.unquoted = f.NewStatus
			if !f.IsLiteral {
				f.aligner.addMatch(f.At, f.BaseEnd-len(f.piece), here)
			}
			f.checkpoint(f.NewStatus)
		}
		if !f.IsLiteral {
			f.aligner.addMatch(f.At, f.BaseEnd-len(f.piece), n)
		}
		f.At += n
		f.skip(n)
		switch {
		case f.lastAt == f.size:
			f.checkpoint(f.At)
			return true
		case f.piece == "" && f.refill():
		case f.piece == "" || !f.passDifference(f.At-from):
			return false
		}
	}
}

// pass passes bytes of the last state's piece.
func (f *Follower) skip(n int) { f.lastAt, f.piece = f.lastAt+n, f.piece[n:] }

// differ goes on behind the value within which the two differ, when so many bytes have been
// followed. It reports whether there is such a value, and what the text has is valid.
func (f *Follower) passDifference(followed int) (ok bool) {
	s := f.aligner.Text
	if f.differences++; f.differences*differenceCost > baseCredit+followed {
		return false
	}
	// It must be neither within an escape nor within a rune.
	if s[f.At-1] >= 0x80 || strings.IndexByte(s[f.At-6:f.At], '\\') >= 0 {
		return false
	}
	var end int
	switch before := s[f.At-1]; {
	case f.inString():
		if end = jsontext.ASCIIRun(s, f.At); end == len(s) || s[end] != '"' || !f.skipString() {
			return false
		}
		end++
	case before == '{' || before == '[':
		end, ok = f.scanContainer(f.At - 1)
		if !ok || !f.skipContainer() {
			return false
		}
	default:
		from := f.At
		for isScalarByte(s[from-1]) {
			from--
		}
		if from == len(s) {
			return false
		}
		var err error
		if end, err = scan.Scalar(s, from); err != nil || end < f.At || !f.skipScalar(from) {
			return false
		}
	}
	f.At = end
	f.unquoted = f.At
	return true
}

// inString reports whether the place in the text, up to which it is as valid as the last state, is
// within a string.
func (f *Follower) inString() bool {
	s := f.aligner.Text[f.unquoted:f.At]
	if strings.IndexByte(s, '\\') < 0 {
		return strings.Count(s, `"`)%2 == 1
	}
	for {
		at := strings.IndexByte(s, '"')
		if at < 0 {
			return false
		}
		end := jsontext.StringEnd(s, at)
		if end == len(s) && (s[end-1] != '"' || end == at+1) {
			return true
		}
		s = s[end:]
	}
}

// passString goes behind the last state's string. It reports whether that is a value, and has no
// escapes.
func (f *Follower) skipString() bool {
	for {
		n := jsontext.UnescapedRun(f.piece, 0)
		if f.skip(n); f.piece != "" {
			break
		}
		if !f.refill() {
			return false
		}
	}
	closes := f.piece[0] == '"'
	for f.skip(1); f.piece == ""; {
		if !f.refill() {
			return false
		}
	}
	next := f.piece[0]
	return closes && (next == ',' || next == '}' || next == ']') // and no colon
}

// passScalar goes behind the last state's number or word. It reports whether there is one, which
// begins where the text's at from does.
func (f *Follower) skipScalar(from int) bool {
	length := f.At - from
	for {
		n := 0
		for n < len(f.piece) && isScalarByte(f.piece[n]) {
			n++
		}
		length += n
		if f.skip(n); f.piece != "" {
			return length > 0
		}
		if !f.refill() {
			return false
		}
	}
}

// container reads the one at i: it may have more in it, or other things, than that of the last
// state.
func (f *Follower) scanContainer(i int) (end int, ok bool) {
	r := f.aligner
	deepest, noting := r.Depth, r.KeepExtents
	r.Depth, r.KeepExtents = 0, false
	end, err := r.Value(r.Text, i, 0)
	f.Depth += r.Depth
	r.Depth, r.KeepExtents = deepest, noting
	return end, err == nil && f.Depth < MaxFollowedDepth
}

// passContainer goes behind the end of the last state's container.
func (f *Follower) skipContainer() bool {
	open, most := 1, f.lastAt+maxSkipped
	for inString := false; f.lastAt < most; {
		if f.piece == "" && !f.refill() {
			return false
		}
		n := 0
		for n < len(f.piece) && open > 0 {
			switch c := f.piece[n]; {
			case c == '\\':
				return false
			case c == '"':
				inString = !inString
			case inString:
			case c == '{' || c == '[':
				open++
			case c == '}' || c == ']':
				open--
			}
			n++
		}
		if f.skip(n); open == 0 {
			return true
		}
	}
	return false
}

// refill takes the next piece, if there is one.
func (f *Follower) refill() bool {
	if f.Remaining <= 0 {
		return false
	}
	f.piece = f.Next()
	return true
}

// inScalar reports whether numbers and words may have the byte.
func isScalarByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' ||
		c == 'E'
}
