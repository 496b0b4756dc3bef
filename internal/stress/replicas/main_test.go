package replicas

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
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

// ending is how a leader is taken away.
type ending string

const (
	killed   ending = "SIGKILL"
	asked    ending = "SIGTERM"
	frozen   ending = "SIGSTOP"
	isolated ending = "cut off"
)

// size is the amount of work.
type size struct {
	replicas int
	endings  map[ending]int
	seed     uint64
}

// sizesFromEnv reads the environment variables that the package comment lists.
func sizesFromEnv() ([]size, error) {
	seed := rand.Uint64()
	if text := os.Getenv("STRESS_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("STRESS_SEED=%s: want a number of at least 0", text)
		}
		seed = n
	}
	switch full := os.Getenv("STRESS"); full {
	case "short":
		return []size{{2, map[ending]int{killed: 2, asked: 2, frozen: 1, isolated: 1}, seed}}, nil
	case "full":
		return []size{
			{2, map[ending]int{killed: 30, asked: 10, frozen: 5, isolated: 5}, seed},
			{3, map[ending]int{killed: 20, asked: 10, frozen: 5, isolated: 5}, seed + 1},
		}, nil
	default:
		return nil, fmt.Errorf("STRESS=%s: only short and full are allowed", full)
	}
}

// order returns the endings in a random order.
func (s size) order(random *rand.Rand) (all []ending) {
	for _, how := range []ending{killed, asked, frozen, isolated} {
		for range s.endings[how] {
			all = append(all, how)
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func devclusterBin() (string, error) {
	path := os.Getenv("DEVCLUSTER_BIN")
	if path == "" {
		var err error
		// go test runs tests in their package's folder.
		if path, err = filepath.Abs(filepath.Join("..", "..", "..", "bin",
			"devcluster")); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w\nbuild it with: make devcluster", err)
	}
	return path, nil
}
