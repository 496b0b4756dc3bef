package audit

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// PartsOf returns the parts of a listener that has registrations. They are listed with a client.
func PartsOf(client *informer.Client, regs []*informer.Registration) (parts []Part) {
	for _, reg := range regs {
		is := reg.Status()
		parts = append(parts, Part{
			List: client.Metadata(is.Resource, is.Scope).List, Passed: reg.Passed,
			Ended: reg.Ended, Queued: func() int { return reg.Status().Queued },
			Stored: func(yield func(object.Key) bool) {
				all, _ := reg.Lister().List("", labels.Everything()) // which does not fail
				for _, o := range all {
					if !yield(o.Key()) {
						return
					}
				}
			},
		})
	}
	return parts
}

// UnknownError says that there is no such listener.
type UnknownError struct{ Text string }

func (e *UnknownError) Error() string { return e.Text }

// Unknown returns the error of a listener that is not among those there are.
func Unknown(name string, names []string) error {
	text := fmt.Sprintf("there is no listener %q; the listeners are %s", name,
		strings.Join(names, ", "))
	if near, ok := nearest.Name(name, names); ok {
		text = fmt.Sprintf("there is no listener %q; did you mean %s?", name, near)
	}
	return &UnknownError{text}
}
