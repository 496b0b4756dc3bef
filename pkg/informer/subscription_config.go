package informer

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
)

const (
	// defaultCapacity is how many events a subscription's buffer holds by default.
	defaultCapacity = 1024
	// defaultSpillBytes is how much a subscription with OverflowSpill may put on disk by default.
	defaultSpillBytes = 256 << 20
)

// SubscriptionConfig is what a subscription asks for. With the zero value it gets all events and no
// resync.
type SubscriptionConfig struct {
	// Name appears in logs and errors.
	Name string
	// Capacity is how many events may wait, those being handled included; 0 means 1,024.
	// Events that wait for a retry do not count: there may be one for each object, and behind them
	// as many events as Capacity again.
	Capacity int
	// Resync is the period after which the subscription gets every stored object again, as
	// event.Resync; 0 means never. Periods below a second are raised to one second.
	Resync time.Duration
	// Overflow is what happens to events for which the buffer has no room.
	Overflow Overflow
	// SpillDir is the folder in which OverflowSpill puts its file, "" for the system's folder for
	// temporary files. SpillBytes bounds the file; 0 means 256 MiB.
	SpillDir   string
	SpillBytes int64
	// On are the operations the subscription wants; empty means all. Others never enter its buffer.
	On event.OpSet
	// Conditions must all hold for an event to enter the subscription's buffer. None means that
	// every event does.
	Conditions []condition.Condition
	// Transitions is for a subscription that wants to learn when an object stops fulfilling the
	// conditions. An update then also enters if its object fulfils them as an add, or the state
	// before as a delete; a delete also enters if the state before it fulfils them. See
	// Delivery.Before and Delivery.Recalled.
	Transitions bool
	// Track has the informers keep what the subscription has finished with, for Factory.Cut. It
	// needs a Name that no other subscription has, and stays as it is through Reconfigure.
	Track bool
}

// checked returns the configuration with its defaults, or what is wrong with it.
func (c SubscriptionConfig) checked() (SubscriptionConfig, error) {
	if c.Capacity < 0 || c.Resync < 0 || c.SpillBytes < 0 {
		return c, fmt.Errorf(
			"subscription %q: capacity, resync and spill bytes must not be negative", c.Name)
	}
	if c.Track && c.Name == "" {
		return c, errors.New("a subscription with Track must have a name")
	}
	if c.Overflow > OverflowSpill {
		return c, fmt.Errorf("subscription %q: there is no overflow policy %d", c.Name, c.Overflow)
	}
	if err := condition.Validate(c.Conditions); err != nil {
		return c, fmt.Errorf("subscription %q: %w", c.Name, err)
	}
	return c.withDefaults(), nil
}

func (c SubscriptionConfig) conditions() *conditions {
	return &conditions{on: c.On, list: c.Conditions, transitions: c.Transitions,
		resync: c.Resync}
}

func (c SubscriptionConfig) buffer() buffer.Config {
	return buffer.Config{
		Capacity: c.Capacity, Overflow: c.Overflow, SpillDir: c.SpillDir,
		SpillBytes: c.SpillBytes,
	}
}

func (c SubscriptionConfig) withDefaults() SubscriptionConfig {
	c.Capacity = cmp.Or(c.Capacity, defaultCapacity)
	c.On = cmp.Or(c.On, event.Every)
	c.SpillBytes = cmp.Or(c.SpillBytes, defaultSpillBytes)
	if c.Resync > 0 {
		c.Resync = max(c.Resync, time.Second)
	}
	return c
}

// Overflow is what happens to an event for which a subscription's buffer has no room: one of
// OverflowLatest, OverflowBlock, OverflowDrop and OverflowSpill.
type Overflow = buffer.Overflow

const (
	// OverflowLatest marks the event's object, which is delivered later, once, as it is then.
	OverflowLatest = buffer.Latest
	// OverflowBlock makes the informer wait for room, and with it all its other subscriptions.
	OverflowBlock = buffer.Block
	// OverflowDrop gives up the event. The first list is never dropped.
	OverflowDrop = buffer.Drop
	// OverflowSpill has the event written to a file. Where that fails, it is as OverflowLatest.
	OverflowSpill = buffer.Spill
)
