package keeper

// settle commits of which informers nothing was delivered that the cuts do not have. What nobody
// has asked for is as it was.
func (k *Keeper) settle() error {
	for id := range k.alive {
		if !k.killed[id] {
			k.out.settled(id)
		}
	}
	k.mu.Lock()
	for id, s := range k.waiting {
		if !s.Killed {
			k.out.settled(id)
		}
	}
	k.mu.Unlock()
	return k.out.end()
}
