package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// tolerance is the factor by which a quick run may miss a figure: it is small, and machines are
// noisy.
const tolerance = 2

// Known is the ratios of figures to their limits in an earlier run.
type Known map[string]float64

// Off returns the verdicts that are off by more than a factor of two: from the limit or, for those
// that already miss it, from the known ratio. Rough ones are left out. Absolute ones do not count:
// a quick run may be on a machine that has other work.
func (d Document) Off(known Known) (failed, uncounted []Verdict) {
	for _, v := range d.verdicts() {
		switch {
		case v.Rough || v.Excess <= tolerance*max(1, known[v.What]):
		case v.Absolute:
			uncounted = append(uncounted, v)
		default:
			failed = append(failed, v)
		}
	}
	return failed, uncounted
}

func (d Document) verdicts() []Verdict { return slices.Concat(d.Verdicts, KindVerdicts(d.Kinds)) }

// The results file has the verdicts a second time, in a comment, for Off. It is a code block,
// whose lines need not be wrapped.
const (
	commentBegins = "<!-- figures relative to their limits:\n```\n"
	commentEnds   = "\n```\n-->\n"
)

func (d Document) comment() string {
	known := Known{}
	for _, v := range d.verdicts() {
		known[v.What] = v.Excess
	}
	text, err := json.Marshal(known)
	if len(known) == 0 || err != nil { // a figure that is not a number
		return ""
	}
	return "\n" + commentBegins + string(text) + commentEnds
}

// ReadKnown reads the figures from a results file. It returns none if the file has none.
func ReadKnown(results string) (known Known, err error) {
	_, text, has := strings.Cut(results, commentBegins)
	if !has {
		return nil, nil
	}
	text, _, _ = strings.Cut(text, commentEnds)
	if err := json.Unmarshal([]byte(text), &known); err != nil {
		return nil, fmt.Errorf("the results file's comment: %w", err)
	}
	return known, nil
}
