package alertmanager

import (
	"container/list"
	"sync"

	"github.com/informerd/informerd/internal/sink"
)

// maxSent is how many violations the labels are kept of.
const maxSent = 1 << 16

// key is what a violation is of.
type key struct {
	listener, rule, resource, namespace, name, uid string
	since                                          int64
}

func keyOf(m *sink.Message) key {
	return key{m.Origin.Listener, m.Report.Rule, m.Origin.Resource, m.Object.Namespace(),
		m.Object.Name(), m.Object.UID(), m.Report.Since.UnixNano()}
}

// Sent has the labels of the violations that Alertmanager has, of the last 65,536. Sinks that take
// each other's place share one. The zero value is empty. It is safe for concurrent use.
type Sent struct {
	mu    sync.Mutex
	byKey map[key]*list.Element
	order list.List // of *violation, the one sent last at the end
}

type violation struct {
	key    key
	labels map[string]string
}

// get returns the labels of a violation, nil if they are not known. They must not be changed.
func (s *Sent) get(k key) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byKey[k]; e != nil {
		return e.Value.(*violation).labels
	}
	return nil
}

// put keeps the labels of a violation that was sent.
func (s *Sent) put(k key, labels map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byKey[k]; e != nil {
		s.order.MoveToBack(e)
		return
	}
	if s.byKey == nil {
		s.byKey = map[key]*list.Element{}
	}
	s.byKey[k] = s.order.PushBack(&violation{k, labels})
	if s.order.Len() > maxSent {
		oldest := s.order.Remove(s.order.Front()).(*violation)
		delete(s.byKey, oldest.key)
	}
}

// remove forgets a violation that is resolved.
func (s *Sent) remove(k key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byKey[k]; e != nil {
		s.order.Remove(e)
		delete(s.byKey, k)
	}
}
