package align

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// extentEnd returns the end of the long container or string at a place of the base, 0 if there is
// none.
func (a *Aligner) extentEnd(at int) int {
	if k := a.searchExtent(at); k < len(a.Base.Extents) && int(a.Base.Extents[k].From) == at {
		return int(a.Base.Extents[k].To)
	}
	return 0
}

// searchExtent returns the index of the first extent of the base that begins at a place or later.
func (a *Aligner) searchExtent(at int) int {
	extents, k := a.Base.Extents, a.nextExtent
	if k == 0 || int(extents[k-1].From) < at { // usually one of the next
		for range 4 {
			if k == len(extents) || int(extents[k].From) >= at {
				a.nextExtent = k
				return k
			}
			k++
		}
	}
	a.nextExtent = scan.SearchExtents(extents, at)
	return a.nextExtent
}

// baseValueEnd returns the end of the value at a place of the base.
func (a *Aligner) baseValueEnd(at int) int {
	base := a.Base.Text
	if at >= len(base) {
		return len(base)
	}
	if c := base[at]; c == '{' || c == '[' || c == '"' {
		if end := a.extentEnd(at); end > 0 {
			return end
		}
	}
	end := jsontext.ValueEnd(base, at)
	a.charge((end - at) / 2)
	return end
}
