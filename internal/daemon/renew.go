package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/informerd/informerd/pkg/informer"
)

// renewTime bounds the requests that find out what has become of a resource.
const renewTime = 30 * time.Second

// names are those that the configuration has for the resources that were found. The zero value is
// ready; it is safe for concurrent use.
type names struct {
	mu sync.Mutex
	of map[informer.Resource]map[string]bool
}

func (n *names) note(resource informer.Resource, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == nil {
		n.of = map[informer.Resource]map[string]bool{}
	}
	if n.of[resource] == nil {
		n.of[resource] = map[string]bool{}
	}
	n.of[resource][name] = true
}

func (n *names) all(resource informer.Resource) (all []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for name := range n.of[resource] {
		all = append(all, name)
	}
	return all
}

// renew returns what a resource that the API server no longer has is by now: the same one in
// another version, if the configuration leaves the version to the server. Otherwise it returns an
// error, which is informer.ErrGone if its definition was removed. One informer that names the version keeps the others from moving, too: listeners of both
// kinds share a watch, and those that named the version must not get another.
func (c *cluster) renew(ctx context.Context, was informer.Resource) (informer.Resource, error) {
	ctx, cancel := context.WithTimeout(ctx, renewTime)
	defer cancel()
	c.resolver.Invalidate()
	if c.definitions.Removed(was.GroupResource()) {
		return was, fmt.Errorf("its CustomResourceDefinition is not there any more: %w",
			informer.ErrGone)
	}
	var now informer.Resource
	for _, name := range c.names.all(was) {
		found, err := c.resolver.Resolve(ctx, name)
		if err != nil {
			return was, err
		}
		is := resourceOf(found)
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
	for _, name := range c.names.all(was) {
		c.names.note(now, name)
	}
	if now != was && c.renewed != nil {
		c.renewed(was, now)
	}
	return now, nil
}
