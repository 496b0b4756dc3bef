package config

// ForDryRun changes the configuration to one that leaves nothing behind and takes nothing that a
// running informerd may have: it keeps no state, takes part in no election, answers no requests and
// sends no traces.
func (c *Config) ForDryRun() {
	c.State, c.LeaderElection, c.Tracing = State{}, nil, nil
	c.HTTP, c.Health = HTTP{}, Health{}
	for _, l := range c.Listeners {
		l.Checkpoint, l.replicated = false, false
	}
}
