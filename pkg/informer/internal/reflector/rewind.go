package reflector

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/object"
)

// isBehind asks a server that may have gone back for its version, and reports whether it has: then
// the next list has what there is by now. A list without a version is never an old one.
func (r *Reflector) isBehind(ctx context.Context) (bool, error) {
	if !r.suspect || r.incomparable {
		return false, nil
	}
	var one []*object.Object
	page, err := r.listPage(ctx, metav1.ListOptions{Limit: 1}, &one)
	if err != nil {
		return false, err
	}
	r.suspect = false
	return r.rewinds(page.Metadata.ResourceVersion, r.newest()), nil
}

// rewinds reports whether a version is below one that was seen before, and asks for the newest list
// if it is.
func (r *Reflector) rewinds(version, seen string) bool {
	if !r.isBelow(version, seen) {
		return false
	}
	r.Log.Warn("the API server is behind what it had, since it was restored from a backup or is another one; listing again",
		"version", version, "seen", seen)
	r.relist, r.unavailable, r.resuming = Rewound, true, false
	return true
}

// isBelow reports whether a version is below another one, where that can be said.
func (r *Reflector) isBelow(version, seen string) bool {
	n := object.ParseVersion(version)
	return n > 0 && n < object.ParseVersion(seen) && !r.incomparable
}

// hasRewound reports whether a list that comes may be older than what is known. If a watch had a
// version that was below another one, so that it is suspect now, and the list has not, versions say
// nothing: else every event might lead to another list. After a list of one object, the server may
// have come to the last version meanwhile.
func (r *Reflector) hasRewound(version string) bool {
	if r.relist != Rewound {
		return r.rewinds(version, r.newest())
	}
	r.incomparable = r.suspect && !r.isBelow(version, r.newest())
	return true
}
