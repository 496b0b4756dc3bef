package buffer

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/internal/informertest"
)

func TestMain(m *testing.M) {
	informertest.SetModelRuns()
	m.Run()
}

// These are short names of what the tests of all packages share.
var (
	obj      = informertest.Object
	labelled = informertest.Labelled
	story    = informertest.Story
	expect   = informertest.Expect
)
