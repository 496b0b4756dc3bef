package align

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// This file reads values against those of a base (align.go).

// any reads the value at i, which corresponds to that at place v of the base, if v is not -1.
// behind is the place behind that, -1 if there is none.
func (a *Aligner) AlignedValue(i, v, depth int) (end, behind int, err error) {
	if v < 0 || a.GaveUp || i >= len(a.Text) || v >= len(a.Base.Text) {
		end, err = a.Value(a.Text, i, depth)
		return end, -1, err
	}
	c := a.Text[i]
	if (c == '{' || c == '[' || c == '"' && i+a.MinLength <= a.matchEnd) && a.Base.Text[v] == c &&
		depth+MaxBaseDepth < scan.MaxDepth {
		e := a.extentEnd(v)
		switch {
		case e > 0 && i+e-v <= a.matchEnd:
			a.takeExtents(v, e, i-v)
			return i + e - v, e, nil
		case c == '"', e == 0 && i+a.MinLength <= a.matchEnd: // short, and all of it is the same
		case c == '{':
			return a.alignedObject(i, v, e, depth)
		default:
			return a.alignedArray(i, v, e, depth)
		}
	}
	switch c {
	case '"':
		if end, err = a.String(a.Text, i); err == nil {
			a.AddString(i, end)
		}
	case '{', '[':
		end, err = a.Value(a.Text, i, depth)
	default:
		end, err = scan.Scalar(a.Text, i)
	}
	if err != nil {
		return end, -1, err
	}
	if end < a.matchEnd || end == a.matchEnd && c == '"' {
		return end, end + a.offset, nil
	}
	if c == '"' && end-i < a.MinLength && a.Base.Text[v] == '"' {
		behind = jsontext.StringEnd(a.Base.Text, v)
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
func (a *Aligner) alignedObject(i, v, e, depth int) (end, behind int, err error) {
	s := a.Text
	if err := scan.CheckDepth(i, depth); err != nil {
		return i, -1, err
	}
	a.Depth = max(a.Depth, depth+1)
	a.charge(containerCost)
	k, j, from, outer := a.OpenExtent(i), v+1, i, len(a.Names)
	// there are names that are not aligned, and such that were not read
	strange, gaps := false, false
	i++
	for first := true; ; first = false {
		if e > 0 && !a.GaveUp {
			before := i
			if i, j, err = a.skipCommon(i, j, e, depth); err != nil {
				return i, -1, err
			}
			if j >= e && !a.GaveUp {
				a.releaseAlignedNames(from, i, outer, strange, true)
				a.CloseExtent(k, i)
				return i, e, nil
			}
			if i != before {
				first, gaps = false, true
			}
		}
		if i = jsontext.SkipSpace(s, i); i < len(s) && s[i] == '}' {
			break
		}
		if !first {
			if i >= len(s) || s[i] != ',' {
				return i, -1, scan.Unexpected(s, i, "',' or '}'")
			}
			i = jsontext.SkipSpace(s, i+1)
		}
		nameEnd, value, print, err := a.MemberName(s, i)
		if err != nil {
			return nameEnd, -1, err
		}
		a.PushName(print, i, nameEnd)
		w, after := a.BaseValue(i, nameEnd, value, j), -1
		strange = strange || w < 0
		if i, after, err = a.AlignedValue(value, w, depth+1); err != nil {
			return i, -1, err
		}
		if after >= 0 {
			j = after
		}
	}
	a.releaseAlignedNames(from, i+1, outer, strange, gaps)
	a.CloseExtent(k, i+1)
	return i + 1, a.BaseContainerEnd(i, j, v), nil
}

// leaveAligned forgets the names of the object at s[i:end] that was read against the base's.
func (a *Aligner) releaseAlignedNames(i, end, outer int, strange, gaps bool) {
	switch {
	case !strange || a.IgnoreNames:
		a.Names = a.Names[:outer]
	case gaps:
		a.Names = a.Names[:outer]
		a.recheckNames(i, end)
	default:
		a.charge(8 * (len(a.Names) - outer))
		a.FindDuplicateOfFew(a.Text, outer)
		a.ReleaseNames(a.Text, outer)
	}
}

// array reads the array at i, which corresponds to that at place v of the base. If that is a long
// one, it ends at e.
func (a *Aligner) alignedArray(i, v, e, depth int) (end, behind int, err error) {
	s := a.Text
	if err := scan.CheckDepth(i, depth); err != nil {
		return i, -1, err
	}
	a.Depth = max(a.Depth, depth+1)
	a.charge(containerCost)
	k, j := a.OpenExtent(i), v+1
	i++
	for first := true; ; first = false {
		if e > 0 && !a.GaveUp {
			from := i
			if i, j, err = a.skipCommon(i, j, e, depth); err != nil {
				return i, -1, err
			}
			if j >= e && !a.GaveUp {
				a.CloseExtent(k, i)
				return i, e, nil
			}
			first = first && i == from
		}
		if i = jsontext.SkipSpace(s, i); i < len(s) && s[i] == ']' {
			break
		}
		if !first {
			if i >= len(s) || s[i] != ',' {
				return i, -1, scan.Unexpected(s, i, "',' or ']'")
			}
			i = jsontext.SkipSpace(s, i+1)
		}
		item, after := -1, -1
		if !a.GaveUp {
			item = a.baseItem(i, j)
		}
		if i, after, err = a.AlignedValue(i, item, depth+1); err != nil {
			return i, -1, err
		}
		if after >= 0 {
			j = after
		}
	}
	a.CloseExtent(k, i+1)
	return i + 1, a.BaseContainerEnd(i, j, v), nil
}

// itemIn returns where the base has the item that corresponds to the one at i, -1 if its array ends
// before.
func (a *Aligner) baseItem(i, j int) int {
	if i < a.matchEnd {
		return i + a.offset
	}
	t := a.Base.Text
	a.Advance(i)
	if j = a.nextBaseToken(j); j >= len(t) || t[j] == ']' {
		return -1
	}
	a.sync(i, j)
	return j
}

// closing returns the place behind the container of the base that corresponds to the one which ends
// at i and began at v. What of it is before place j has been passed.
func (a *Aligner) BaseContainerEnd(i, j, v int) int {
	if a.GaveUp {
		return -1
	}
	if i < a.matchEnd {
		return i + 1 + a.offset
	}
	t := a.Base.Text
	behind := jsontext.SkipSpace(t, j)
	if behind < len(t) && t[behind] == a.Text[i] {
		behind++
	} else if behind = a.extentEnd(v); behind == 0 {
		behind = jsontext.EnclosingEnd(t, j, 1)
		a.charge((behind - j) / 2)
	}
	a.sync(i+1, behind)
	return behind
}

// lookAgain looks for duplicates among the names of the object at s[i:end], which was read, and not
// within its values.
func (a *Aligner) recheckNames(i, end int) {
	s, outer, seen := a.Text, len(a.Names), uint64(0)
	for i = jsontext.SkipSpace(s, i+1); i < end-1; i = jsontext.NextToken(s, i) {
		nameEnd, value, print, _ := a.MemberName(s, i)
		seen = a.AddName(s, outer, seen, print, i, nameEnd)
		i = 0
		if s[value] == '{' || s[value] == '[' {
			if k := scan.SearchExtents(a.Extents, value); k < len(a.Extents) &&
				int(a.Extents[k].From) == value {
				i = int(a.Extents[k].To)
			}
		}
		if i == 0 {
			i = jsontext.ValueEnd(s, value)
		}
	}
	a.charge(40 * (len(a.Names) - outer))
	a.ReleaseNames(s, outer)
}
