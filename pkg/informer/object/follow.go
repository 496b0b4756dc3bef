package object

// This file reads values against those of a base (align.go).

// any reads the value at i, which corresponds to that at place v of the base, if v is not -1.
// behind is the place behind that, -1 if there is none.
func (r *aligner) any(i, v, depth int) (end, behind int, err error) {
	if v < 0 || r.lost || i >= len(r.s) || v >= len(r.base.text) {
		end, err = r.value(r.s, i, depth)
		return end, -1, err
	}
	c := r.s[i]
	if (c == '{' || c == '[' || c == '"' && i+r.short <= r.until) && r.base.text[v] == c &&
		depth+maxBaseDepth < maxDepth {
		e := r.extent(v)
		switch {
		case e > 0 && i+e-v <= r.until:
			r.passed(v, e, i-v)
			return i + e - v, e, nil
		case c == '"', e == 0 && i+r.short <= r.until: // short, and all of it is the same
		case c == '{':
			return r.members(i, v, e, depth)
		default:
			return r.array(i, v, e, depth)
		}
	}
	switch c {
	case '"':
		if end, err = r.string(r.s, i); err == nil {
			r.passedString(i, end)
		}
	case '{', '[':
		end, err = r.value(r.s, i, depth)
	default:
		end, err = scanScalar(r.s, i)
	}
	if err != nil {
		return end, -1, err
	}
	if end < r.until || end == r.until && c == '"' {
		return end, end + r.shift, nil
	}
	if c == '"' && end-i < r.short && r.base.text[v] == '"' {
		behind = stringEnd(r.base.text, v)
		r.spend((behind - v) / 4)
	} else {
		behind = r.behind(v)
	}
	r.align(end, behind)
	return end, behind, nil
}

// members reads the object at i, which corresponds to that at place v of the base. If that is a
// long one, it ends at e.
//
// Names that the base's object has in the same order are no duplicates of each other, so only if
// there are others, all are looked at.
func (r *aligner) members(i, v, e, depth int) (end, behind int, err error) {
	s := r.s
	if err := tooDeep(i, depth); err != nil {
		return i, -1, err
	}
	r.deepest = max(r.deepest, depth+1)
	r.spend(containerCost)
	k, j, from, outer := r.opened(i), v+1, i, len(r.names)
	// there are names that are not aligned, and such that were not read
	strange, gaps := false, false
	i++
	for first := true; ; first = false {
		if e > 0 && !r.lost {
			before := i
			if i, j, err = r.jump(i, j, e, depth); err != nil {
				return i, -1, err
			}
			if j >= e && !r.lost {
				r.leaveAligned(from, i, outer, strange, true)
				r.closed(k, i)
				return i, e, nil
			}
			if i != before {
				first, gaps = false, true
			}
		}
		if i = skipSpace(s, i); i < len(s) && s[i] == '}' {
			break
		}
		if !first {
			if i >= len(s) || s[i] != ',' {
				return i, -1, syntaxErr(s, i, "',' or '}'")
			}
			i = skipSpace(s, i+1)
		}
		nameEnd, value, print, err := r.memberName(s, i)
		if err != nil {
			return nameEnd, -1, err
		}
		r.push(print, i, nameEnd)
		w, after := r.valueIn(i, nameEnd, value, j), -1
		strange = strange || w < 0
		if i, after, err = r.any(value, w, depth+1); err != nil {
			return i, -1, err
		}
		if after >= 0 {
			j = after
		}
	}
	r.leaveAligned(from, i+1, outer, strange, gaps)
	r.closed(k, i+1)
	return i + 1, r.closing(i, j, v), nil
}

// leaveAligned forgets the names of the object at s[i:end] that was read against the base's.
func (r *aligner) leaveAligned(i, end, outer int, strange, gaps bool) {
	switch {
	case !strange || r.lax:
		r.names = r.names[:outer]
	case gaps:
		r.names = r.names[:outer]
		r.lookAgain(i, end)
	default:
		r.spend(8 * (len(r.names) - outer))
		r.compareFew(r.s, outer)
		r.leave(r.s, outer)
	}
}

// array reads the array at i, which corresponds to that at place v of the base. If that is a long
// one, it ends at e.
func (r *aligner) array(i, v, e, depth int) (end, behind int, err error) {
	s := r.s
	if err := tooDeep(i, depth); err != nil {
		return i, -1, err
	}
	r.deepest = max(r.deepest, depth+1)
	r.spend(containerCost)
	k, j := r.opened(i), v+1
	i++
	for first := true; ; first = false {
		if e > 0 && !r.lost {
			from := i
			if i, j, err = r.jump(i, j, e, depth); err != nil {
				return i, -1, err
			}
			if j >= e && !r.lost {
				r.closed(k, i)
				return i, e, nil
			}
			first = first && i == from
		}
		if i = skipSpace(s, i); i < len(s) && s[i] == ']' {
			break
		}
		if !first {
			if i >= len(s) || s[i] != ',' {
				return i, -1, syntaxErr(s, i, "',' or ']'")
			}
			i = skipSpace(s, i+1)
		}
		item, after := -1, -1
		if !r.lost {
			item = r.itemIn(i, j)
		}
		if i, after, err = r.any(i, item, depth+1); err != nil {
			return i, -1, err
		}
		if after >= 0 {
			j = after
		}
	}
	r.closed(k, i+1)
	return i + 1, r.closing(i, j, v), nil
}

// itemIn returns where the base has the item that corresponds to the one at i, -1 if its array ends
// before.
func (r *aligner) itemIn(i, j int) int {
	if i < r.until {
		return i + r.shift
	}
	t := r.base.text
	r.reached(i)
	if j = r.token(j); j >= len(t) || t[j] == ']' {
		return -1
	}
	r.align(i, j)
	return j
}

// closing returns the place behind the container of the base that corresponds to the one which ends
// at i and began at v. What of it is before place j has been passed.
func (r *aligner) closing(i, j, v int) int {
	if r.lost {
		return -1
	}
	if i < r.until {
		return i + 1 + r.shift
	}
	t := r.base.text
	behind := skipSpace(t, j)
	if behind < len(t) && t[behind] == r.s[i] {
		behind++
	} else if behind = r.extent(v); behind == 0 {
		behind = skipOpen(t, j, 1)
		r.spend((behind - j) / 2)
	}
	r.align(i+1, behind)
	return behind
}

// lookAgain looks for duplicates among the names of the object at s[i:end], which was read, and not
// within its values.
func (r *aligner) lookAgain(i, end int) {
	s, outer, seen := r.s, len(r.names), uint64(0)
	for i = skipSpace(s, i+1); i < end-1; i = nextToken(s, i) {
		nameEnd, value, print, _ := r.memberName(s, i)
		seen = r.note(s, outer, seen, print, i, nameEnd)
		i = 0
		if s[value] == '{' || s[value] == '[' {
			if k := searchExtents(r.extents, value); k < len(r.extents) &&
				int(r.extents[k].from) == value {
				i = int(r.extents[k].to)
			}
		}
		if i == 0 {
			i = skipTrusted(s, value)
		}
	}
	r.spend(40 * (len(r.names) - outer))
	r.leave(s, outer)
}
