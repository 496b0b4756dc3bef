package reader

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

// stillRegular notes a member of the object and reports whether all of them so far are in the usual
// order: apiVersion and kind, metadata, spec, status.
func (r *Reader) stillOrdered(role role) bool {
	switch role {
	case roleAPIVersion, roleKind, roleMetadata:
		r.Ordered = r.Ordered && !r.MetadataRead
	case roleSpec:
		r.Ordered = r.Ordered && r.MetadataRead && r.Spec == 0
	case roleStatus:
		r.Ordered = r.Ordered && r.Spec > 0 && r.Status == 0
	default:
		r.Ordered = false
	}
	return r.Ordered
}

// follow reads the object from the value of spec at i on, as long as it has the same tokens as its
// last state, or the base, but for what is in values. It returns the place behind what it has read:
// the object (all), the value of spec, or nothing, which is place 0.
func (r *Reader) follow(i int) (behind int, all bool) {
	if r.Base == nil || r.IgnoreNames || r.GaveUp || r.Duplicates || r.DontFollow ||
		r.Drop.child("spec") != nil || r.Drop.child("status") != nil {
		return 0, false
	}
	var f align.Follower
	if !f.Begin(&r.Aligner, i, &r.last) || !r.follows.allow() && !r.Unlimited {
		return 0, false
	}
	all = f.Run()
	if f.At-f.Valid > (f.Valid-i)/4 { // in vain
		r.follows.failed++ // twice as much as a success makes up for
		r.follows.fail()
	} else {
		r.follows.failed -= min(r.follows.failed, 1)
	}
	if f.Valid == i {
		return 0, false
	}
	r.Spec, r.Followed, r.Depth = i, true, max(r.Depth, f.Depth)
	if all {
		r.Status = f.NewStatus
		return f.At, true
	}
	r.Advance(f.Valid)
	return f.BehindSpec(), false
}
