package plugins

import (
	"errors"
	"fmt"
	"time"
)

// KVGrant lets the guest keep values, in a store that all handlers of its listener share.
type KVGrant struct {
	Keys  int           // how many; default 1000
	Bytes int64         // of all values together; default 1 MiB
	TTL   time.Duration // the longest that a value is kept; 0 is without end
	// Persist keeps the values beyond the end of the daemon, in the file HostConfig.KVPath.
	Persist bool
}

// ClockGrant lets the guest know the time.
type ClockGrant struct {
	// Fixed is the time that it is told; zero is the real one. It also holds for the clock of WASI.
	Fixed time.Time
}

// RandomGrant lets the guest have random numbers.
type RandomGrant struct {
	// Seed makes each instance get the same numbers; nil is real randomness. It also holds for that
	// of WASI.
	Seed *uint64
}

func (g *KVGrant) withDefaults() *KVGrant {
	if g == nil {
		return nil
	}
	full := *g
	setDefault(&full.Keys, 1000)
	setDefault(&full.Bytes, 1<<20)
	return &full
}

func (g *KVGrant) validate(listener string) error {
	switch {
	case g == nil:
		return nil
	case g.Keys < 0:
		return fmt.Errorf("grants: kv: keys is %d, it must be positive", g.Keys)
	case g.Bytes < 0:
		return fmt.Errorf("grants: kv: bytes is %d, it must be positive", g.Bytes)
	case g.TTL < 0:
		return fmt.Errorf("grants: kv: ttl is %v, it must not be negative", g.TTL)
	case g.Persist && listener == "":
		return errors.New("grants: kv: values are kept by the listener's name, which is empty")
	}
	return nil
}
