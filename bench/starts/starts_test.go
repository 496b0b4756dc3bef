package starts

import "testing"

// A start ends when all listeners listen, and takes more CPU than reading the configuration.
func TestMeasure(t *testing.T) {
	r, err := Measure(t.Context(), 20)
	if err != nil {
		t.Fatal(err)
	}
	if r.Validate <= 0 || r.Run <= 0 {
		t.Errorf("%+v", r)
	}
}
