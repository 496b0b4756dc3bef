package stress

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// size is the amount of work.
type size struct {
	objects  int
	writers  int
	duration time.Duration // of the changes
	restarts []restart     // spread evenly over the duration
	resync   time.Duration
	seed     uint64
}

// restart is a way to restart the API server.
type restart string

const (
	gracefully restart = "SIGTERM"
	killed     restart = "SIGKILL"
)

func (s size) String() string {
	return fmt.Sprintf("STRESS_SEED=%d: %d objects, %d writers, %v, restarts by %v", s.seed,
		s.objects, s.writers, s.duration, s.restarts)
}

// sizeFromEnv reads the environment variables that the package comment lists.
func sizeFromEnv() (size, error) {
	s := size{
		objects: 500, writers: 8, duration: 10 * time.Second, restarts: []restart{killed},
		resync: time.Second,
		seed:   rand.Uint64(),
	}
	switch full := os.Getenv("STRESS"); full {
	case "":
	case "full":
		s.objects, s.duration, s.resync = 5000, time.Minute, 5*time.Second
		s.restarts = []restart{gracefully, killed, gracefully}
	default:
		return s, fmt.Errorf("STRESS=%s: only STRESS=full is allowed", full)
	}
	if text := os.Getenv("STRESS_SECONDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return s, fmt.Errorf("STRESS_SECONDS=%s: want a number of at least 1", text)
		}
		s.duration = time.Duration(n) * time.Second
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

func devclusterBin() (string, error) {
	path := os.Getenv("DEVCLUSTER_BIN")
	if path == "" {
		var err error
		// go test runs tests in their package's folder.
		if path, err = filepath.Abs(filepath.Join("..", "..", "bin", "devcluster")); err != nil {
			return "", err
		}
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w\nbuild it with: make devcluster", err)
	}
	return path, nil
}
