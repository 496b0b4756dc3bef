package reloads

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// size is the amount of work.
type size struct {
	reloads, objects int
	seed             uint64
}

// sizeFromEnv reads the environment variables that the package comment lists.
func sizeFromEnv() (size, error) {
	s := size{reloads: 25, objects: 200, seed: rand.Uint64()}
	switch full := os.Getenv("STRESS"); full {
	case "":
	case "full":
		s.reloads = 500
	default:
		return s, fmt.Errorf("STRESS=%s: only STRESS=full is allowed", full)
	}
	if text := os.Getenv("STRESS_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return s, fmt.Errorf("STRESS_SEED=%s: want a number of at least 0", text)
		}
		s.seed = n
	}
	return s, nil
}
