package reader

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

// stillOrdered records the role of a member of the object. It reports whether all of them so far
// are in the usual order: apiVersion and kind, metadata, spec, status.
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

// follow compares the object with its last state from the value of spec on, which is at i. It
// returns the end of what was read that way: of the object if all is true, or of the value of spec,
// or 0 if nothing was.
func (r *Reader) follow(i int) (end int, all bool) {
	if r.Base == nil || r.IgnoreNames || r.GaveUp || r.Duplicates || r.DontFollow ||
		r.Drop.child("spec") != nil || r.Drop.child("status") != nil {
		return 0, false
	}
	var last *align.LastState
	if r.hasLastState {
		last = &r.lastState
	}
	var f align.Follower
	if !f.Begin(&r.Aligner, i, last) || !r.follows.allow() && !r.Aligner.Eager {
		return 0, false
	}
	all = f.Run()
	if f.Wasted() {
		r.follows.failed++ // a failure counts twice as much as a success
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
	return f.SpecEnd(), false
}
