package event

import "sort"

// This file reads a whole object by its template: where the members that are read one by one are the same, in the same
// order, all of the text is followed at once, and what they say is found by where they stand in the template.

// wholeObject reads the object at i like the template. It is an errUnlike if the members of the object differ, and has to
// be read member by member.
func (r *reading) wholeObject(i int) (int, error) {
	t := r.template
	w := parting{reading: r, t: t.text, end: len(t.text), deep: maxTemplateDepth, whole: true, inserted: r.inserted[:0]}
	end, err := w.follow(i, 0)
	r.inserted = w.inserted[:0]
	if err == nil && (!r.check(w.inserted) || r.twice || !r.takeMarks()) {
		err = errUnlike
	}
	if err == errUnlike {
		identity, own, looked := r.identity, r.own, r.lookedAhead
		r.begin(r.parser, r.s)
		r.template, r.identity, r.own, r.lookedAhead = t, identity, own, looked
	}
	return end, err
}

// places maps places of the template to those of the text that is read. They are asked for in rising order.
type places struct {
	matches []match
}

// of gives the place of a byte that both texts have in common, -1 if it is none.
func (p *places) of(t int) int {
	for len(p.matches) > 0 {
		m := p.matches[0]
		if t < m.t+m.len {
			if t < m.t {
				return -1
			}
			return m.n + t - m.t
		}
		p.matches = p.matches[1:]
	}
	return -1
}

// takeMarks finds in the text what is marked in the template.
func (r *reading) takeMarks() bool {
	starts := places{r.matches}
	for k := range r.template.marks {
		m := &r.template.marks[k]
		before := starts
		start, glue := starts.of(m.start), starts.of(m.value-1)
		ends := starts
		end := ends.of(m.end)
		if start < 0 || glue < 0 || end < 0 {
			return false
		}
		end = r.trim(end)
		if m.cut {
			from, to := start, end
			if m.cutFrom != m.start {
				if from = before.of(m.cutFrom); from < 0 {
					return false
				}
				from = r.trim(from)
			}
			if m.cutTo != m.end {
				if to = ends.of(m.cutTo); to < 0 {
					return false
				}
			}
			r.edits = append(r.edits, edit{from: from, to: to})
			continue
		}
		here := member{start: start, value: skipSpace(r.s, glue+1), role: m.role}
		if r.take(&here, end) != nil {
			return false // let the reader member by member say what is wrong
		}
	}
	return true
}

// trim goes back over white space.
func (r *reading) trim(i int) int {
	for isSpace(r.s[i-1]) {
		i--
	}
	return i
}

// check looks whether names that came in stand twice, in the smallest members that are read one by one. The names come in
// the order of the template, as its leaves do, so that each leaf is read once at most.
func (r *reading) check(inserted []int) bool {
	if r.lax {
		return true
	}
	at, leaves, checked := places{r.matches}, r.template.leaves, -1
	for _, j := range inserted {
		leaves = leaves[sort.Search(len(leaves), func(k int) bool { return leaves[k].end > j }):]
		if len(leaves) == 0 || j < leaves[0].value {
			return false
		}
		leaf := leaves[0]
		if leaf.cut || leaf.value == checked {
			continue
		}
		glue := at.of(leaf.value - 1)
		if glue < 0 {
			return false
		}
		if _, err := r.value(r.s, skipSpace(r.s, glue+1), 2); err != nil {
			return false
		}
		checked = leaf.value
	}
	return true
}
