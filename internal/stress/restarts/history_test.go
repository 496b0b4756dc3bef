package restarts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
)

// pod is the state of an object at one version.
type pod struct {
	namespace, name, team string
	n                     int
	uid                   string
	version               int
}

func (p *pod) key() string { return p.namespace + "/" + p.name }

func (p *pod) json() string {
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":%q,"name":%q,`+
		`"uid":%q,"resourceVersion":"%d","labels":{"team":%q}},"spec":{"n":%d}}`, p.namespace,
		p.name, p.uid, p.version, p.team, p.n)
}

// change is an entry of the server's history. Before is nil for a creation, after for a deletion.
type change struct {
	version       int
	before, after *pod
}

func (c change) key() string {
	if c.after != nil {
		return c.after.key()
	}
	return c.before.key()
}

func (c change) String() string {
	if c.after == nil {
		return fmt.Sprintf("%d deleted %s", c.version, c.before.uid)
	}
	return fmt.Sprintf("%d %s, team %s, n %d", c.version, c.after.uid, c.after.team, c.after.n)
}

// frame is what a watch sends of a change.
func (c change) frame() string {
	switch {
	case c.before == nil:
		return frame("ADDED", c.after.json())
	case c.after != nil:
		return frame("MODIFIED", c.after.json())
	}
	last := *c.before
	last.version = c.version
	return frame("DELETED", last.json())
}

func frame(typ, object string) string {
	return `{"type":"` + typ + `","object":` + object + "}\n"
}

func bookmark(version int, endsList bool) string {
	annotation := ""
	if endsList {
		annotation = `,"annotations":{"k8s.io/initial-events-end":"true"}`
	}
	return frame("BOOKMARK", fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{`+
		`"resourceVersion":"%d"%s}}`, version, annotation))
}

// put creates or updates an object, remove deletes one. Both give it the next version.
func (s *server) put(p pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.pods[p.key()]
	s.version++
	p.version = s.version
	if p.uid = "u" + strconv.Itoa(s.version); before != nil {
		p.uid = before.uid
	}
	s.pods[p.key()] = &p
	s.add(change{s.version, before, &p})
}

func (s *server) remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.pods[key]; before != nil {
		s.version++
		delete(s.pods, key)
		s.add(change{s.version, before, nil})
	}
}

func (s *server) add(c change) {
	s.history = append(s.history, c)
	s.objects[c.key()] = append(s.objects[c.key()], c)
	s.wake()
}

func (s *server) wake() {
	close(s.more)
	s.more = make(chan struct{})
}

// step changes one object somehow.
func (s *server) step(r *rand.Rand, objects int) {
	i := r.IntN(objects)
	p := pod{namespace: "ns-" + string(rune('a'+i%2)), name: fmt.Sprint("p-", i),
		team: one(r, []string{"a", "b", "c"}), n: r.IntN(100)}
	s.mu.Lock()
	before := s.pods[p.key()]
	s.mu.Unlock()
	if before == nil {
		s.put(p)
		return
	}
	switch r.IntN(10) {
	case 0:
		s.remove(p.key())
	case 1: // with another UID
		s.remove(p.key())
		s.put(p)
	case 2, 3, 4:
		p.n = before.n
		s.put(p)
	default:
		p.team = before.team
		s.put(p)
	}
}

// compact forgets the history.
func (s *server) compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacted = s.version
}

// last returns the server's version.
func (s *server) last() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// of returns the history of an object.
func (s *server) of(key string) []change {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.objects[key]
	return all[:len(all):len(all)]
}

// ended reports whether an object is not there any more.
func (s *server) ended(key, uid string) bool {
	return slices.ContainsFunc(s.of(key), func(c change) bool {
		return c.before != nil && c.before.uid == uid && (c.after == nil || c.after.uid != uid)
	})
}

// now returns the objects as they are.
func (s *server) now() map[string]*pod {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]*pod{}
	for key, p := range s.pods {
		all[key] = p
	}
	return all
}

// after returns the changes after a version, and a channel that is closed when there are more.
func (s *server) after(version int) ([]change, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := slices.BinarySearchFunc(s.history, version+1, func(c change, v int) int {
		return c.version - v
	})
	return s.history[i:len(s.history):len(s.history)], s.more
}
