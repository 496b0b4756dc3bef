package object

// extent is where a container or a string begins and ends.
type extent struct{ from, to uint32 }

// minExtent is how long a value must be for its extent to be kept. Shorter ones are read as fast as
// they are found.
const minExtent = 128

// passedString notes that a string was read.
func (c *checker) passedString(i, end int) {
	if c.noting && end-i >= c.short {
		c.extents = append(c.extents, extent{uint32(i), uint32(end)})
	}
}

// opened notes that a container begins at i. What it returns is for closed.
func (c *checker) opened(i int) int {
	if c.noting {
		c.extents = append(c.extents, extent{from: uint32(i)})
	}
	return len(c.extents) - 1
}

// closed notes that the container ends before i.
func (c *checker) closed(k, i int) {
	if !c.noting {
		return
	}
	if e := &c.extents[k]; i-int(e.from) >= c.short {
		e.to = uint32(i)
	} else {
		c.extents = c.extents[:k] // what is within it is shorter still
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
