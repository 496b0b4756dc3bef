package object

import "strings"

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
	maxFollowedDepth = 256
)

// lastState is the last state of an object, as far as it is known.
type lastState struct {
	base   *base // nil if there is none
	packed bool  // or else it is the base itself
	// Of one that is packed:
	delta                     decoder
	spec, status, size, depth int
	fields                    string
}

// begin takes what there is to follow. It reports whether there is something.
func (f *follower) begin(r *aligner, i int, last *lastState) bool {
	f.aligner, f.at, f.unquoted, f.from = r, i, i, i
	b := r.base
	if last.base == b && last.depth > 0 && last.spec > 0 {
		f.decoder, f.status, f.size, f.depth = last.delta, last.status, last.size, last.depth
		for at := last.spec; ; {
			if f.lastAt+len(f.piece) > at {
				f.skip(at - f.lastAt)
				return true
			}
			f.lastAt += len(f.piece)
			f.piece = f.next()
		}
	}
	if b.depth == 0 || b.spec == 0 {
		return false
	}
	f.lastAt, f.piece, f.status, f.size, f.depth = int(b.spec), b.text[b.spec:], int(b.status), len(b.text), int(b.depth)
	f.baseEnd = f.size
	return true
}

// run follows from where begin was told. It reports whether that was to the end.
func (f *follower) run() (all bool) {
	f.checkpoint(f.from)
	all = f.compare(f.from)
	f.aligner.matches = f.aligner.matches[:f.validMatches]
	if f.validMatches > 0 {
		f.aligner.matches[f.validMatches-1] = f.validMatch
	}
	return all
}

// follower goes through a text and the last state, or base, that it follows.
type follower struct {
	decoder
	aligner  *aligner
	from     int    // where it began
	at       int    // place in the text
	unquoted int    // a place before that, which is outside of strings
	lastAt   int    // place in the JSON of the last state
	piece    string // what that has there, to the end of an operation
	size     int    // of that JSON
	// Where the value of status begins in it, and in the text.
	status, newStatus int
	// Up to here, all is as in the last state, whatever comes: a place of the text, how many
	// matches there are before it, and the last one of them.
	valid, validMatches int
	validMatch          match
	// how deep the text nests at most: as deep as the last state, and the containers that it has
	// more
	depth       int
	differences int // values so far
}

// mark notes that place.
func (f *follower) checkpoint(at int) {
	f.valid = at
	if f.validMatches = len(f.aligner.matches); f.validMatches > 0 {
		f.validMatch = f.aligner.matches[f.validMatches-1]
	}
}

// behindSpec returns the place behind the value of spec, if status is next.
func (f *follower) behindSpec() int {
	s := f.aligner.text[:f.newStatus]
	s = s[:strings.LastIndexByte(s, '"')]
	s = s[:strings.LastIndexByte(s, '"')]
	return strings.LastIndexByte(s, ',')
}

// rest follows the last state to its end, from a place of the text on.
func (f *follower) compare(from int) bool {
	s := f.aligner.text
	for {
		n := len(f.piece)
		if n > len(s)-f.at || s[f.at:f.at+n] != f.piece {
			n = commonPrefix(s[f.at:], f.piece)
		}
		if here := f.status - f.lastAt; here >= 0 && here <= n && f.newStatus == 0 && f.status > 0 {
			f.newStatus = f.at + here
			f.unquoted = f.newStatus
			if !f.isLiteral {
				f.aligner.addMatch(f.at, f.baseEnd-len(f.piece), here)
			}
			f.checkpoint(f.newStatus)
		}
		if !f.isLiteral {
			f.aligner.addMatch(f.at, f.baseEnd-len(f.piece), n)
		}
		f.at += n
		f.skip(n)
		switch {
		case f.lastAt == f.size:
			f.checkpoint(f.at)
			return true
		case f.piece == "" && f.refill():
		case f.piece == "" || !f.passDifference(f.at-from):
			return false
		}
	}
}

// pass passes bytes of the last state's piece.
func (f *follower) skip(n int) { f.lastAt, f.piece = f.lastAt+n, f.piece[n:] }

// differ goes on behind the value within which the two differ, when so many bytes have been
// followed. It reports whether there is such a value, and what the text has is valid.
func (f *follower) passDifference(followed int) (ok bool) {
	s := f.aligner.text
	if f.differences++; f.differences*differenceCost > baseCredit+followed {
		return false
	}
	// It must be neither within an escape nor within a rune.
	if s[f.at-1] >= 0x80 || strings.IndexByte(s[f.at-6:f.at], '\\') >= 0 {
		return false
	}
	var end int
	switch before := s[f.at-1]; {
	case f.inString():
		if end = asciiRun(s, f.at); end == len(s) || s[end] != '"' || !f.skipString() {
			return false
		}
		end++
	case before == '{' || before == '[':
		end, ok = f.scanContainer(f.at - 1)
		if !ok || !f.skipContainer() {
			return false
		}
	default:
		from := f.at
		for isScalarByte(s[from-1]) {
			from--
		}
		if from == len(s) {
			return false
		}
		var err error
		if end, err = scanScalar(s, from); err != nil || end < f.at || !f.skipScalar(from) {
			return false
		}
	}
	f.at = end
	f.unquoted = f.at
	return true
}

// inString reports whether the place in the text, up to which it is as valid as the last state, is
// within a string.
func (f *follower) inString() bool {
	s := f.aligner.text[f.unquoted:f.at]
	if strings.IndexByte(s, '\\') < 0 {
		return strings.Count(s, `"`)%2 == 1
	}
	for {
		at := strings.IndexByte(s, '"')
		if at < 0 {
			return false
		}
		end := stringEnd(s, at)
		if end == len(s) && (s[end-1] != '"' || end == at+1) {
			return true
		}
		s = s[end:]
	}
}

// passString goes behind the last state's string. It reports whether that is a value, and has no
// escapes.
func (f *follower) skipString() bool {
	for {
		n := unescapedRun(f.piece, 0)
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
func (f *follower) skipScalar(from int) bool {
	length := f.at - from
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
func (f *follower) scanContainer(i int) (end int, ok bool) {
	r := f.aligner
	deepest, noting := r.depth, r.keepExtents
	r.depth, r.keepExtents = 0, false
	end, err := r.value(r.text, i, 0)
	f.depth += r.depth
	r.depth, r.keepExtents = deepest, noting
	return end, err == nil && f.depth < maxFollowedDepth
}

// passContainer goes behind the end of the last state's container.
func (f *follower) skipContainer() bool {
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
func (f *follower) refill() bool {
	if f.remaining <= 0 {
		return false
	}
	f.piece = f.next()
	return true
}

// inScalar reports whether numbers and words may have the byte.
func isScalarByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' ||
		c == 'E'
}
