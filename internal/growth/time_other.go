//go:build !linux

package growth

import "time"

var begun = time.Now()

// ThreadTime returns the time since the program's start, where threads' own times are not known.
func ThreadTime() time.Duration { return time.Since(begun) }
