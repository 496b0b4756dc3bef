package patch

import (
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink"
)

const (
	// missingTime is for how long a resource may be missing before its patches are given up: while
	// a definition is made again, or another version of it takes over, nobody serves it.
	missingTime  = 2 * time.Minute
	missingDelay = time.Second
)

// versions knows in which versions resources are by now, and which are missing. It is safe for
// concurrent use.
type versions struct {
	mu      sync.Mutex // guards what follows
	renewed map[schema.GroupVersionResource]string
	missing map[schema.GroupVersionResource]time.Time // since when
}

// Renewed has patches of a cluster's resource use another version, those of earlier messages
// included.
func (w *Writes) Renewed(cluster string, was schema.GroupVersionResource, now string) {
	v := &w.in(cluster).versions
	v.mu.Lock()
	defer v.mu.Unlock()
	for earlier, to := range v.renewed {
		if earlier.GroupResource() == was.GroupResource() && to == was.Version {
			v.renewed[earlier] = now
		}
	}
	v.renewed[was] = now
	delete(v.renewed, was.GroupResource().WithVersion(now)) // it has come back
}

// of returns the resource of a message, in the version that it has by now.
func (v *versions) of(o *sink.Origin) schema.GroupVersionResource {
	r := schema.GroupVersionResource{Group: o.Group, Version: o.Version, Resource: o.Plural}
	v.mu.Lock()
	defer v.mu.Unlock()
	if now := v.renewed[r]; now != "" {
		r.Version = now
	}
	return r
}

// absent returns the error of a resource that the API server does not have: a transient one, about
// the message alone, until it has been missing for too long.
func (v *versions) absent(r schema.GroupVersionResource, err error, now time.Time) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	since, known := v.missing[r]
	if !known {
		since, v.missing[r] = now, now
	}
	if now.Sub(since) >= missingTime {
		return err
	}
	var plain *sink.KubeError // without the mark of a permanent one
	if !errors.As(err, &plain) {
		return err
	}
	return sink.Alone(sink.RetryAfter(plain, missingDelay))
}

// there notes that the API server has a resource.
func (v *versions) there(r schema.GroupVersionResource) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.missing, r)
}
