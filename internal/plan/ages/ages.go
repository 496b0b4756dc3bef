// Package ages finds out when an age turns the answer of an expression.
package ages

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/filters"
)

// maxTurns is how many times are tried at which an answer may turn, each by compiling it again.
const maxTurns = 32

// Turn returns in how long after a time the answer of an expression turns to another one by itself,
// and what to: when an age reaches a duration that is written in the expression. It is not ok if
// that is not found, or the expression looks at other objects. Explain evaluates the expression as
// of another time.
func Turn(f *filters.Filter, is filters.Explanation, at time.Time,
	explain func(*filters.Filter) filters.Explanation) (after time.Duration, to, ok bool) {
	if is.Err != nil || !f.UsesClock() || len(f.Informers()) > 0 {
		return 0, false, false
	}
	const past = time.Second // an age is compared with > or >=
	points := turningPoints(is.Root, 0, 0)
	for tried := 0; tried < maxTurns && len(points) > 0; tried++ {
		after := points[0]
		later, err := f.AsOf(at.Add(after + past))
		if err != nil { // it was compiled before
			panic(fmt.Sprintf("ages: an expression that was compiled is wrong: %v", err))
		}
		then := explain(later)
		if then.Err == nil && then.Matched != is.Matched {
			return after, then.Matched, true
		}
		// parts that did not matter before may do so from here on
		points = append(points[1:], turningPoints(then.Root, after+past, after)...)
		slices.Sort(points)
		points = slices.Compact(points)
	}
	return 0, false, false
}

// Words returns how long something is, in whole seconds, or about, in days if these are many.
func Words(long time.Duration) string {
	const day = 24 * time.Hour
	if long >= 3*day {
		return fmt.Sprintf("%dd", (long+day/2)/day)
	}
	return document.Short(max(long.Truncate(time.Second), time.Second))
}

var textConstant = regexp.MustCompile(`"[^"]*"|'[^']*'`)

// turningPoints returns in how long an age in an expression reaches a duration that is written
// there, if that is later than least. The ages are those when this long has passed.
func turningPoints(root filters.Step, passed, least time.Duration) (all []time.Duration) {
	var limits []time.Duration
	for _, text := range textConstant.FindAllString(root.Text, maxTurns) {
		if d, ok := filters.ParseDuration(text[1 : len(text)-1]); ok {
			limits = append(limits, d)
		}
	}
	for _, age := range agesIn(root) {
		for _, limit := range limits {
			if after := limit - age + passed; after > least {
				all = append(all, after)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// agesIn returns the values that age had in a part.
func agesIn(s filters.Step) (all []time.Duration) {
	if strings.HasPrefix(s.Text, "age(") {
		for _, value := range s.Whole {
			if _, of, item := strings.Cut(value, "] "); item {
				value = of
			}
			if d, ok := filters.ParseDuration(strings.Trim(value, `"`)); ok {
				all = append(all, d)
			}
		}
	}
	for _, child := range s.Children {
		all = append(all, agesIn(child)...)
	}
	return all
}
