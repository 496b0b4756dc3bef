//go:build !linux

package hostile_test

import "time"

var processBegun = time.Now()

// onThread is the time on the clock, for want of the thread's own.
func onThread() time.Duration { return time.Since(processBegun) }
