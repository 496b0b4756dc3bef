package align

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/delta"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

const (
	// differenceCost is the cost of continuing after a difference, in bytes that could have been
	// read instead.
	differenceCost = 120
	// maxSkipped is about how much of a container of the last state is skipped.
	maxSkipped = 1 << 10
	// MaxFollowedDepth is the depth below which an object can be followed.
	MaxFollowedDepth = 256
)

// LastState is the last known state of an object. The zero LastState is that of an unknown object.
type LastState struct {
	Base *Base // nil if there is none
	// Packed says that the state is packed and Base is what it refers to. Else the state is the
	// base itself, and the fields below are not set.
	Packed bool
	Delta  delta.Decoder
	Fields string // checksums of fieldsV1 values that the base does not have
	// Spec and Status are the places of these values in the JSON, 0 if there is none; Size is its
	// length and Depth how deep it nests, 0 if it cannot be followed.
	Spec, Status, Size, Depth int
}

// Follower compares a text with the last state of the object, or with the base if that state is not
// packed.
type Follower struct {
	delta.Decoder // of the last state
	a             *Aligner
	start         int
	At            int    // place in the text
	unquoted      int    // a place before At that is outside of strings
	lastAt        int    // place in the JSON of the last state
	piece         string // of the last state from lastAt on, to the end of an operation
	size          int    // of the JSON of the last state
	status        int    // place of the value of status in the last state
	NewStatus     int    // place of the value of status in the text, once it was reached

	// Valid is the last checkpoint: up to there the text is valid, and has the
	// tokens of the last state. validMatches is the number of matches up to there, and validMatch
	// is the last of them.
	Valid, validMatches int
	validMatch          Match

	Depth       int // at most: of the last state, and of the containers that replaced empty ones
	differences int // so far
}

// Begin prepares to follow the last state from the value of spec on, which is at i in the text. It
// reports whether there is something to follow. last may be nil.
func (f *Follower) Begin(a *Aligner, i int, last *LastState) bool {
	f.a, f.At, f.unquoted, f.start = a, i, i, i
	b := a.Base
	if last != nil && last.Base == b && last.Depth > 0 && last.Spec > 0 {
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

// Run compares the texts. It reports whether it got to the end of both; else the text is read up to
// Valid.
func (f *Follower) Run() (all bool) {
	f.checkpoint(f.start)
	all = f.compare(f.start)
	f.a.Matches = f.a.Matches[:f.validMatches]
	if f.validMatches > 0 {
		f.a.Matches[f.validMatches-1] = f.validMatch
	}
	return all
}

// Wasted reports whether too much was compared after the last checkpoint.
func (f *Follower) Wasted() bool { return f.At-f.Valid > (f.Valid-f.start)/4 }

// checkpoint records that the text is valid up to place at.
func (f *Follower) checkpoint(at int) {
	f.Valid = at
	if f.validMatches = len(f.a.Matches); f.validMatches > 0 {
		f.validMatch = f.a.Matches[f.validMatches-1]
	}
}

// SpecEnd returns the end of the value of spec, with the white space after it, if status is next.
func (f *Follower) SpecEnd() int {
	s := f.a.Text[:f.NewStatus]
	s = s[:strings.LastIndexByte(s, '"')]
	s = s[:strings.LastIndexByte(s, '"')]
	return strings.LastIndexByte(s, ',')
}

// compare compares the text with the last state up to its end. It reports whether it got there.
// from is where it begins in the text.
func (f *Follower) compare(from int) bool {
	s := f.a.Text
	for {
		n := len(f.piece)
		if n > len(s)-f.At || s[f.At:f.At+n] != f.piece {
			n = jsontext.CommonPrefix(s[f.At:], f.piece)
		}
		if ahead := f.status - f.lastAt; ahead >= 0 && ahead <= n && f.NewStatus == 0 &&
			f.status > 0 {
			f.NewStatus = f.At + ahead
			f.unquoted = f.NewStatus
			if !f.IsLiteral {
				f.a.addMatch(f.At, f.BaseEnd-len(f.piece), ahead)
			}
			f.checkpoint(f.NewStatus)
		}
		if !f.IsLiteral {
			f.a.addMatch(f.At, f.BaseEnd-len(f.piece), n)
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

// skip skips n bytes of the piece.
func (f *Follower) skip(n int) { f.lastAt, f.piece = f.lastAt+n, f.piece[n:] }

// passDifference skips the value within which the texts differ, in both of them. followed is how
// many bytes were compared. It reports whether the difference is within a value and the value of
// the text is valid.
func (f *Follower) passDifference(followed int) (ok bool) {
	s := f.a.Text
	if f.differences++; f.differences*differenceCost > baseCredit+followed {
		return false
	}
	// A difference within an escape or a rune is left to the aligner.
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

// inString reports whether the current place of the text is within a string: an odd number of
// quotes is before it.
func (f *Follower) inString() bool {
	s := f.a.Text[f.unquoted:f.At]
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

// skipString skips the rest of the last state's string. It reports whether the string is a value
// and has no escapes there.
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
	return closes && (next == ',' || next == '}' || next == ']') // a colon is after a name
}

// skipScalar skips the rest of the last state's number or literal name. It reports whether there is
// one; the text's begins at from.
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

// scanContainer reads the container at i, which may have other values than the last state's. It
// reports whether it is valid and not too deep.
func (f *Follower) scanContainer(i int) (end int, ok bool) {
	a := f.a
	depth, keepExtents := a.Depth, a.KeepExtents
	a.Depth, a.KeepExtents = 0, false
	end, err := a.Value(a.Text, i, 0)
	f.Depth += a.Depth
	a.Depth, a.KeepExtents = depth, keepExtents
	return end, err == nil && f.Depth < MaxFollowedDepth
}

// skipContainer skips the rest of the last state's container. It reports whether it found its end.
func (f *Follower) skipContainer() bool {
	open, limit := 1, f.lastAt+maxSkipped
	for inString := false; f.lastAt < limit; {
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

// refill gets the next piece. It reports whether there is one.
func (f *Follower) refill() bool {
	if f.Remaining <= 0 {
		return false
	}
	f.piece = f.Next()
	return true
}

// isScalarByte reports whether c may be in a number or a literal name.
func isScalarByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' ||
		c == 'E'
}
