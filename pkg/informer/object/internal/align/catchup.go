package align

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// CatchUp aligns what was read before the base was chosen. The metadata begins at i and was read up
// to end. CatchUp returns the places of the base that correspond to i and end, both -1 if there are
// none.
func (a *Aligner) CatchUp(i, end int) (metadata, j int) {
	ignoreNames, keepExtents := a.IgnoreNames, a.KeepExtents
	a.IgnoreNames, a.KeepExtents = true, false // done already
	a.Advance(end)
	a.sync(a.Start, 0)
	j = 1
	for i := range a.Top {
		m := &a.Top[i]
		switch a.Text[m.Start:m.NameEnd] {
		case `"apiVersion"`, `"kind"`:
			j = a.catchUpTypeMeta(m, j)
		default:
			j = a.catchUpMember(m, j, 1)
		}
	}
	metadata = a.baseMetadata(i, j)
	if j = metadata + 1; metadata >= 0 {
		for i := range a.Meta {
			j = a.catchUpMember(&a.Meta[i], j, 2)
		}
	} else {
		a.GaveUp, j = true, -1
	}
	a.IgnoreNames, a.KeepExtents = ignoreNames, keepExtents
	return metadata, j
}

// catchUpTypeMeta aligns apiVersion or kind. The base may have it in another place: items of lists
// come without them.
func (a *Aligner) catchUpTypeMeta(m *Member, j int) int {
	if m.End < a.matchEnd {
		return m.End + a.offset
	}
	const near = 200
	base := a.Base.Text
	if at := strings.Index(base[:min(near, len(base))], a.Text[m.Start:m.End]); at >= 0 &&
		m.Start >= a.matchEnd {
		a.Matches = append(a.Matches, Match{m.Start, at, m.End - m.Start})
	}
	return j
}

// baseMetadata returns the place of the base's metadata from place j on, -1 if there is none. The
// text's metadata is at i.
func (a *Aligner) baseMetadata(i, j int) int {
	if i < a.matchEnd {
		return i + a.offset
	}
	base := a.Base.Text
	for !a.GaveUp {
		if j = a.nextBaseToken(j); j >= len(base) || base[j] != '"' {
			break
		}
		end := jsontext.StringEnd(base, j)
		value := a.nextBaseToken(end)
		if base[j:end] == `"metadata"` && base[value] == '{' {
			a.sync(i, value)
			return value
		}
		a.charge(16)
		j = a.baseValueEnd(value)
	}
	return -1
}

// catchUpMember aligns a member that was read before. It returns the place in the base after that
// member, or j if the base does not have it nearby.
func (a *Aligner) catchUpMember(m *Member, j, depth int) int {
	base := a.BaseValue(m.Start, m.NameEnd, m.Value, j)
	if base < 0 {
		return j
	}
	if m.End < a.matchEnd {
		return m.End + a.offset
	}
	a.charge((m.End - m.Value) / 2)
	if _, baseEnd, err := a.AlignedValue(m.Value, base, depth); err == nil && baseEnd >= 0 {
		return baseEnd
	}
	return j
}
