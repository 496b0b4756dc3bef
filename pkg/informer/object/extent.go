package object

// extent is where a container or a string begins and ends.
type extent struct{ from, to uint32 }

// minExtent is how long a value must be for its extent to be kept. Shorter ones are read as fast as
// they are found.
const minExtent = 128

// passedString notes that a string was read.
func (sc *scanner) addString(i, end int) {
	if sc.keepExtents && end-i >= sc.minLength {
		sc.extents = append(sc.extents, extent{uint32(i), uint32(end)})
	}
}

// opened notes that a container begins at i. What it returns is for closed.
func (sc *scanner) openExtent(i int) int {
	if sc.keepExtents {
		sc.extents = append(sc.extents, extent{from: uint32(i)})
	}
	return len(sc.extents) - 1
}

// closed notes that the container ends before i.
func (sc *scanner) closeExtent(k, i int) {
	if !sc.keepExtents {
		return
	}
	if e := &sc.extents[k]; i-int(e.from) >= sc.minLength {
		e.to = uint32(i)
	} else {
		sc.extents = sc.extents[:k] // what is within it is shorter still
	}
}

// searchExtents returns the first extent that begins at a place or behind it.
func searchExtents(all []extent, at int) int {
	from, to := 0, len(all)
	for from < to {
		if half := (from + to) / 2; int(all[half].from) < at {
			from = half + 1
		} else {
			to = half
		}
	}
	return from
}
