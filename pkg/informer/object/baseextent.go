package object

// extent returns the end of the long container or string that begins at a place of the base, 0 if
// there is none.
func (a *aligner) extentEnd(at int) int {
	if k := a.extentFrom(at); k < len(a.base.extents) && int(a.base.extents[k].from) == at {
		return int(a.base.extents[k].to)
	}
	return 0
}

// extentAt returns the first of the base's extents that begins at a place or behind it.
func (a *aligner) extentFrom(at int) int {
	all, k := a.base.extents, a.nextExtent
	if k == 0 || int(all[k-1].from) < at { // most often it is one of the next
		for range 4 {
			if k == len(all) || int(all[k].from) >= at {
				a.nextExtent = k
				return k
			}
			k++
		}
	}
	a.nextExtent = searchExtents(all, at)
	return a.nextExtent
}

// behind returns the place behind the value at a place of the base.
func (a *aligner) baseValueEnd(at int) int {
	t := a.base.text
	if at >= len(t) {
		return len(t)
	}
	if c := t[at]; c == '{' || c == '[' || c == '"' {
		if end := a.extentEnd(at); end > 0 {
			return end
		}
	}
	end := valueEnd(t, at)
	a.charge((end - at) / 2)
	return end
}
