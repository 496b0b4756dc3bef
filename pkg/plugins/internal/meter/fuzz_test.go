package meter

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// FuzzRewrite generates modules from a seed; they compute the same when they are rewritten, for
// every budget that suffices, and use as much fuel as they execute instructions.
func FuzzRewrite(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed, seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, compile bool) {
		if compile {
			checkGenerated(t, seed, compiler)
		} else {
			checkGenerated(t, seed, interpreter)
		}
	})
}

// FuzzMalformed takes any bytes: the rewriter does not panic, and makes valid modules of valid ones
// only.
func FuzzMalformed(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(generate(seed, false))
	}
	f.Add(guest("", []byte{wasmbin.Vector, 0x80, 1, wasmbin.Vector, 12}, make([]byte, 16)).Bytes())
	for _, module := range guestsOfEngine(f, "examples", "imports") {
		if len(module) < 2000 {
			f.Add(module)
		}
	}
	f.Fuzz(checkAny)
}

func checkAny(t *testing.T, file []byte) {
	_, _ = rewrite(file, options{})
	// Only what has passed there may be given to the engine.
	if m, err := wasmbin.Parse(file); err == nil {
		checkValidity(t, "fuzzed", m.Code)
	}
}

func TestMutantsOfRealModules(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, module := range guestsOfEngine(t, "examples", "imports", specification) {
		if len(module) > 20_000 {
			continue
		}
		for range 3 {
			mutant := bytes.Clone(module)
			for range min(len(mutant), 1+r.IntN(3)) {
				mutant[r.IntN(len(mutant))] ^= 1 << r.IntN(8)
			}
			if r.IntN(10) == 0 && len(mutant) > 0 {
				mutant = mutant[:r.IntN(len(mutant))]
			}
			if checkAny(t, mutant); t.Failed() {
				t.Fatalf("mutant of %s: %x", name, mutant)
			}
		}
	}
}
