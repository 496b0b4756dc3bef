package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// tolerance is by how much a quick run may miss a figure: it is small, and machines are noisy.
const tolerance = 2

// Known is how far figures were from their limits in an earlier run, by what they are.
type Known map[string]float64

// Failed are the verdicts that are off by more than a factor of two: from what is required, or from
// what is known where that falls short already. What is rough does not count.
func (d Document) Failed(known Known) []Verdict {
	return slices.DeleteFunc(d.verdicts(), func(v Verdict) bool {
		return v.Rough || v.Excess <= tolerance*max(1, known[v.What])
	})
}

func (d Document) verdicts() []Verdict { return slices.Concat(d.Verdicts, KindVerdicts(d.Kinds)) }

// The verdicts are in the results file once more, for Failed, in a comment.
const commentBegins, commentEnds = "<!-- of their limits, the figures are: ", " -->\n"

func (d Document) comment() string {
	known := Known{}
	for _, v := range d.verdicts() {
		known[v.What] = v.Excess
	}
	text, err := json.Marshal(known)
	if len(known) == 0 || err != nil { // a figure that is no number
		return ""
	}
	return "\n" + commentBegins + string(text) + commentEnds
}

// ReadKnown reads the figures from a results file. One that has none says nothing.
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
