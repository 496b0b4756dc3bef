package plan

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// aged is a condition about the ages of an object and of its start, which a test evaluates as well.
type aged struct {
	text  string
	holds func(at time.Time) bool
}

var (
	created = time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)
	started = created.Add(37 * time.Minute)
)

func drawAged(t *rapid.T, depth int) aged {
	switch kind := rapid.IntRange(0, 6).Draw(t, "kind"); {
	case depth > 0 && kind == 0:
		x := drawAged(t, depth-1)
		return aged{"!(" + x.text + ")", func(at time.Time) bool { return !x.holds(at) }}
	case depth > 0 && kind < 5:
		x, y := drawAged(t, depth-1), drawAged(t, depth-1)
		if kind < 3 {
			return aged{"(" + x.text + " && " + y.text + ")",
				func(at time.Time) bool { return x.holds(at) && y.holds(at) }}
		}
		return aged{"(" + x.text + " || " + y.text + ")",
			func(at time.Time) bool { return x.holds(at) || y.holds(at) }}
	}
	of, since := "age()", created
	if rapid.Bool().Draw(t, "started") {
		of, since = "age(object.status.startTime)", started
	}
	limit := time.Duration(rapid.IntRange(1, 200).Draw(t, "limit")) * time.Minute
	op := rapid.SampledFrom([]string{">", ">=", "<", "<="}).Draw(t, "op")
	return aged{fmt.Sprintf("%s %s %q", of, op, limit), func(at time.Time) bool {
		if age := at.Sub(since); op[0] == '>' {
			return age > limit || op == ">=" && age == limit
		} else {
			return age < limit || op == "<=" && age == limit
		}
	}}
}

// When the answer of a deny changes by itself is when it first does, minute by minute.
func TestTurnsAreTheFirstChange(t *testing.T) {
	says := regexp.MustCompile(`this is (true|false) from (\S+) on, in (\S+)\.`)
	rapid.Check(t, func(rt *rapid.T) {
		x := drawAged(rt, 3)
		now := created.Add(time.Duration(rapid.IntRange(1, 220).Draw(rt, "now"))*time.Minute +
			30*time.Second)
		cfg := parse(t, head+"  pods: {informer: {resource: pods}, rules: [{name: r, deny: "+
			strconv.Quote(x.text)+"}], outputs: [out]}\n")
		q := question(t, "add", fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u1","creationTimestamp":%q},"status":{"startTime":%q}}`,
			created.Format(time.RFC3339), started.Format(time.RFC3339)), "")
		q.Now = now
		a, err := Answer(cfg, nil, "pods", q)
		if err != nil {
			rt.Fatal(err)
		}
		want := ""
		for at := now; at.Before(now.Add(10 * time.Hour)); at = at.Add(time.Minute) {
			if x.holds(at) != x.holds(now) {
				turn := at.Add(-30 * time.Second)
				want = fmt.Sprintf("%t %s %s", x.holds(at), turn.Format(time.RFC3339), turn.Sub(now))
				break
			}
		}
		got := ""
		if found := says.FindStringSubmatch(strings.Join(a.Rules[0].Says, "\n")); found != nil {
			long, err := time.ParseDuration(found[3])
			if err != nil {
				rt.Fatal(err)
			}
			got = fmt.Sprintf("%s %s %s", found[1], found[2], long)
		}
		if got != want {
			rt.Fatalf("%s at %s: %q, want %q\n%s", x.text, now, got, want,
				strings.Join(a.Rules[0].Says, "\n"))
		}
	})
}
