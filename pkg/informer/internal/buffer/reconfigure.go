package buffer

import "errors"

// Reconfigure changes the capacity and the policy. What the buffer has stays, in its order: what
// was spilled or marked before comes as it would have. A spill file stays where it is.
func (b *Buffer) Reconfigure(cfg Config) error {
	if cfg.Overflow == Spill && b.spill != nil &&
		(b.spill.file.dir != cfg.SpillDir || b.spill.file.maxBytes != cfg.SpillBytes) {
		return errors.New("the folder and the limit of a spill file cannot be changed while it is used")
	}
	b.capacity, b.overflow, b.lanes.MaxBehind = cfg.Capacity, cfg.Overflow, cfg.Capacity
	switch {
	case cfg.Overflow == Spill && b.spill == nil:
		b.spill = newSpill(cfg)
	case cfg.Overflow == Block: // nothing is merged from here on
		for key, m := range b.folded {
			lane := b.lanes.Lane(key)
			for _, before := range m.ends() {
				b.lanes.WaitHeld(lane, before)
			}
			b.lanes.WaitHeld(lane, m.latest)
		}
		b.folded = nil
	}
	b.promote()
	return nil
}
