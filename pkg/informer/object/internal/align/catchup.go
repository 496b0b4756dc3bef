package align

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// catchUp aligns what was read before the base was chosen, of metadata that begins at i. It returns
// the places of the base that correspond to that and to end, both -1 if there are none.
func (a *Aligner) CatchUp(i, end int) (metadata, j int) {
	lax, noting := a.IgnoreNames, a.KeepExtents
	a.IgnoreNames, a.KeepExtents = true, false // all of it has been checked
	a.Advance(end)
	a.sync(a.Start, 0)
	j = 1
	for i := range a.Top {
		if m := &a.Top[i]; m.TypeMeta {
			j = a.catchUpTypeMeta(m, j)
		} else {
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
	a.IgnoreNames, a.KeepExtents = lax, noting
	return metadata, j
}

// typed is again for apiVersion and kind, which a base can have in another order: items of lists
// come without them.
func (a *Aligner) catchUpTypeMeta(m *Member, j int) int {
	if m.End < a.matchEnd {
		return m.End + a.offset
	}
	const within = 200
	t := a.Base.Text
	if at := strings.Index(t[:min(within, len(t))], a.Text[m.Start:m.End]); at >= 0 &&
		m.Start >= a.matchEnd {
		a.Matches = append(a.Matches, Match{m.Start, at, m.End - m.Start})
	}
	return j
}

// metadataIn returns where the base has its metadata, that of the text being at i. j is before it.
func (a *Aligner) baseMetadata(i, j int) int {
	if i < a.matchEnd {
		return i + a.offset
	}
	t := a.Base.Text
	for !a.GaveUp {
		if j = a.nextBaseToken(j); j >= len(t) || t[j] != '"' {
			break
		}
		end := jsontext.StringEnd(t, j)
		v := a.nextBaseToken(end)
		if t[j:end] == `"metadata"` && t[v] == '{' {
			a.sync(i, v)
			return v
		}
		a.charge(16)
		j = a.baseValueEnd(v)
	}
	return -1
}

// again aligns a member that has been read. What comes before it in the base's object has been
// passed up to place j.
func (a *Aligner) catchUpMember(m *Member, j, depth int) int {
	v := a.BaseValue(m.Start, m.NameEnd, m.Value, j)
	if v < 0 {
		return j
	}
	if m.End < a.matchEnd {
		return m.End + a.offset
	}
	a.charge((m.End - m.Value) / 2)
	if _, behind, err := a.AlignedValue(m.Value, v, depth); err == nil && behind >= 0 {
		return behind
	}
	return j
}
