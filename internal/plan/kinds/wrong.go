package kinds

import "fmt"

// WrongError is the error of an object of another kind than a listener watches.
type WrongError struct {
	Path, Kind, Listener, Resource string
	Hint                           string // what the kind may be meant to be
}

func (e *WrongError) Error() string {
	hint := ": pass one of those"
	if e.Hint != "" {
		hint = "; " + e.Hint
	}
	return fmt.Sprintf("%s: this is a %s, and the listener %q watches %s%s", e.Path,
		e.Kind, e.Listener, e.Resource, hint)
}
