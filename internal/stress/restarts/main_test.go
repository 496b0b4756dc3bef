package restarts

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if os.Getenv(childFolder) != "" {
		os.Exit(child())
	}
	goleak.VerifyTestMain(m)
}

// size is the amount of work.
type size struct {
	worlds  int // side by side
	lives   int // of the child, in each world
	objects int
	seed    uint64
}

// sizeFromEnv reads the environment variables that the package comment lists.
func sizeFromEnv() (size, error) {
	s := size{worlds: 2, lives: 10, objects: 100, seed: rand.Uint64()}
	switch full := os.Getenv("STRESS"); full {
	case "":
	case "full":
		s.worlds, s.lives, s.objects = 4, 150, 150
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

func one[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }
