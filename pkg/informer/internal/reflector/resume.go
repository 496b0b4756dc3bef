package reflector

import (
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Known is what a store has before the reflector begins.
type Known struct {
	// Version is up to which it is complete, "" if that is unknown.
	Version string
	// Stored returns the present state of an object, nil if there is none.
	Stored func(object.Key) *object.Object
	// Gone are objects that have ended after Version, and the versions by which they had.
	Gone map[object.Key]uint64
	// Newest is the highest version of anything stored or gone. It may be above Version.
	Newest uint64
}

// Resume has the reflector begin with a watch instead of a list, which comes only if the server
// does not have that version any more. It may be called before Run. What a watch brings again of
// what is known is left out, and no list is older than that.
func (r *Reflector) Resume(k Known) {
	if object.ParseVersion(k.Version) > 0 {
		r.resuming, r.suspect = true, true
		r.SetVersion(k.Version)
	}
	if k.Newest > object.ParseVersion(k.Version) {
		r.known = &k
	}
}

// ListFirst undoes that a list is left out after Resume. The list has the newest state.
func (r *Reflector) ListFirst() { r.resuming, r.unavailable = false, true }

// has reports whether an event is known already.
func (k *Known) has(typ queue.Type, o *object.Object) bool {
	version := object.ParseVersion(o.ResourceVersion())
	if version == 0 {
		return false
	}
	if stored := k.Stored(o.Key()); stored != nil {
		at := object.ParseVersion(stored.ResourceVersion())
		// The end of what is stored may have the version of its last state.
		return version < at || version == at && typ != queue.Deleted
	}
	gone, ok := k.Gone[o.Key()]
	return ok && version <= gone
}

// newest returns the newest version that was seen, "" if there is none.
func (r *Reflector) newest() string {
	if r.known != nil && r.known.Newest > object.ParseVersion(r.last) {
		return strconv.FormatUint(r.known.Newest, 10)
	}
	return r.last
}

// reached forgets what is known once the watch has come to it.
func (r *Reflector) reached(version string) {
	if r.known != nil && object.ParseVersion(version) >= r.known.Newest {
		r.known = nil
	}
}

// resumed notes that the server has begun the first watch.
func (r *Reflector) resumed() {
	if r.resuming {
		r.resuming, r.relist = false, noRelist
		r.Queue.Begin()
	}
}

// mayResume reports whether the first watch may be asked for again after an error: the server has
// not said anything about the version.
func mayResume(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err)
}
