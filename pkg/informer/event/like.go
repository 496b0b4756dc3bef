package event

import (
	"errors"
	"math/bits"
)

// This file reads a value by holding it against one that was checked before. Most of what an API server sends is nearly
// a copy of something it has sent already: an object's next state, a replica. Where both texts are the same, for hundreds
// of bytes at a time, the new one is as valid as the old one; between, where they part, the new text is checked token by
// token until they meet again. That is five times as fast as checking everything (BenchmarkParse), and what was found to
// be equal is what a packed object need not keep (packed.go).
//
// What makes this right: both texts stand at places where a reader is in the same state, behind a whole token and within
// the same brackets. That holds at the beginning; equal bytes keep it; and each way to go on after a difference restores
// it or gives up. FuzzLike holds the result to that of the checker.

// errUnlike: the texts differ too much, or the new one is wrong; let the checker say.
var errUnlike = errors.New("not like the template")

// maxTemplateDepth bounds how deep a template nests, so that what stands within it surely keeps the limit of maxDepth.
const maxTemplateDepth = 100

// match says that len bytes at place n of the text that is read are those at place t of the template.
type match struct{ n, t, len int }

// like reads the value at i0 of the text, which should resemble template.text[j0:end], and gives the place behind it.
func (r *reading) like(i0, depth, j0, end int) (int, error) {
	if i0 >= len(r.s) || r.s[i0] != r.template.text[j0] {
		return i0, errUnlike
	}
	if c := r.s[i0]; c != '{' && c != '[' && c != '"' {
		return i0, errUnlike
	}
	w := parting{reading: r, t: r.template.text, begin: j0, end: end, deep: depth + maxTemplateDepth}
	i, err := w.follow(i0, j0)
	if err == nil && len(w.inserted) > 0 && !r.lax {
		_, err = r.value(r.s, i0, depth)
	}
	return i, err
}

// parting is where the texts differ.
type parting struct {
	*reading
	t        string
	begin    int   // of the template's value
	end      int   // of the template's value
	run      int   // where the equal bytes before the difference begin in t
	deep     int   // more than how deep the value can be nested here
	whole    bool  // the value is a whole object, so that the template's frame has to be kept
	inserted []int // where in t names come in that the template does not have: they may stand twice
	ahead    int   // how many bytes of t were looked at ahead
}

// look notes that so many bytes of the template were looked at without getting on. It is false when that was done too
// often: a text that is made for it could have all of the template looked at for each of its names.
func (w *parting) look(bytes int) bool {
	w.ahead += bytes
	w.lookedAhead += bytes
	return w.ahead <= w.end-w.begin
}

// follow reads on from i and j, where the values begin, to their ends.
func (w *parting) follow(i, j int) (_ int, err error) {
	s, t, r := w.s, w.t, w.reading
	known, names, from := len(r.matches), len(r.names), j
	for parted := 0; ; parted++ {
		n := commonPrefix(s[i:], t[j:w.end])
		r.match(i, j, n)
		w.run, i, j = j, i+n, j+n
		if j == w.end {
			return i, nil
		}
		if i >= len(s) {
			return i, syntaxErr(s, i, "")
		}
		if parted > 16 && parted*48 > j-from {
			err = errUnlike
		} else {
			i, j, err = w.rejoin(i, j)
		}
		if err != nil {
			if !errors.Is(err, ErrTruncated) {
				r.matches, r.names = r.matches[:known], r.names[:names]
				err = errUnlike
			}
			return i, err
		}
	}
}

// inFrame tells whether a difference at j is one of the members that are read one by one.
func (w *parting) inFrame(j int) bool { return w.whole && w.template.frame.has(j) }

// rejoin takes the first places that differ, and gives places behind them where the readers are in the same state again.
func (w *parting) rejoin(i, j int) (int, int, error) {
	s, t := w.s, w.t
	if w.template.quoted(j) {
		return w.otherString(i, j)
	}
	if j > w.run && isScalarByte(t[j-1]) {
		// Within or at the end of a number or word.
		start, te := j, j
		for start > w.run && isScalarByte(t[start-1]) {
			start--
		}
		for te < w.end && isScalarByte(t[te]) {
			te++
		}
		ne, err := w.value(s, i-(j-start), w.deep)
		if err != nil || ne != i || te != j {
			return ne, te, err
		}
	}
	c, d := t[j], s[i]
	switch {
	case isSpace(c) || isSpace(d):
		return skipSpace(s, i), skipSpace(t, j), nil
	case c == '}' || c == ']':
		return w.longer(i, j, c)
	case d == '}' || d == ']':
		// The container ends sooner than the template's: behind a value, or empty.
		before := w.before(j)
		if c != ',' && before != '{' && before != '[' {
			return i, j, errUnlike
		}
		return w.close(i, j)
	case c == ',' || c == ':':
		return i, j, errUnlike
	}
	switch before := w.before(j); {
	case w.inFrame(j):
	case before == ':', before == '[', before == ',' && !w.isName(j):
		ne, err := w.value(s, i, w.deep)
		return ne, skipTrusted(t, j), err
	}
	return i, j, errUnlike
}

// close goes behind the end of the container that both texts are in; s[i] is its closing bracket.
func (w *parting) close(i, j int) (int, int, error) {
	j = closing(w.t, j)
	if j >= w.end || w.t[j] != w.s[i] || w.inFrame(j) {
		return i, j, errUnlike
	}
	return i + 1, j + 1, nil
}

// longer reads the members or items that the template's container, which ends at j, does not have.
func (w *parting) longer(i, j int, bracket byte) (_, _ int, err error) {
	s := w.s
	if w.inFrame(j) {
		return i, j, errUnlike
	}
	if c := w.before(j); c == '{' || c == '[' {
		// The template's is empty: the whole container is new.
		end, err := w.value(s, w.beforeNew(i), w.deep)
		return end, j + 1, err
	}
	if bracket == '}' {
		w.inserted = append(w.inserted, j)
	}
	for {
		i = skipSpace(s, i)
		if i < len(s) && s[i] == bracket {
			return i + 1, j + 1, nil
		}
		if i >= len(s) || s[i] != ',' {
			return i, j, syntaxErr(s, i, "',' or an end")
		}
		i = skipSpace(s, i+1)
		if bracket == '}' {
			if _, i, err = scanName(s, i); err != nil {
				return i, j, err
			}
		}
		if i, err = w.value(s, i, w.deep); err != nil {
			return i, j, err
		}
	}
}

// otherString goes on behind a string in which the texts differ.
func (w *parting) otherString(i, j int) (int, int, error) {
	s, t := w.s, w.t
	ts, te := w.template.stringAround(j)
	ns := i - (j - ts)
	ne, err := scanString(s, ns)
	if err != nil {
		return ne, te, err
	}
	if colon := skipSpace(t, te); colon < w.end && t[colon] == ':' {
		return w.otherName(ns, ne, ts, te, j-ts)
	}
	return ne, te, nil
}

// smallContainer is how many bytes of the template's container may follow for a new one to be read as a whole.
const smallContainer = 256

// otherName goes on where the new text has the name s[ns:ne] in place of the template's t[ts:te], the first same bytes of
// which are the same. There are four ways to go on, of which the one is taken that most probably leads on well.
func (w *parting) otherName(ns, ne, ts, te, same int) (_, _ int, err error) {
	s, t := w.s, w.t
	if w.inFrame(ts) {
		return ns, ts, errUnlike
	}
	if same > len(`"k:{\"`) { // another name for the same kind of thing, such as an address
		w.inserted = append(w.inserted, ts)
		return ne, te, nil
	}
	at := te
	for range 2 { // the template has a member or two more
		at = skipSpace(t, skipTrusted(t, nextToken(t, at)))
		if at >= w.end || t[at] != ',' {
			break
		}
		at = skipSpace(t, at+1)
		_, end := w.template.stringAround(at + 1)
		if t[at:end] == s[ns:ne] {
			return ne, end, nil
		}
		at = end
	}
	before := w.lastBefore(ts)
	// What was looked at may be looked at again for the next name: all from before this one on.
	if !w.look(at - before) {
		return ns, ts, errUnlike
	}
	if t[before] == '{' { // another container
		end := closing(t, ts)
		if !w.look(end - ts) {
			return ns, ts, errUnlike
		}
		if end-ts < smallContainer {
			i, err := w.value(s, w.beforeNew(ns), w.deep)
			return i, end + 1, err
		}
	}
	// The new text has a member more.
	w.inserted = append(w.inserted, ts)
	_, i, err := scanName(s, ns)
	if err != nil {
		return i, ts, err
	}
	if i, err = w.value(s, i, w.deep); err != nil {
		return i, ts, err
	}
	i = skipSpace(s, i)
	switch {
	case i < len(s) && s[i] == '}':
		return w.close(i, ts)
	case i < len(s) && s[i] == ',':
		i = skipSpace(s, i+1)
		if i < len(s) && s[i] != '"' {
			return i, ts, errUnlike
		}
		return i, ts, nil
	}
	return i, ts, syntaxErr(s, i, "',' or '}'")
}

// beforeNew gives the place of the last byte of the new text before i that is no white space.
func (w *parting) beforeNew(i int) int {
	for i--; i > 0 && isSpace(w.s[i]); i-- {
	}
	return i
}

// before returns the last byte before j that is no white space.
func (w *parting) before(j int) byte { return w.t[w.lastBefore(j)] }

// lastBefore returns its place.
func (w *parting) lastBefore(j int) int {
	for j--; j > 0 && isSpace(w.t[j]); j-- {
	}
	return max(j, 0)
}

// isName tells whether a member's name begins at j.
func (w *parting) isName(j int) bool {
	if w.t[j] != '"' {
		return false
	}
	_, end := w.template.stringAround(j + 1)
	end = skipSpace(w.t, end)
	return end < w.end && w.t[end] == ':'
}

// closing gives the place of the bracket that ends the container which j is in. j is no place within a string.
func closing(t string, j int) int {
	for j < len(t) {
		switch t[j] {
		case '"', '{', '[':
			j = skipTrusted(t, j)
		case '}', ']':
			return j
		default:
			j++
		}
	}
	return j
}

func isScalarByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// commonPrefix gives how many bytes two texts have in common at the beginning. Long stretches are compared by the runtime,
// which is faster at that than Go code can be.
func commonPrefix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for i+128 <= n && a[i:i+128] == b[i:i+128] {
		i += 128
	}
	for ; i+8 <= n; i += 8 {
		if x := word(a, i) ^ word(b, i); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
