package buffer

import (
	"flag"
	"testing"

	"github.com/informerd/informerd/pkg/informer/internal/informertest"
)

// TestMain makes 500 runs of 200 operations the model's measure, unless the command line says more.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": "500", "rapid.steps": "200"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	m.Run()
}

// These are short names of what the tests of all packages share.
var (
	obj      = informertest.Object
	labelled = informertest.Labelled
	story    = informertest.Story
	expect   = informertest.Expect
)
