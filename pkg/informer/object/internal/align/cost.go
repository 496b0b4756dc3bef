package align

const (
	// A base may cost baseCredit bytes and a creditShare-th of the bytes read. Metadata differs
	// more than the rest.
	baseCredit     = 400
	creditShare    = 4
	metadataCredit = 400
	// syncCost is the cost of continuing after a difference, containerCost that of reading a
	// container with one in it.
	syncCost      = 25
	containerCost = 40
)

// charge adds to what reading against the base costs beyond reading without it. When that becomes
// too much, the rest is read without.
func (a *Aligner) charge(bytes int) {
	credit := baseCredit + a.progress/creditShare
	if !a.MetadataRead {
		credit += metadataCredit
	}
	if a.Cost += bytes; a.Cost > credit && !a.Eager {
		a.GaveUp = true
	}
}

// Advance records that the text was read up to place i. The more was read, the more may be charged.
func (a *Aligner) Advance(i int) { a.progress = max(a.progress, i-a.Start) }
