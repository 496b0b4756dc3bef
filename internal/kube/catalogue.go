package kube

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/internal/resourcename"
)

// catalogue is the resources in one answer of the server. It is immutable.
type catalogue struct {
	entries []entry  // best first
	failed  []string // group/version
}

// entry is one resource in one version.
type entry struct {
	Resource
	singular   string
	shortNames []string
	verbs      []string
}

// newCatalogue returns the resources of groups, which come best first.
func newCatalogue(groups []groupVersion) *catalogue {
	c := &catalogue{}
	for _, gv := range groups {
		if gv.err != nil {
			c.failed = append(c.failed, gv.String())
		}
		c.entries = append(c.entries, gv.entries...)
	}
	slices.Sort(c.failed)
	return c
}

// find returns the best entry of the name, nil if there is none.
func (c *catalogue) find(name string) *entry {
	for _, watchable := range []bool{true, false} {
		for _, q := range resourcename.Readings(name) {
			for _, matches := range []func(*entry, string) bool{(*entry).isPlural, (*entry).isKind,
				(*entry).isShortName} {
				for i := range c.entries {
					e := &c.entries[i]
					if e.isIn(q) && matches(e, q.Resource) && (e.watchable() || !watchable) {
						return e
					}
				}
			}
		}
	}
	return nil
}

func (e *entry) isIn(r resourcename.Reading) bool {
	return r.AnyGroup || e.GVR.Group == r.Group && (r.Version == "" || e.GVR.Version == r.Version)
}

func (e *entry) isPlural(name string) bool { return strings.EqualFold(e.GVR.Resource, name) }

// isKind also accepts the singular, which older servers leave empty, and which is the kind in lower
// case.
func (e *entry) isKind(name string) bool {
	return strings.EqualFold(e.GVK.Kind, name) || e.singular != "" &&
		strings.EqualFold(e.singular, name)
}

func (e *entry) isShortName(name string) bool {
	return slices.ContainsFunc(e.shortNames, func(short string) bool {
		return strings.EqualFold(short, name)
	})
}

// watchable is also true if the server does not list the verbs.
func (e *entry) watchable() bool {
	return len(e.verbs) == 0 || slices.Contains(e.verbs, "list") &&
		slices.Contains(e.verbs, "watch")
}

// near returns resources that may have been meant by a name that was not found: with a similar
// spelling, or beginning with it.
func (c *catalogue) near(name string) []Resource {
	const most = 3
	asked := resourcename.Readings(name)[0].Resource
	type candidate struct {
		*entry
		score int
	}
	var found []candidate
	for i := range c.entries {
		if score, ok := likeness(asked, &c.entries[i]); ok && c.entries[i].watchable() {
			found = append(found, candidate{&c.entries[i], score})
		}
	}
	// The entries' own order, best first, decides between equals.
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.score, b.score) })
	var near []Resource
	for _, f := range found {
		sameResource := func(r Resource) bool {
			return r.GVR.GroupResource() == f.GVR.GroupResource()
		}
		if len(near) < most && !slices.ContainsFunc(near, sameResource) {
			near = append(near, f.Resource)
		}
	}
	return near
}

// likeness is smaller the more similar a name is to one of the entry's.
func likeness(name string, e *entry) (int, bool) {
	const unlike = 1000
	score := unlike
	for _, known := range []string{e.GVR.Resource, e.GVK.Kind} {
		if d, ok := nearest.Distance(name, known); ok {
			score = min(score, d)
		}
	}
	if e.isShortName(name) {
		score = 0 // right, but in another group or version
	}
	if score == unlike && commonPrefix(name, e.GVR.Resource) >= max(3, len(name)-2) {
		score = unlike - 1
	}
	return score, score < unlike
}

func commonPrefix(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// failedFor returns the failed groups in which a resource of the name may be.
func (c *catalogue) failedFor(name string) []string {
	var failed []string
	for _, text := range c.failed {
		gv, err := schema.ParseGroupVersion(text)
		e := &entry{Resource: Resource{GVR: gv.WithResource("")}}
		if err == nil && slices.ContainsFunc(resourcename.Readings(name), e.isIn) &&
			!slices.Contains(failed, text) {
			failed = append(failed, text)
		}
	}
	return failed
}
