package buffer

// Recall takes an entry that a worker has asked for, beyond the capacity. There may be one for each
// object, with the state of it that the worker had.
func (b *Buffer) Recall(e Entry) {
	e.begin()
	b.recalled.Push(e)
}

// Gone reports whether the object of a recalled entry is not stored any more.
func (e *Entry) Gone() bool {
	if e.From.Stored == nil {
		return false
	}
	o := e.From.Stored(e.Object.Key())
	return o == nil || o.UID() != e.Object.UID()
}
