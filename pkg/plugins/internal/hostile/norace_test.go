//go:build !race

package hostile_test

import (
	"os"
	"time"
)

const race = false

// kept are the bytes of memory that may not be given back.
const kept = 32 << 20

// slower is how many times as long things may take. The bounds themselves are for make hostile, on
// a machine that does nothing else.
var slower = func() time.Duration {
	if os.Getenv("HOSTILE") == "full" {
		return 1
	}
	return 5
}()
