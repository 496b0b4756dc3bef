package scan

// Extent is the place and the end of a container or a string.
type Extent struct{ From, To uint32 }

// MinExtent is the usual Scanner.MinLength. Shorter values are read as fast as their extents are
// found.
const MinExtent = 128

// AddString records the extent of the string s[i:end].
func (sc *Scanner) AddString(i, end int) {
	if sc.KeepExtents && end-i >= sc.MinLength {
		sc.Extents = append(sc.Extents, Extent{uint32(i), uint32(end)})
	}
}

// OpenExtent records that a container begins at i. It returns the index to call CloseExtent with.
func (sc *Scanner) OpenExtent(i int) int {
	if sc.KeepExtents {
		sc.Extents = append(sc.Extents, Extent{From: uint32(i)})
	}
	return len(sc.Extents) - 1
}

// CloseExtent records that container k ends at i, or removes it and what is in it if it is short.
func (sc *Scanner) CloseExtent(k, i int) {
	if !sc.KeepExtents {
		return
	}
	if e := &sc.Extents[k]; i-int(e.From) >= sc.MinLength {
		e.To = uint32(i)
	} else {
		sc.Extents = sc.Extents[:k]
	}
}

// SearchExtents returns the index of the first extent that begins at place at or later.
func SearchExtents(all []Extent, at int) int {
	from, to := 0, len(all)
	for from < to {
		if half := (from + to) / 2; int(all[half].From) < at {
			from = half + 1
		} else {
			to = half
		}
	}
	return from
}
