//go:build !linux

package growth

import "time"

var begun = time.Now()

// threadTime returns the time since the program's start, where threads' own times are not known.
func threadTime() time.Duration { return time.Since(begun) }
