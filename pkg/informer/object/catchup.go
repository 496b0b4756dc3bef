package object

import "strings"

// catchUp aligns what was read before the base was chosen, of metadata that begins at i. It returns
// the places of the base that correspond to that and to end, both -1 if there are none.
func (a *aligner) catchUp(i, end int) (metadata, j int) {
	lax, noting := a.ignoreNames, a.keepExtents
	a.ignoreNames, a.keepExtents = true, false // all of it has been checked
	a.advance(end)
	a.sync(a.start, 0)
	j = 1
	for i := range a.top {
		if m := &a.top[i]; m.typeMeta {
			j = a.catchUpTypeMeta(m, j)
		} else {
			j = a.catchUpMember(m, j, 1)
		}
	}
	metadata = a.baseMetadata(i, j)
	if j = metadata + 1; metadata >= 0 {
		for i := range a.meta {
			j = a.catchUpMember(&a.meta[i], j, 2)
		}
	} else {
		a.gaveUp, j = true, -1
	}
	a.ignoreNames, a.keepExtents = lax, noting
	return metadata, j
}

// typed is again for apiVersion and kind, which a base can have in another order: items of lists
// come without them.
func (a *aligner) catchUpTypeMeta(m *member, j int) int {
	if m.end < a.matchEnd {
		return m.end + a.offset
	}
	const within = 200
	t := a.base.text
	if at := strings.Index(t[:min(within, len(t))], a.text[m.start:m.end]); at >= 0 &&
		m.start >= a.matchEnd {
		a.matches = append(a.matches, match{m.start, at, m.end - m.start})
	}
	return j
}

// metadataIn returns where the base has its metadata, that of the text being at i. j is before it.
func (a *aligner) baseMetadata(i, j int) int {
	if i < a.matchEnd {
		return i + a.offset
	}
	t := a.base.text
	for !a.gaveUp {
		if j = a.nextBaseToken(j); j >= len(t) || t[j] != '"' {
			break
		}
		end := stringEnd(t, j)
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
func (a *aligner) catchUpMember(m *member, j, depth int) int {
	v := a.baseValue(m.start, m.nameEnd, m.value, j)
	if v < 0 {
		return j
	}
	if m.end < a.matchEnd {
		return m.end + a.offset
	}
	a.charge((m.end - m.value) / 2)
	if _, behind, err := a.alignedValue(m.value, v, depth); err == nil && behind >= 0 {
		return behind
	}
	return j
}
