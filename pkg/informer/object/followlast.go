package object

// stillRegular notes a member of the object and reports whether all of them so far are in the usual
// order: apiVersion and kind, metadata, spec, status.
func (r *reader) stillOrdered(role role) bool {
	switch role {
	case roleAPIVersion, roleKind, roleMetadata:
		r.ordered = r.ordered && !r.metadataRead
	case roleSpec:
		r.ordered = r.ordered && r.metadataRead && r.spec == 0
	case roleStatus:
		r.ordered = r.ordered && r.spec > 0 && r.status == 0
	default:
		r.ordered = false
	}
	return r.ordered
}

// follow reads the object from the value of spec at i on, as long as it has the same tokens as its
// last state, or the base, but for what is in values. It returns the place behind what it has read:
// the object (all), the value of spec, or nothing, which is place 0.
func (r *reader) follow(i int) (behind int, all bool) {
	if r.base == nil || r.ignoreNames || r.gaveUp || r.duplicates || r.dontFollow ||
		r.drop.child("spec") != nil || r.drop.child("status") != nil {
		return 0, false
	}
	var f follower
	if !f.begin(&r.aligner, i, &r.last) || !r.follows.allow() && !r.unlimited {
		return 0, false
	}
	all = f.run()
	if f.at-f.valid > (f.valid-i)/4 { // in vain
		r.follows.failed++ // twice as much as a success makes up for
		r.follows.fail()
	} else {
		r.follows.failed -= min(r.follows.failed, 1)
	}
	if f.valid == i {
		return 0, false
	}
	r.spec, r.followed, r.depth = i, true, max(r.depth, f.depth)
	if all {
		r.status = f.newStatus
		return f.at, true
	}
	r.advance(f.valid)
	return f.behindSpec(), false
}
