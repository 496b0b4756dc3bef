package queue

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/pkg/informer/internal/informertest"
)

func TestMain(m *testing.M) {
	informertest.SetModelRuns()
	goleak.VerifyTestMain(m)
}

// These are short names of what the tests of all packages share.
var (
	obj    = informertest.Object
	expect = informertest.Expect
)
