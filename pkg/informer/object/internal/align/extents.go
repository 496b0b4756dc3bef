package align

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// extent returns the end of the long container or string that begins at a place of the base, 0 if
// there is none.
func (a *Aligner) extentEnd(at int) int {
	if k := a.extentFrom(at); k < len(a.Base.Extents) && int(a.Base.Extents[k].From) == at {
		return int(a.Base.Extents[k].To)
	}
	return 0
}

// extentAt returns the first of the base's extents that begins at a place or behind it.
func (a *Aligner) extentFrom(at int) int {
	all, k := a.Base.Extents, a.nextExtent
	if k == 0 || int(all[k-1].From) < at { // most often it is one of the next
		for range 4 {
			if k == len(all) || int(all[k].From) >= at {
				a.nextExtent = k
				return k
			}
			k++
		}
	}
	a.nextExtent = scan.SearchExtents(all, at)
	return a.nextExtent
}

// behind returns the place behind the value at a place of the base.
func (a *Aligner) baseValueEnd(at int) int {
	t := a.Base.Text
	if at >= len(t) {
		return len(t)
	}
	if c := t[at]; c == '{' || c == '[' || c == '"' {
		if end := a.extentEnd(at); end > 0 {
			return end
		}
	}
	end := jsontext.ValueEnd(t, at)
	a.charge((end - at) / 2)
	return end
}
