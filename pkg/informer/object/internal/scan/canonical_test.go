package scan

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/object/internal/scan/scantest"
)

// Two spellings have the same canonical spelling if, and only if, they are of the same name.
func TestCanonicalSpellings(t *testing.T) {
	for a := range scantest.Spellings {
		for b := range scantest.Spellings {
			for _, first := range scantest.Spellings[a] {
				for _, second := range scantest.Spellings[b] {
					if (canonical(first) == canonical(second)) != (a == b) {
						t.Errorf("%s and %s: equal is %t", first, second, a != b)
					}
				}
			}
		}
	}
}

// The names that other tests take for colliding have the same fingerprint.
func TestCollidersCollide(t *testing.T) {
	if one, two := scantest.Collider(0), scantest.Collider(1); one == two ||
		fingerprint(one+"x") != fingerprint(two+"x") {
		t.Errorf("%q and %q do not collide", one, two)
	}
}
