package sinktest

import "time"

// SetPatience changes how long the suite waits for what must happen.
func SetPatience(d time.Duration) { patience = d }
