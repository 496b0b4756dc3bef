package definitions

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/pkg/informer"
)

// renewTime bounds the requests that find out what has become of a resource.
const renewTime = 30 * time.Second

// Renewer finds out what has become of resources that the API server does not have any more. Set
// the fields first; it is safe for concurrent use.
type Renewer struct {
	Resolver *kube.Resolver
	Watch    *Watch
	// Renewed, if set, is called before a resource is read in another version.
	Renewed func(was, now informer.Resource)

	mu sync.Mutex
	of map[informer.Resource][]string // the names in the configuration
}

// Note notes the name that the configuration has for a resource that was found.
func (n *Renewer) Note(resource informer.Resource, name string) {
	n.Watch.follow(resource.GroupResource())
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == nil {
		n.of = map[informer.Resource][]string{}
	}
	if !slices.Contains(n.of[resource], name) {
		n.of[resource] = append(n.of[resource], name)
	}
}

func (n *Renewer) names(resource informer.Resource) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.of[resource])
}

// Renew returns what a resource that the API server no longer has is by now: the same one in
// another version, if the configuration leaves the version to the server. Otherwise it returns an
// error, which is informer.ErrGone if its definition was removed. One informer that names the
// version keeps the others from moving, too: listeners of both kinds share a watch, and those that
// named the version must not get another.
func (n *Renewer) Renew(ctx context.Context, was informer.Resource) (informer.Resource, error) {
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	n.Resolver.Invalidate()
	if n.Watch.removed(was.GroupResource()) {
		return was, fmt.Errorf("its CustomResourceDefinition is not there any more: %w",
			informer.ErrGone)
	}
	var now informer.Resource
	for _, name := range n.names(was) {
		found, err := n.Resolver.Resolve(ctx, name)
		if err != nil {
			return was, err
		}
		is := found.Watched()
		if is.GroupResource() != was.GroupResource() || is.Kind != was.Kind {
			return was, fmt.Errorf("%q is %s by now, which is another resource than %s", name,
				found, was.GroupVersionResource)
		}
		if now != (informer.Resource{}) && now != is {
			return was, fmt.Errorf("the configuration asks for two versions of %s", was)
		}
		now = is
	}
	if now == (informer.Resource{}) {
		return was, fmt.Errorf("nothing in the configuration is %s", was.GroupVersionResource)
	}
	for _, name := range n.names(was) {
		n.Note(now, name)
	}
	if now != was && n.Renewed != nil {
		n.Renewed(was, now)
	}
	return now, nil
}
