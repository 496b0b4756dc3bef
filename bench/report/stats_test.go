package report

import (
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/bench/trial"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0}, {[]float64{4}, 4}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 2, 3}, 2.5},
	} {
		if got := Median(c.values); got != c.want {
			t.Errorf("of %v: %v, want %v", c.values, got, c.want)
		}
	}
	values := []time.Duration{3, 1, 2}
	if Median(values) != 2 || values[0] != 3 {
		t.Errorf("the values are now %v", values)
	}
}

func TestPercentile(t *testing.T) {
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = 100 - i
	}
	for _, c := range []struct {
		values  []int
		p, want int
	}{
		{nil, 50, 0}, {[]int{7}, 1, 7}, {[]int{7}, 100, 7}, {[]int{3, 1, 2}, 50, 2}, {
			[]int{1, 2}, 50, 1}, {[]int{1, 2}, 51, 2},
		{hundred, 50, 50}, {hundred, 99, 99}, {hundred, 100, 100}, {hundred[:20], 90, 98},
	} {
		if got := Percentile(c.values, c.p); got != c.want {
			t.Errorf("%d%% of %v: %d, want %d", c.p, c.values, got, c.want)
		}
	}
}

func TestFiguresAreMediansByObjectAndByEvent(t *testing.T) {
	round := func(n int) trial.Result {
		d := time.Duration(n)
		return trial.Result{
			Contender: "core", Objects: 10, Changes: 5, Singles: 2,
			List: trial.Phase{CPU: d * 100 * time.Microsecond, Wall: d * time.Second,
				Allocs: uint64(n) * 20},
			Burst: trial.Phase{CPU: d * 50 * time.Microsecond, Wall: d * time.Minute,
				Allocs: uint64(n) * 5},
			Heap: int64(n) * 1000, IdleRSS: 100, PeakRSS: int64(n) * 3000,
			SteadyRSS: int64(n)*2000 + 100, LoadedRSS: int64(n) * 2500,
			Latencies: []time.Duration{d, 2 * d, 3 * d}, SingleLatencies: []time.Duration{d, 9 * d},
			SingleCPU: d * 6 * time.Microsecond, SingleWall: 2 * time.Second,
			IdleCPU: d * time.Microsecond, First: d, Disk: int64(n) * 40,
			BurstDisk: int64(n) * 15,
		}
	}
	got := Summarize([]trial.Result{round(9), round(2), round(1)})
	want := Figures{
		Contender: "core", Objects: 10, ListCPU: 20, EventCPU: 20, ListWall: 2 * time.Second,
		EventWall:  2 * time.Minute,
		ListAllocs: 4, EventAllocs: 2, Heap: 200, PeakRSS: 6000, SteadyRSS: 4100, LoadedRSS: 5000,
		Resident: 400, P50: 4, P99: 6,
		// 6 per event, of which 2 are idle usage
		SingleCPU: 4, IdleCPU: 2, SingleP50: 2, SingleP99: 18,
		First: 2, Disk: 80, EventDisk: 6,
	}
	if got != want {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	without := round(50)
	without.Latencies, without.Singles, without.SingleLatencies = nil, 0, nil
	without.BurstDisk = 0
	more := Summarize([]trial.Result{round(9), without, round(2), without, round(1)})
	if more.P99 != want.P99 || more.SingleCPU != want.SingleCPU ||
		more.SingleP99 != want.SingleP99 || more.EventDisk != want.EventDisk || more.ListCPU != 90 {
		t.Errorf("with trials that lack phases: %+v", more)
	}
	if Summarize(nil) != (Figures{}) {
		t.Error("nothing has figures")
	}

	// A contender that keeps nothing has no size per object, and the idle size of another process
	// is unknown.
	blind, daemon := round(1), round(1)
	blind.Blind, daemon.IdleRSS, daemon.Heap = true, 0, 0
	if f := Summarize([]trial.Result{blind}); f.Heap != 0 || f.Resident != 0 {
		t.Errorf("%+v", f)
	}
	if f := Summarize([]trial.Result{daemon}); f.Heap != 0 || f.Resident != 0 ||
		f.SteadyRSS != 2100 {
		t.Errorf("%+v", f)
	}
}

func TestTrialsMustAgree(t *testing.T) {
	blind := trial.Result{Contender: "drop", Blind: true}
	one := trial.Result{Contender: "dynamic", MatchedListed: 3, MatchedChanges: 5}
	same, other := one, one
	same.Contender, other.Contender = "core", "daemon"
	other.MatchedChanges = 4
	list := trial.Result{Contender: "core, listed", MatchedListed: 3}
	one.Changes, same.Changes, other.Changes = 9, 9, 9
	if err := Agree([]trial.Result{blind, one, same, list}); err != nil {
		t.Error(err)
	}
	want := "daemon matched 3 objects and 4 changes, dynamic 3 and 5: the figures cannot be compared"
	if err := Agree([]trial.Result{one, blind, other, same}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := Agree([]trial.Result{{Contender: "core"}}); err == nil ||
		err.Error() != "core matched no object: the filter does not fit these objects" {
		t.Error(err)
	}
	if err := Agree([]trial.Result{blind}); err != nil {
		t.Error(err)
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Micros(0), "-"}, {Micros(8.5), "8.50 us"}, {Micros(37.26), "37.3 us"}, {
			Micros(755.4), "755 us"}, {Micros(-2), "-2.00 us"},
		{Bytes(0), "-"}, {Bytes(700), "700 B"}, {Bytes(6848), "6.85 KB"}, {
			Bytes(53_900), "53.9 KB"}, {Bytes(9_040_000), "9040 KB"}, {Bytes(1_539e6), "1539 MB"},
		{duration(0), "-"}, {duration(950 * time.Nanosecond), "0.95 us"}, {
			duration(1290 * time.Microsecond), "1.29 ms"}, {duration(18 * time.Second), "18.0 s"},
		{ratio(18.14), "18.1x"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestATableIsAligned(t *testing.T) {
	got := Table{Head: []string{"", "µ"}, Rows: [][]string{{"a name", "1"}, {
		"b", "12345"}}}.String()
	want := strings.TrimPrefix(`
|        |     µ |
|--------|------:|
| a name |     1 |
| b      | 12345 |
`, "\n")
	if got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}
