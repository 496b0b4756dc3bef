package object

import "strings"

// catchUp aligns what was read before the base was chosen, of metadata that begins at i. It returns
// the places of the base that correspond to that and to end, both -1 if there are none.
func (r *aligner) catchUp(i, end int) (metadata, j int) {
	lax, noting := r.lax, r.noting
	r.lax, r.noting = true, false // all of it has been checked
	r.reached(end)
	r.align(r.from, 0)
	j = 1
	for i := range r.top {
		if m := &r.top[i]; m.typeMeta {
			j = r.typed(m, j)
		} else {
			j = r.again(m, j, 1)
		}
	}
	metadata = r.metadataIn(i, j)
	if j = metadata + 1; metadata >= 0 {
		for i := range r.meta {
			j = r.again(&r.meta[i], j, 2)
		}
	} else {
		r.lost, j = true, -1
	}
	r.lax, r.noting = lax, noting
	return metadata, j
}

// typed is again for apiVersion and kind, which a base can have in another order: items of lists
// come without them.
func (r *aligner) typed(m *member, j int) int {
	if m.end < r.until {
		return m.end + r.shift
	}
	const within = 200
	t := r.base.text
	if at := strings.Index(t[:min(within, len(t))], r.s[m.start:m.end]); at >= 0 &&
		m.start >= r.until {
		r.matches = append(r.matches, match{m.start, at, m.end - m.start})
	}
	return j
}

// metadataIn returns where the base has its metadata, that of the text being at i. j is before it.
func (r *aligner) metadataIn(i, j int) int {
	if i < r.until {
		return i + r.shift
	}
	t := r.base.text
	for !r.lost {
		if j = r.token(j); j >= len(t) || t[j] != '"' {
			break
		}
		end := stringEnd(t, j)
		v := r.token(end)
		if t[j:end] == `"metadata"` && t[v] == '{' {
			r.align(i, v)
			return v
		}
		r.spend(16)
		j = r.behind(v)
	}
	return -1
}

// again aligns a member that has been read. What comes before it in the base's object has been
// passed up to place j.
func (r *aligner) again(m *member, j, depth int) int {
	v := r.valueIn(m.start, m.nameEnd, m.value, j)
	if v < 0 {
		return j
	}
	if m.end < r.until {
		return m.end + r.shift
	}
	r.spend((m.end - m.value) / 2)
	if _, behind, err := r.any(m.value, v, depth); err == nil && behind >= 0 {
		return behind
	}
	return j
}
