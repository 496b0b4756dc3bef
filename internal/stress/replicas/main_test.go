package replicas

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/pkg/plugins"
)

func TestMain(m *testing.M) {
	plugins.CompilerMain()
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
	scaled   ending = "scaled" // SIGTERM to all but one; only with shards
)

// shards is how many there are, if there are any.
const shards = 8

// size is the amount of work.
type size struct {
	replicas int
	by       string // what shards objects are in; "": one replica works at a time
	endings  map[ending]int
	seed     uint64
}

// unit names what a message is about that one replica at a time works on.
func (s size) unit(m *message) string {
	switch s.by {
	case "namespace":
		return m.namespace()
	case "object":
		return m.name()
	}
	return ""
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
		return []size{
			{2, "", map[ending]int{killed: 2, asked: 2, frozen: 1, isolated: 1}, seed},
			{3, "namespace", map[ending]int{killed: 2, asked: 2, frozen: 1, isolated: 1, scaled: 2}, seed},
			{3, "object", map[ending]int{killed: 2, asked: 1, scaled: 1}, seed},
		}, nil
	case "full":
		return []size{
			{2, "", map[ending]int{killed: 30, asked: 10, frozen: 5, isolated: 5}, seed},
			{3, "", map[ending]int{killed: 20, asked: 10, frozen: 5, isolated: 5}, seed + 1},
			{4, "namespace", map[ending]int{killed: 20, asked: 10, frozen: 8, isolated: 8, scaled: 10}, seed + 2},
			{4, "object", map[ending]int{killed: 10, asked: 5, frozen: 4, isolated: 4, scaled: 5}, seed + 3},
		}, nil
	default:
		return nil, fmt.Errorf("STRESS=%s: only short and full are allowed", full)
	}
}

// order returns the endings in a random order.
func (s size) order(random *rand.Rand) (all []ending) {
	for _, how := range []ending{killed, asked, frozen, isolated, scaled} {
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
