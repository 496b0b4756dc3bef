package answer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
)

// What becomes of the event comes first where its end is below the screen.
func TestALongTextBeginsWithItsEnd(t *testing.T) {
	for lines, want := range map[int]string{
		longText:     "listener pods, add of Pod \"shop/web\"\nline\n",
		longText + 1: "listener pods, add of Pod \"shop/web\"\nIn short:\n  rule a: violated\n  add -> out\nline\n",
	} {
		a := Answer{Listener: "pods", Op: "add", Verdicts: []string{"rule a: violated", "add -> out"},
			Object: Object{Kind: "Pod", Namespace: "shop", Name: "web"}}
		for range lines {
			a.Line("line")
		}
		var out bytes.Buffer
		if err := a.Write(&out); err != nil || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%d lines: %v\n%s", lines, err, &out)
		}
		out.Reset()
		if err := a.WriteBelow(&out, map[string]bool{}); err != nil || strings.Contains(out.String(), "In short") {
			t.Errorf("%d lines: %v\n%s", lines, err, &out)
		}
		if got := a.Summary(true); got !=
			"pods: Pod \"shop/web\": rule a: violated; add -> out\n" {
			t.Errorf("%d lines: %s", lines, got)
		}
	}
}

// An expression has its answer once, and its parts with their values.
func TestExpressions(t *testing.T) {
	for name, c := range map[string]struct {
		x    filters.Explanation
		want string
	}{
		"a condition": {filters.Explanation{Matched: true, Value: "true", Root: filters.Step{
			Text: "a == 1", Line: 1, Column: 2, Evaluated: true, Runs: 1, Values: []string{"true"},
			Children: []filters.Step{{Text: "a", Evaluated: true, Runs: 3, Values: []string{"1…"}, Whole: []string{"111"}},
				{Text: "b", Children: []filters.Step{{Text: "c"}}}}}},
			`{"is":"deny","text":"a == 1","line":1,"column":2,"matched":true,"parts":[{"text":"a","values":["111"],"runs":3},{"text":"b","skipped":true}]}`},
		"a text": {filters.Explanation{Value: "true", Root: filters.Step{Text: "m",
			Values: []string{`"true"`}}}, `{"is":"deny","text":"m","value":"true"}`},
		"a value": {filters.Explanation{Value: "1…", Root: filters.Step{Text: "m",
			Values: []string{"1…"}, Whole: []string{"111"}}},
			`{"is":"deny","text":"m","value":"111"}`},
		"no answer": {filters.Explanation{Err: fmt.Errorf("oh"), Root: filters.Step{Text: "m",
			Values: []string{"failed"}}}, `{"is":"deny","text":"m","error":"oh"}`},
	} {
		text, err := json.Marshal(NewExpression("deny", c.x))
		if err != nil || string(text) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, text, c.want)
		}
	}
}
