package keeper

// settle commits of which informers nothing was delivered that the cuts do not have. What nobody
// has asked for is as it was.
func (k *Keeper) settle() error {
	out, ok := k.out.(*writer)
	if !ok {
		return nil // its last publication says that it is the last one
	}
	for id := range k.alive {
		if !k.killed[id] {
			out.settled(id, true)
		}
	}
	k.mu.Lock()
	for id, s := range k.waiting {
		if !s.Killed {
			out.settled(id, true)
		}
	}
	k.mu.Unlock()
	return out.end()
}
