package object

import "testing"

// Two spellings have the same canonical spelling if, and only if, they are of the same name.
func TestCanonicalSpellings(t *testing.T) {
	for a := range spellings {
		for b := range spellings {
			for _, first := range spellings[a] {
				for _, second := range spellings[b] {
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
	if one, two := collider(0), collider(1); one == two || fingerprint(one+"x") != fingerprint(two+"x") {
		t.Errorf("%q and %q do not collide", one, two)
	}
}
