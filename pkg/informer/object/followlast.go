package object

// stillRegular notes a member of the object and reports whether all of them so far are in the usual
// order: apiVersion and kind, metadata, spec, status.
func (r *reading) stillRegular(role role) bool {
	switch role {
	case roleAPIVersion, roleKind, roleMetadata:
		r.regular = r.regular && !r.metadata
	case roleSpec:
		r.regular = r.regular && r.metadata && r.spec == 0
	case roleStatus:
		r.regular = r.regular && r.spec > 0 && r.status == 0
	default:
		r.regular = false
	}
	return r.regular
}

// follow reads the object from the value of spec at i on, as long as it has the same tokens as its
// last state, or the base, but for what is in values. It returns the place behind what it has read:
// the object (all), the value of spec, or nothing, which is place 0.
func (r *reading) follow(i int) (behind int, all bool) {
	if r.base == nil || r.lax || r.lost || r.twice || r.unfollowing ||
		r.drop.child("spec") != nil || r.drop.child("status") != nil {
		return 0, false
	}
	var f follower
	if !f.begin(&r.aligner, i, &r.last) || !r.follows.try() && !r.eager {
		return 0, false
	}
	all = f.run()
	if f.i-f.marked > (f.marked-i)/4 { // in vain
		r.follows.failed++ // twice as much as a success makes up for
		r.follows.inVain()
	} else {
		r.follows.failed -= min(r.follows.failed, 1)
	}
	if f.marked == i {
		return 0, false
	}
	r.spec, r.followed, r.deepest = i, true, max(r.deepest, f.levels)
	if all {
		r.status = f.newStatus
		return f.i, true
	}
	r.reached(f.marked)
	return f.behindSpec(), false
}
