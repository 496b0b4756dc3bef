package report

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAQuickRunFailsIfAFigureIsOffByMoreThanTwo(t *testing.T) {
	d := Document{Kinds: collections(), Verdicts: []Verdict{{What: "a", Excess: 2}, {
		What: "b", Excess: 2.1}}}
	for _, c := range []struct {
		known Known
		want  []string
	}{
		{nil, []string{
			"b", "texts: watch event, CPU, versus reading and dropping",
			"texts: watch event, CPU, versus client-go dynamic",
			"texts: memory over an idle reader, versus client-go dynamic",
		}},
		// A figure that is known to miss its limit may do so, by as much again. One that is better
		// than required need not be.
		{Known{"a": 0.1, "b": 1.1, "texts: watch event, CPU, versus reading and dropping": 1.4,
			"texts: memory over an idle reader, versus client-go dynamic": 2.5}, []string{
			"texts: watch event, CPU, versus reading and dropping",
			"texts: watch event, CPU, versus client-go dynamic",
		}},
	} {
		var failed []string
		verdicts, _ := d.Off(c.known)
		for _, v := range verdicts {
			failed = append(failed, v.What)
		}
		if !slices.Equal(failed, c.want) {
			t.Errorf("%q, want %q", failed, c.want)
		}
	}
}

// Ratios to less than 1 us of reading are not measured precisely enough for that.
func TestAQuickRunDoesNotFailForWhatIsRough(t *testing.T) {
	c := collections()[0]
	c.Size = small - 1
	v, ok := EventReading.verdict(c)
	v.Excess = 100
	if failed, _ := (Document{Verdicts: []Verdict{v}}).Off(nil); !ok || len(failed) > 0 {
		t.Errorf("%+v fails, or there is none", v)
	}
	c.Size = small
	if v, _ = EventReading.verdict(c); v.Rough {
		t.Errorf("%+v is rough", v)
	}
}

// A machine that takes long to read, relative to decoding, has a smaller ratio to client-go.
func TestAQuickRunDoesNotFailForTheMachinesReading(t *testing.T) {
	c := collections()[0]
	for _, of := range []struct {
		drop, core float64
		rough      bool
	}{{10, 20, true}, {10, 31, false}, {0, 20, false}} {
		c.By["drop"], c.By["core"] = Figures{EventCPU: of.drop}, Figures{EventCPU: of.core}
		if v, ok := EventDynamic.verdict(c); !ok || v.Rough != of.rough {
			t.Errorf("%+v: %+v", of, v)
		}
	}
	c.New = true
	c.By["drop"], c.By["core"] = Figures{EventCPU: 10}, Figures{EventCPU: 20}
	if v, _ := EventDynamic.verdict(c); v.Rough {
		t.Errorf("new objects, of which no reading is required: %+v", v)
	}
}

// Of a time that is compared with two others, both ratios are off if it is.
func TestAQuickRunDoesNotFailForTheTimeOfOne(t *testing.T) {
	for _, of := range []struct {
		drop, dynamic float64
		failed        int
	}{
		{1, 350, 0}, // reading took a tenth of ours, client-go as much more as required
		{4, 50, 0},  // client-go took five times as long only, reading as much as allowed
		{1, 340, 1}, // both above the limit, that of reading by more than two
		{1, 50, 2},
		{1, 0, 1}, // not measured
		{0, 50, 1},
	} {
		by := map[string]Figures{"core": {ListCPU: 10}, "drop": {ListCPU: of.drop},
			"dynamic": {ListCPU: of.dynamic}}
		failed, _ := (Document{Verdicts: Verdicts(Results{Main: by})}).Off(nil)
		if len(failed) != of.failed {
			t.Errorf("%+v: %+v", of, failed)
		}
	}
}

// A busy machine makes every time longer and every rate lower, but both sides of a ratio alike.
func TestAQuickRunDoesNotFailForTimesAndRates(t *testing.T) {
	slow := Verdicts(Results{
		Main: map[string]Figures{
			"core": {EventCPU: 10, SingleCPU: 90, SingleP99: time.Minute},
			"drop": {EventCPU: 9, SingleCPU: 80},
		},
		OneListener: Figures{EventCPU: 10}, Further: 1,
		ManyListeners: []FurtherListeners{{"a name", 0.5, Figures{EventCPU: 70}}},
		Passed:        []Passed{{Way: "webhook", Rate: 1, Least: 20_000}},
	})
	failed, uncounted := (Document{Verdicts: slow}).Off(nil)
	if len(failed) > 0 || len(uncounted) != 3 {
		t.Errorf("fails: %+v, uncounted: %+v", failed, uncounted)
	}
	for _, v := range slow {
		if ratio := strings.HasSuffix(v.Reached, "x"); v.Absolute == ratio {
			t.Errorf("%s: %s, absolute: %t", v.What, v.Reached, v.Absolute)
		}
	}
}

func TestTheResultsFileIsKnownAfterwards(t *testing.T) {
	d := document()
	d.Kinds = collections()
	known, err := ReadKnown(d.Markdown())
	if err != nil || len(known) != len(d.verdicts()) || len(known) < 10 {
		t.Fatalf("%v, %v", known, err)
	}
	for _, v := range d.verdicts() {
		if known[v.What] != v.Excess {
			t.Errorf("%s: %v, want %v", v.What, known[v.What], v.Excess)
		}
	}
	if known, err := ReadKnown("# Results\n"); known != nil || err != nil {
		t.Errorf("%v, %v", known, err)
	}
	if _, err := ReadKnown(commentBegins + "x" + commentEnds); err == nil {
		t.Error("a malformed comment is accepted")
	}
}
