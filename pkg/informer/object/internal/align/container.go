package align

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// AlignedValue reads the value at i. It returns its end, and the end of the corresponding value of
// the base, -1 if there is none.
func (a *Aligner) AlignedValue(i, base, depth int) (end, baseEnd int, err error) {
	if base < 0 || a.GaveUp || i >= len(a.Text) || base >= len(a.Base.Text) {
		end, err = a.Value(a.Text, i, depth)
		return end, -1, err
	}
	c := a.Text[i]
	if (c == '{' || c == '[' || c == '"' && i+a.MinLength <= a.matchEnd) &&
		a.Base.Text[base] == c &&
		depth+MaxBaseDepth < scan.MaxDepth {
		longEnd := a.extentEnd(base)
		switch {
		case longEnd > 0 && i+longEnd-base <= a.matchEnd:
			a.takeExtents(base, longEnd, i-base)
			return i + longEnd - base, longEnd, nil
		case c == '"', longEnd == 0 && i+a.MinLength <= a.matchEnd: // short and equal
		case c == '{':
			return a.alignedObject(i, base, longEnd, depth)
		default:
			return a.alignedArray(i, base, longEnd, depth)
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
	if c == '"' && end-i < a.MinLength && a.Base.Text[base] == '"' {
		baseEnd = jsontext.StringEnd(a.Base.Text, base)
		a.charge((baseEnd - base) / 4)
	} else {
		baseEnd = a.baseValueEnd(base)
	}
	a.sync(end, baseEnd)
	return end, baseEnd, nil
}

// alignedObject reads the object at i. longEnd is the end of the corresponding object of the base
// if that is a long one, else 0.
//
// Names that the base has in the same order are not duplicates of each other. So the names are
// compared only if there are others.
func (a *Aligner) alignedObject(i, base, longEnd, depth int) (end, baseEnd int, err error) {
	s := a.Text
	if err := scan.CheckDepth(i, depth); err != nil {
		return i, -1, err
	}
	a.Depth = max(a.Depth, depth+1)
	a.charge(containerCost)
	extent, j, from, firstName := a.OpenExtent(i), base+1, i, len(a.Names)
	// Whether there are names that are not aligned, and names that were not read.
	unaligned, skipped := false, false
	i++
	for first := true; ; first = false {
		if longEnd > 0 && !a.GaveUp {
			before := i
			if i, j, err = a.skipCommon(i, j, longEnd, depth); err != nil {
				return i, -1, err
			}
			if j >= longEnd && !a.GaveUp {
				a.releaseAlignedNames(from, i, firstName, unaligned, true)
				a.CloseExtent(extent, i)
				return i, longEnd, nil
			}
			if i != before {
				first, skipped = false, true
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
		nameEnd, value, fingerprint, err := a.MemberName(s, i)
		if err != nil {
			return nameEnd, -1, err
		}
		a.PushName(fingerprint, i, nameEnd)
		valueBase, valueBaseEnd := a.BaseValue(i, nameEnd, value, j), -1
		unaligned = unaligned || valueBase < 0
		if i, valueBaseEnd, err = a.AlignedValue(value, valueBase, depth+1); err != nil {
			return i, -1, err
		}
		if valueBaseEnd >= 0 {
			j = valueBaseEnd
		}
	}
	a.releaseAlignedNames(from, i+1, firstName, unaligned, skipped)
	a.CloseExtent(extent, i+1)
	return i + 1, a.BaseContainerEnd(i, j, base), nil
}

// releaseAlignedNames releases the names of the object s[i:end], and looks for duplicates if that
// is necessary.
func (a *Aligner) releaseAlignedNames(i, end, firstName int, unaligned, skipped bool) {
	switch {
	case !unaligned || a.IgnoreNames:
		a.Names = a.Names[:firstName]
	case skipped:
		a.Names = a.Names[:firstName]
		a.recheckNames(i, end)
	default:
		a.charge(8 * (len(a.Names) - firstName))
		a.FindDuplicateOfFew(a.Text, firstName)
		a.ReleaseNames(a.Text, firstName)
	}
}

// alignedArray reads the array at i. longEnd is the end of the corresponding array of the base if
// that is a long one, else 0.
func (a *Aligner) alignedArray(i, base, longEnd, depth int) (end, baseEnd int, err error) {
	s := a.Text
	if err := scan.CheckDepth(i, depth); err != nil {
		return i, -1, err
	}
	a.Depth = max(a.Depth, depth+1)
	a.charge(containerCost)
	extent, j := a.OpenExtent(i), base+1
	i++
	for first := true; ; first = false {
		if longEnd > 0 && !a.GaveUp {
			from := i
			if i, j, err = a.skipCommon(i, j, longEnd, depth); err != nil {
				return i, -1, err
			}
			if j >= longEnd && !a.GaveUp {
				a.CloseExtent(extent, i)
				return i, longEnd, nil
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
		itemBase, itemBaseEnd := -1, -1
		if !a.GaveUp {
			itemBase = a.baseItem(i, j)
		}
		if i, itemBaseEnd, err = a.AlignedValue(i, itemBase, depth+1); err != nil {
			return i, -1, err
		}
		if itemBaseEnd >= 0 {
			j = itemBaseEnd
		}
	}
	a.CloseExtent(extent, i+1)
	return i + 1, a.BaseContainerEnd(i, j, base), nil
}

// baseItem returns the place of the item of the base that corresponds to the one at i, -1 if its
// array ends before.
func (a *Aligner) baseItem(i, j int) int {
	if i < a.matchEnd {
		return i + a.offset
	}
	base := a.Base.Text
	a.Advance(i)
	if j = a.nextBaseToken(j); j >= len(base) || base[j] == ']' {
		return -1
	}
	a.sync(i, j)
	return j
}

// BaseContainerEnd returns the end of the container of the base at place base. Its counterpart in
// the text has its closing bracket at i; j is a place between its values.
func (a *Aligner) BaseContainerEnd(i, j, base int) int {
	if a.GaveUp {
		return -1
	}
	if i < a.matchEnd {
		return i + 1 + a.offset
	}
	t := a.Base.Text
	baseEnd := jsontext.SkipSpace(t, j)
	if baseEnd < len(t) && t[baseEnd] == a.Text[i] {
		baseEnd++
	} else if baseEnd = a.extentEnd(base); baseEnd == 0 {
		baseEnd = jsontext.EnclosingEnd(t, j, 1)
		a.charge((baseEnd - j) / 2)
	}
	a.sync(i+1, baseEnd)
	return baseEnd
}

// recheckNames looks for duplicates among the names of the object s[i:end], which was read, but not
// within its values.
func (a *Aligner) recheckNames(i, end int) {
	s, firstName, seen := a.Text, len(a.Names), uint64(0)
	for i = jsontext.SkipSpace(s, i+1); i < end-1; i = jsontext.NextToken(s, i) {
		nameEnd, value, fingerprint, _ := a.MemberName(s, i)
		seen = a.AddName(s, firstName, seen, fingerprint, i, nameEnd)
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
	a.charge(40 * (len(a.Names) - firstName))
	a.ReleaseNames(s, firstName)
}
