package alertmanager

import (
	"k8s.io/utils/lru"

	"github.com/informerd/informerd/internal/sink"
)

// maxSent is how many violations the labels are kept of.
const maxSent = 1 << 16

// key is what a violation is of, to its labels.
type key struct {
	listener, rule, resource, namespace, name, uid string
	since                                          int64
}

func keyOf(m *sink.Message) key {
	return key{m.Origin.Listener, m.Report.Rule, m.Origin.Resource, m.Object.Namespace(),
		m.Object.Name(), m.Object.UID(), m.Report.Since.UnixNano()}
}

// NewSent returns what has the labels of the violations that Alertmanager has, of the last 65,536.
// Sinks that take each other's place share one. The labels in it must not be changed.
func NewSent() *lru.Cache { return lru.New(maxSent) }
