package object

// extent returns the end of the long container or string that begins at a place of the base, 0 if
// there is none.
func (r *aligner) extent(at int) int {
	if k := r.extentAt(at); k < len(r.base.extents) && int(r.base.extents[k].from) == at {
		return int(r.base.extents[k].to)
	}
	return 0
}

// extentAt returns the first of the base's extents that begins at a place or behind it.
func (r *aligner) extentAt(at int) int {
	all, k := r.base.extents, r.near
	if k == 0 || int(all[k-1].from) < at { // most often it is one of the next
		for range 4 {
			if k == len(all) || int(all[k].from) >= at {
				r.near = k
				return k
			}
			k++
		}
	}
	r.near = searchExtents(all, at)
	return r.near
}

// behind returns the place behind the value at a place of the base.
func (r *aligner) behind(at int) int {
	t := r.base.text
	if at >= len(t) {
		return len(t)
	}
	if c := t[at]; c == '{' || c == '[' || c == '"' {
		if end := r.extent(at); end > 0 {
			return end
		}
	}
	end := skipTrusted(t, at)
	r.spend((end - at) / 2)
	return end
}
