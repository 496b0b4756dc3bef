package handlers

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

var tableFile = flag.String("table", "", "measure all contenders and write the table to this file")

const tableHead = `# Handlers

Written by ` + "`make bench-handlers`" +
	`; what is compared and how: the package documentation of
` + "`bench/handlers`" + `. One pod of %d bytes, two of its fields, on one core, CPU time in the best of %d
turns of %v that alternate between the contenders. %s, %s/%s, wazero %s, Extism's
go-sdk %s, on a busy machine of %d cores: the ratios matter. "Versus informerd" is the ratio to
a call in informerd with the same guest; for native and Extism, with the guest in C.

%s`

// TestTable writes HANDLERS.md if -table is set.
func TestTable(t *testing.T) {
	if *tableFile == "" {
		t.Skip("no -table")
	}
	const rounds, turn = 40, 20 * time.Millisecond
	results, err := Measure(t.Context(), Contenders(), rounds, turn)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, tableHead, pod(t, 7).Size(), rounds, turn, runtime.Version(), runtime.GOOS,
		runtime.GOARCH,
		version(t, "github.com/tetratelabs/wazero"), version(t, "github.com/extism/go-sdk"),
		runtime.NumCPU(), Table(results))
	if err := os.WriteFile(*tableFile, page.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// version returns the version of a module in this build.
func version(t *testing.T, module string) string {
	t.Helper()
	text, err := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func TestTableOfResults(t *testing.T) {
	result := func(c Contender, us int, allocs float64) Result {
		return Result{Contender: c, Time: time.Duration(us) * time.Microsecond, Allocs: allocs,
			Bytes: 10 * allocs}
	}
	got := Table([]Result{
		result(Contender{Host: nativeName}, 1, 0),
		result(Contender{Host: informerdName, Guest: cGuest, Deadline: true}, 2, 0),
		result(Contender{Host: informerdName, Guest: goGuest, Deadline: true}, 10, 0.4),
		result(Contender{Host: wazeroName, Guest: goGuest}, 8, 0),
		result(Contender{Host: wazeroName, Guest: goGuest, Deadline: true}, 25, 8),
		result(Contender{Host: extismName, Guest: inputGuest, Deadline: true}, 1000, 74),
	})
	want := `
|                                    | versus informerd | CPU a call | calls/s | allocations | bytes |
|------------------------------------|-----------------:|-----------:|--------:|------------:|------:|
| native                             |            0.50x |    1.00 us | 1000000 |           0 |     0 |
| informerd, C                       |            1.00x |    2.00 us |  500000 |           0 |     0 |
| informerd, Go                      |            1.00x |    10.0 us |  100000 |           0 |     4 |
| wazero, Go, no deadline            |            0.80x |    8.00 us |  125000 |           0 |     0 |
| wazero, Go, WithCloseOnContextDone |            2.50x |    25.0 us |   40000 |           8 |    80 |
| Extism, C, JSON as input           |          500.00x |    1000 us |    1000 |          74 |   740 |
`
	if "\n"+got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestMeasureTakesTheBestTurn(t *testing.T) {
	c := Contenders()[0]
	for _, c := range []Contender{c, {Host: "other", open: c.open}} {
		results, err := Measure(t.Context(), []Contender{c}, 5, time.Millisecond)
		if err != nil || len(results) != 1 || results[0].Time <= 0 || results[0].Host != c.Host {
			t.Errorf("got %+v, %v", results, err)
		}
	}
	ts := newTurns(c, nil, nil)
	ts.times, ts.made, ts.allocs, ts.bytes = []time.Duration{5, 3, 4}, 10, 20, 100
	if r := ts.result(); r.Time != 3 || r.Allocs != 2 || r.Bytes != 10 {
		t.Errorf("got %+v", r)
	}
}

// A call with metering and deadline takes less time than one with wazero's own deadline, and much
// less than one in Extism.
func TestInformerdIsFaster(t *testing.T) {
	var some []Contender
	for _, c := range Contenders() {
		if c.Deadline && c.Needs == cGuest {
			some = append(some, c)
		}
	}
	results, err := Measure(t.Context(), some, 10, 2*time.Millisecond)
	if errors.Is(err, ErrNoCompiler) && os.Getenv("GUESTS") != "required" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		host, guest string
		times       float64
	}{{wazeroName, cGuest, 1.3}, {extismName, fieldsGuest, 5}, {extismName, inputGuest, 20}} {
		var ours, other Result
		for _, r := range results {
			if r.Host == informerdName {
				ours = r
			}
			if r.Host == test.host && r.Guest == test.guest {
				other = r
			}
		}
		ratio := float64(other.Time) / float64(ours.Time)
		t.Logf("%s: %.1f times as long as informerd's %v", other.Name(), ratio, ours.Time)
		if race && test.host == wazeroName {
			// the race detector slows down informerd's own Go code, but not code compiled by the
			// engine
			continue
		}
		if ratio < test.times {
			t.Errorf("%s takes %.1f times as long as informerd, want at least %.1f times",
				other.Name(), ratio, test.times)
		}
	}
}
