package scan

// extent is where a container or a string begins and ends.
type Extent struct{ From, To uint32 }

// minExtent is how long a value must be for its extent to be kept. Shorter ones are read as fast as
// they are found.
const MinExtent = 128

// passedString notes that a string was read.
func (sc *Scanner) AddString(i, end int) {
	if sc.KeepExtents && end-i >= sc.MinLength {
		sc.Extents = append(sc.Extents, Extent{uint32(i), uint32(end)})
	}
}

// opened notes that a container begins at i. What it returns is for closed.
func (sc *Scanner) OpenExtent(i int) int {
	if sc.KeepExtents {
		sc.Extents = append(sc.Extents, Extent{From: uint32(i)})
	}
	return len(sc.Extents) - 1
}

// closed notes that the container ends before i.
func (sc *Scanner) CloseExtent(k, i int) {
	if !sc.KeepExtents {
		return
	}
	if e := &sc.Extents[k]; i-int(e.From) >= sc.MinLength {
		e.To = uint32(i)
	} else {
		sc.Extents = sc.Extents[:k] // what is within it is shorter still
	}
}

// searchExtents returns the first extent that begins at a place or behind it.
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
