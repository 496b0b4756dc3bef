package plugins

// endEvent ends what the granted modules hold for one event: what was read, and what counts against
// the grants.
func (g *guest) endEvent() {
	g.http = httpState{}
	g.cache.reset()
}
