package serverside

import "testing"

func TestOverlap(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"spec", "spec", true}, {"spec", "spec.x", true}, {"spec.list", "spec.list[0]", true}, {
			"", "spec", true},
		{"spec.x", "spec.xy", false}, {"spec.x", "status.x", false},
	} {
		if overlap(tt.a, tt.b) != tt.want || overlap(tt.b, tt.a) != tt.want {
			t.Errorf("%q and %q: want %t", tt.a, tt.b, tt.want)
		}
	}
}
