package report

import (
	"slices"
	"testing"
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
		for _, v := range d.Failed(c.known) {
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
	if v.Excess = 100; !ok || len(Document{Verdicts: []Verdict{v}}.Failed(nil)) > 0 {
		t.Errorf("%+v fails, or there is none", v)
	}
	c.Size = small
	if v, _ = EventReading.verdict(c); v.Rough {
		t.Errorf("%+v is rough", v)
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
