package object

// This file reads values against those of a base (align.go).

// any reads the value at i, which corresponds to that at place v of the base, if v is not -1.
// behind is the place behind that, -1 if there is none.
func (a *aligner) alignedValue(i, v, depth int) (end, behind int, err error) {
	if v < 0 || a.gaveUp || i >= len(a.text) || v >= len(a.base.text) {
		end, err = a.value(a.text, i, depth)
		return end, -1, err
	}
	c := a.text[i]
	if (c == '{' || c == '[' || c == '"' && i+a.minLength <= a.matchEnd) && a.base.text[v] == c &&
		depth+maxBaseDepth < maxDepth {
		e := a.extentEnd(v)
		switch {
		case e > 0 && i+e-v <= a.matchEnd:
			a.takeExtents(v, e, i-v)
			return i + e - v, e, nil
		case c == '"', e == 0 && i+a.minLength <= a.matchEnd: // short, and all of it is the same
		case c == '{':
			return a.alignedObject(i, v, e, depth)
		default:
			return a.alignedArray(i, v, e, depth)
		}
	}
	switch c {
	case '"':
		if end, err = a.string(a.text, i); err == nil {
			a.addString(i, end)
		}
	case '{', '[':
		end, err = a.value(a.text, i, depth)
	default:
		end, err = scanScalar(a.text, i)
	}
	if err != nil {
		return end, -1, err
	}
	if end < a.matchEnd || end == a.matchEnd && c == '"' {
		return end, end + a.offset, nil
	}
	if c == '"' && end-i < a.minLength && a.base.text[v] == '"' {
		behind = stringEnd(a.base.text, v)
		a.charge((behind - v) / 4)
	} else {
		behind = a.baseValueEnd(v)
	}
	a.sync(end, behind)
	return end, behind, nil
}

// members reads the object at i, which corresponds to that at place v of the base. If that is a
// long one, it ends at e.
//
// Names that the base's object has in the same order are no duplicates of each other, so only if
// there are others, all are looked at.
func (a *aligner) alignedObject(i, v, e, depth int) (end, behind int, err error) {
	s := a.text
	if err := checkDepth(i, depth); err != nil {
		return i, -1, err
	}
	a.depth = max(a.depth, depth+1)
	a.charge(containerCost)
	k, j, from, outer := a.openExtent(i), v+1, i, len(a.names)
	// there are names that are not aligned, and such that were not read
	strange, gaps := false, false
	i++
	for first := true; ; first = false {
		if e > 0 && !a.gaveUp {
			before := i
			if i, j, err = a.skipCommon(i, j, e, depth); err != nil {
				return i, -1, err
			}
			if j >= e && !a.gaveUp {
				a.releaseAlignedNames(from, i, outer, strange, true)
				a.closeExtent(k, i)
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
				return i, -1, unexpected(s, i, "',' or '}'")
			}
			i = skipSpace(s, i+1)
		}
		nameEnd, value, print, err := a.memberName(s, i)
		if err != nil {
			return nameEnd, -1, err
		}
		a.pushName(print, i, nameEnd)
		w, after := a.baseValue(i, nameEnd, value, j), -1
		strange = strange || w < 0
		if i, after, err = a.alignedValue(value, w, depth+1); err != nil {
			return i, -1, err
		}
		if after >= 0 {
			j = after
		}
	}
	a.releaseAlignedNames(from, i+1, outer, strange, gaps)
	a.closeExtent(k, i+1)
	return i + 1, a.baseContainerEnd(i, j, v), nil
}

// leaveAligned forgets the names of the object at s[i:end] that was read against the base's.
func (a *aligner) releaseAlignedNames(i, end, outer int, strange, gaps bool) {
	switch {
	case !strange || a.ignoreNames:
		a.names = a.names[:outer]
	case gaps:
		a.names = a.names[:outer]
		a.recheckNames(i, end)
	default:
		a.charge(8 * (len(a.names) - outer))
		a.findDuplicateOfFew(a.text, outer)
		a.releaseNames(a.text, outer)
	}
}

// array reads the array at i, which corresponds to that at place v of the base. If that is a long
// one, it ends at e.
func (a *aligner) alignedArray(i, v, e, depth int) (end, behind int, err error) {
	s := a.text
	if err := checkDepth(i, depth); err != nil {
		return i, -1, err
	}
	a.depth = max(a.depth, depth+1)
	a.charge(containerCost)
	k, j := a.openExtent(i), v+1
	i++
	for first := true; ; first = false {
		if e > 0 && !a.gaveUp {
			from := i
			if i, j, err = a.skipCommon(i, j, e, depth); err != nil {
				return i, -1, err
			}
			if j >= e && !a.gaveUp {
				a.closeExtent(k, i)
				return i, e, nil
			}
			first = first && i == from
		}
		if i = skipSpace(s, i); i < len(s) && s[i] == ']' {
			break
		}
		if !first {
			if i >= len(s) || s[i] != ',' {
				return i, -1, unexpected(s, i, "',' or ']'")
			}
			i = skipSpace(s, i+1)
		}
		item, after := -1, -1
		if !a.gaveUp {
			item = a.baseItem(i, j)
		}
		if i, after, err = a.alignedValue(i, item, depth+1); err != nil {
			return i, -1, err
		}
		if after >= 0 {
			j = after
		}
	}
	a.closeExtent(k, i+1)
	return i + 1, a.baseContainerEnd(i, j, v), nil
}

// itemIn returns where the base has the item that corresponds to the one at i, -1 if its array ends
// before.
func (a *aligner) baseItem(i, j int) int {
	if i < a.matchEnd {
		return i + a.offset
	}
	t := a.base.text
	a.advance(i)
	if j = a.nextBaseToken(j); j >= len(t) || t[j] == ']' {
		return -1
	}
	a.sync(i, j)
	return j
}

// closing returns the place behind the container of the base that corresponds to the one which ends
// at i and began at v. What of it is before place j has been passed.
func (a *aligner) baseContainerEnd(i, j, v int) int {
	if a.gaveUp {
		return -1
	}
	if i < a.matchEnd {
		return i + 1 + a.offset
	}
	t := a.base.text
	behind := skipSpace(t, j)
	if behind < len(t) && t[behind] == a.text[i] {
		behind++
	} else if behind = a.extentEnd(v); behind == 0 {
		behind = enclosingEnd(t, j, 1)
		a.charge((behind - j) / 2)
	}
	a.sync(i+1, behind)
	return behind
}

// lookAgain looks for duplicates among the names of the object at s[i:end], which was read, and not
// within its values.
func (a *aligner) recheckNames(i, end int) {
	s, outer, seen := a.text, len(a.names), uint64(0)
	for i = skipSpace(s, i+1); i < end-1; i = nextToken(s, i) {
		nameEnd, value, print, _ := a.memberName(s, i)
		seen = a.addName(s, outer, seen, print, i, nameEnd)
		i = 0
		if s[value] == '{' || s[value] == '[' {
			if k := searchExtents(a.extents, value); k < len(a.extents) &&
				int(a.extents[k].from) == value {
				i = int(a.extents[k].to)
			}
		}
		if i == 0 {
			i = valueEnd(s, value)
		}
	}
	a.charge(40 * (len(a.names) - outer))
	a.releaseNames(s, outer)
}
