//go:build !linux

package growth

import "time"

var begun = time.Now()

// ThreadTime returns the time since the program's start, on systems without thread times.
func ThreadTime() time.Duration { return time.Since(begun) }
