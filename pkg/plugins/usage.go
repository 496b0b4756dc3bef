package plugins

// HostFunction names a function of the host, as in informerd/event.v1 field.
type HostFunction struct{ Module, Name string }

// Usage is what a guest used in the last Handle or HandleBatch, whatever came of it.
type Usage struct {
	// Calls are how often the guest called which functions of the host. Starting an instance does
	// not count.
	Calls map[HostFunction]uint64
	// Memory is how many bytes the guest had at the end, in its memory and in the grown stacks of
	// its calls.
	Memory int64
}

// Usage returns what the last Handle or HandleBatch used. It is zero unless Spec.CountCalls is set.
func (i *Instance) Usage() Usage {
	if i.usage == nil {
		return Usage{}
	}
	u := Usage{Calls: map[HostFunction]uint64{}, Memory: i.usage.memory}
	for n, calls := range i.usage.calls {
		if calls > 0 {
			f := hostFunctions[n]
			u.Calls[HostFunction{f.Module, f.Name}] = calls
		}
	}
	return u
}

// usage counts for one instance. Nil does nothing.
type usage struct {
	calls   []uint64 // of hostFunctions, one by one
	memory  int64
	summing bool // a batch is handled event by event
}

func newUsage(wanted bool) *usage {
	if !wanted {
		return nil
	}
	return &usage{calls: make([]uint64, len(hostFunctions))}
}

// begin has a guest count its calls.
func (u *usage) begin(g *guest) {
	if u == nil {
		return
	}
	if !u.summing {
		clear(u.calls)
	}
	g.counts = u.calls
}

// end notes what the guest has, before it is closed.
func (u *usage) end(g *guest) {
	if u != nil {
		u.memory = g.size()
	}
}

// sum counts the events together until done is called.
func (u *usage) sum() (done func()) {
	if u == nil {
		return func() {}
	}
	clear(u.calls)
	u.summing = true
	return func() { u.summing = false }
}

// Values returns what the handler's guests keep in kv.v1 now, for authors' tools and tests.
func (h *Handler) Values() map[string]string {
	if h.store == nil {
		return nil
	}
	return h.store.All()
}
