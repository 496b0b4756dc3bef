package eval_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/growth"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

// heavy is an object whose every field costs something: long texts with escapes, long numbers, long
// lists, small objects whose members are in other orders, lists in lists, and texts that are nearly
// quantities, dates, versions and images.
func heavy(t testing.TB) event.Event {
	t.Helper()
	var members, turned []string
	for i := range 300 {
		members = append(members, fmt.Sprintf(`"m%d":0`, i))
	}
	for i := range members {
		turned = append(turned, members[len(members)-1-i])
	}
	deep := strings.Repeat("[", 90) + "1" + strings.Repeat("]", 90)
	text := strings.Repeat("ab", 100_000)
	return event.Event{Op: event.Update,
		Object: filtertest.NewObject(t, fmt.Sprintf(
			`{"text":"%s","same":"%[1]s","esc":"\n%s\u00e9","digits":%s,"fraction":0.%[3]s,"list":[%s0],"texts":[%s"b"],"escs":[%s"b"],"o":{%s},"p":{%s},"l1":[%s1],"l2":[%[9]s2],"deep":%s,"deep2":%s,"nested":[%s0],"q":"123456789012345678.123456789Gi","q2":"1e-30","q3":"999999999999999999999999999999","d":"Mon, 02 Jan 2006 15:04:05 XST","v":"v1234567890.1234567890.1234567890-alpha.1.2.3","img":"%s","small":"web","f":1.5,"i":7,"re":"%s"}`,
			text, strings.Repeat(`\u00e9x`, 20_000), strings.Repeat("1", 100_000),
			strings.Repeat("1,", 3000), strings.Repeat(`"a",`, 1000), strings.Repeat(`"\n",`, 500),
			strings.Join(members, ","), strings.Join(turned, ","),
			strings.Repeat("0,", 1500), deep, strings.Replace(deep, "1", "2", 1),
			strings.Repeat("[[1],[2]],", 500), strings.Repeat("a-b/", 50)+"c:v1",
			strings.Repeat("a?", 100)))}
}

var (
	heavyOperands = []string{
		"object.text", "object.same", "object.esc", "object.digits", "object.fraction",
		"object.list", "object.texts", "object.escs", "object.o", "object.p", "object.l1",
		"object.l2", "object.deep", "object.deep2", "object.nested", "object.q", "object.q2",
		"object.q3", "object.d", "object.v", "object.img", "object.small", "object.f", "object.i",
		"object.re", "object", `"a"`, "1", "0.5", "nil", "#", `[1, 2, 3]`,
		`["a", "b", object.small]`, `{"a": #, "b": 2}`, "quantity(object.q)", "quantity(object.q3)",
		"quantity(#)", `duration("1h")`, "semver(object.v)", "image(object.img)", `ip("10.0.0.1")`,
		`cidr("10.0.0.0/8")`, "date(object.d)", `date("2026-01-02")`,
		"(object.text + object.small)", "string(#)", "object.list[5]", `object["te" + "xt"]`,
		"object.o.m299", `object.p["m" + string(#)]`, "object.small[0:1]",
	}
	heavyUnary = []string{
		"len(%s)", "first(%s)", "last(%s)", "keys(%s)", "values(%s)", "lower(%s)", "upper(%s)",
		"trim(%s)", "string(%s)", "int(%s)", "float(%s)", "date(%s)", "age(%s)", "abs(%s)",
		"round(%s)", "min(%s)", "max(%s)", "quantity(%s)", "duration(%s)", "semver(%s)", "ip(%s)",
		"cidr(%s)", "image(%s)",
		"(-%s)", "%s[1]", "%s[-1]", "%s[1:]", "%s[:-1]", "%s.m299", `%s["m" + string(#)]`,
		"sum(%s)", "any(%s, false)", "map(%s, #)", "filter(%s, true)", "findLast(%s, # == 1)",
		"label(%s)", "owner(%s)", "condition(%s)", `cached("pods", %s, "x")`, `clusters("pods", %s, "x")`,
		`byIndex("pods", "app", %s)`, "(%s matches \"(a?){20}$\")", "(%s ?? 1)", "%s.tag",
		"(%s ? 1 : 2)", "any(%s, # == object.small)", "sum(%s, quantity(#))",
		"count(%s, # in object.texts)", "map(%s, {\"a\": #})", "{let x = %s; x == x}",
	}
	heavyBinary = []string{
		"(%s == %s)", "(%s < %s)", "(%s in %s)", "(%s contains %s)", "(%s startsWith %s)",
		"(%s endsWith %s)", "(%s matches %s)", "(%s + %s)", "(%s - %s)", "(%s * %s)", "(%s / %s)",
		"(%s %% %s)", "(%s ** %s)", "%s[%s]", "(%s)..(%s)", "trim(%s, %s)", "trimPrefix(%s, %s)",
		"indexOf(%s, %s)", "lastIndexOf(%s, %s)", "hasSuffix(%s, %s)", "glob(%s, %s)",
		"min(%s, %s)", "any([%s], # == %s)", "[%s, %s]", `{"a": %s, "b": %s}`, "%s[%s:]",
		"date(%s, %s)", "([%s] == [%s])", "any(%s, # == %s)",
	}
)

// heavyExpression draws an expression that is evaluated for each number of a range.
func (g *generator) heavyExpression() string {
	text := g.pick(heavyOperands...)
	for range 1 + g.r.Intn(2) {
		if g.r.Intn(2) == 0 {
			text = fmt.Sprintf(g.pick(heavyUnary...), text)
			continue
		}
		other := g.pick(heavyOperands...)
		if g.r.Intn(2) == 0 {
			text, other = other, text
		}
		text = fmt.Sprintf(g.pick(heavyBinary...), text, other)
	}
	return text
}

// cost evaluates an expression in a loop until it took some time, and returns the steps and the
// time.
func cost(t testing.TB, text string, ev event.Event) (steps int, took time.Duration, ok bool) {
	t.Helper()
	f, err := filters.Compile(lang.Expression{Text: "count(1..10000, let it = " + text +
		"; false) == 1",
		Informers: map[string][]string{"pods": {"app"}}})
	if err != nil {
		return 0, 0, false
	}
	e := f.Evaluator()
	for took < 4*time.Millisecond {
		start := growth.ThreadTime()
		_, _ = e.Match(ev)
		took += growth.ThreadTime() - start
		if steps += e.Steps(); e.Steps() < 1000 { // it fails at once
			return 0, 0, false
		}
	}
	return steps, took, true
}

// jsonReference is how long encoding/json takes to look at a text of 64 bytes.
func jsonReference() time.Duration {
	text := []byte(`[` + strings.Repeat(`{"name":"web","ready":true,"restarts":5},`, 500) + `1]`)
	start := growth.ThreadTime()
	for range 20 {
		if !json.Valid(text) {
			panic("not valid")
		}
	}
	return (growth.ThreadTime() - start) * 64 / time.Duration(20*len(text))
}

// measures skips a test that compares times, which depend on what else a machine does.
func measures(t *testing.T) {
	if os.Getenv("FILTERS_TIME") == "" || raceDetector {
		t.Skip("measures; make conformance runs it")
	}
}

// maxStep is how many references a step may take.
const maxStep = 1.5

// A step pays for about the same time in all operations, so that the number of steps bounds the CPU
// time of an evaluation. What takes longest for what it pays is looked for among expressions over
// an object whose every field costs something.
func TestStepsPayForTime(t *testing.T) {
	measures(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	type found struct {
		ratio float64
		text  string
		steps int
		took  time.Duration
	}
	var worst []found
	n := 0
	ev := heavy(t)
	generated(t, func(t *testing.T, g *generator) {
		text := g.heavyExpression()
		steps, took, ok := cost(t, text, ev)
		if !ok {
			return
		}
		n++
		perStep := float64(took) / float64(steps)
		if ratio := perStep / float64(jsonReference()); ratio > maxStep/2 || len(worst) == 0 {
			// Next to a busy sibling of its core, an expression takes twice as long as the
			// reference a moment later.
			for i := 0; i < 20 && ratio > maxStep; i++ {
				if steps, again, ok := cost(t, text, ev); ok {
					ratio = min(ratio, float64(again)/float64(steps)/float64(jsonReference()))
				}
			}
			worst = append(worst, found{ratio, text, steps, took})
		}
	})
	slices.SortFunc(worst, func(a, b found) int { return int(1e6 * (b.ratio - a.ratio)) })
	for i, w := range worst {
		if i < 40 && (i < 1 || os.Getenv("FILTERS_TIME") != "") {
			t.Logf("%.2f references, %.0f ns a step: %s", w.ratio, float64(w.took)/float64(w.steps),
				w.text)
		}
		if w.ratio > maxStep {
			t.Errorf("a step took %.2f references: %s", w.ratio, w.text)
		}
	}
	t.Logf("%d expressions; a reference takes %s", n, jsonReference())
}

// So it is where JSON is made for an output.
func TestWritingJSONPaysForTime(t *testing.T) {
	measures(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := &lang.Message{Event: heavy(t), Name: "web", Data: `[1]`}
	for _, operand := range append(slices.Clone(heavyOperands), `"\n\u0001é"`, "0.1 + 0.2", "[[]]",
		`{"b": {}, "a": #, "d": 1, "c": nil}`, "object.esc + object.small", "data", "name") {
		f, err := filters.Compile(lang.Expression{Text: "map(1..2000, (" + operand + "))",
			Kind: lang.KindData})
		if operand == "nil" { // which map does not take
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		e := f.Evaluator()
		ratio := math.Inf(1)
		for i := 0; i < 20 && ratio > maxStep; i++ {
			steps, took := 0, time.Duration(0)
			for took < 2*time.Millisecond {
				start := growth.ThreadTime()
				_, _ = e.JSONOf(m)
				took += growth.ThreadTime() - start
				steps += e.Steps() + 100 // that nobody pays for
			}
			ratio = min(ratio, float64(took)/float64(steps)/float64(jsonReference()))
		}
		if ratio > maxStep {
			t.Errorf("a step took %.2f references: %s", ratio, operand)
		}
	}
}
