package lookedup

import (
	"fmt"
	"strings"
)

// UndecidedError is the error of an event for which it cannot be told what a listener does with it,
// since that depends on objects of other informers.
type UndecidedError struct {
	Listener  string
	Informers []string // whose objects are missing, sorted
}

func (e *UndecidedError) Error() string {
	var caches []string
	for _, name := range e.Informers {
		caches = append(caches, "--cache "+name+"=FILE")
	}
	return fmt.Sprintf("what the listener %q does cannot be told: it depends on objects of %s: pass them, as %s, or pass --kubeconfig FILE or --context NAME to ask the cluster",
		e.Listener, strings.Join(e.Informers, ", "), strings.Join(caches, " "))
}
