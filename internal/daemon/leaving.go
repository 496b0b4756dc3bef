package daemon

// leaving has what is closed when the last listener of a name is no longer there, for listeners
// that still finish what they have.
type leaving map[string]<-chan struct{}

// note adds a listener that leaves, and forgets those that have left.
func (l *leaving) note(leaves *listener) {
	if *l == nil {
		*l = leaving{}
	}
	for name, ended := range *l {
		select {
		case <-ended:
			delete(*l, name)
		default:
		}
	}
	(*l)[leaves.name] = leaves.ended
}
