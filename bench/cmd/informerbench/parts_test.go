package main

import (
	"os/exec"
	"reflect"
	"testing"

	"github.com/informerd/informerd/bench/report"
)

func TestTheSearchesLinesAreRead(t *testing.T) {
	const out = `=== RUN   TestNoInputCostsMuchMoreThanStrictReading
=== RUN   TestNoInputCostsMuchMoreThanStrictReading/white_space
    cost_test.go:187: 1.08 white space
    cost_test.go:189: 10ms, 1.60 times as long as strict reading
        cost_test.go:187: 1.60 deep nesting, with a name more on each level
--- FAIL: TestNoInputCostsMuchMoreThanStrictReading (0.83s)
`
	got, err := readSearch([]byte(out))
	want := []report.Input{{Name: "white space", Ratio: 1.08}, {
		Name: "deep nesting, with a name more on each level", Ratio: 1.6}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// The test that is run exists, and logs the lines that are parsed.
func TestTheSearchIsRun(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	found, err := searchHostile(t.Context())
	if err != nil || len(found) < 10 {
		t.Errorf("%v, %v", found, err)
	}
}
