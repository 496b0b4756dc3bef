package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

var benchmarkRules = []struct{ name, deny string }{
	{"no-latest", `any(object.spec.containers, .image endsWith ":latest")`},
	{"privileged", `any(object.spec.containers, .securityContext.privileged == true)`},
	{"host-network", `object.spec.hostNetwork == true`},
	{"restarts", `any(object.status.containerStatuses, .restartCount > 5)`},
}

func benchmarkBook(b *testing.B, hold, repeat time.Duration) *Book {
	var all []*Rule
	for _, r := range benchmarkRules {
		all = append(all, rule(b, r.name, r.deny, hold, repeat))
	}
	return NewBook(all, 1)
}

func benchmarkPod(b *testing.B, tag string) *object.Object {
	return pod(b, "web-7d9c5b5d5f-x2x4z", "6f2b8f52-5b1c-4b7e-9d5f-0d2f6a3e8b11",
		`"spec":{"containers":[{"name":"web","image":"registry.example.com/shop/web:`+tag+
			`","args":["`+strings.Repeat("x", 4000)+`"]}]},`+
			`"status":{"containerStatuses":[{"name":"web","restartCount":1}]}`)
}

// BenchmarkEvaluate is one event of an object under four rules; Filters is what their denies alone
// cost.
func BenchmarkEvaluate(b *testing.B) {
	clean, dirty := benchmarkPod(b, "1.2.3"), benchmarkPod(b, "latest")
	b.Run("Filters", func(b *testing.B) {
		var evaluators []*filters.Evaluator
		for _, r := range benchmarkBook(b, 0, 0).set.Load().rules {
			evaluators = append(evaluators, r.Deny().Evaluator())
		}
		ev := event.Event{Op: event.Resync, Object: clean}
		b.ReportAllocs()
		for b.Loop() {
			for _, e := range evaluators {
				if denied, err := e.Match(ev); denied || err != nil {
					b.Fatal(denied, err)
				}
			}
		}
	})
	for _, bm := range []struct {
		name    string
		hold    time.Duration
		objects []*object.Object
	}{
		{"Clean", 0, []*object.Object{clean}},
		{"Pending", time.Hour, []*object.Object{dirty}},
		{"Violated", 0, []*object.Object{dirty}},
		{"Transitions", 0, []*object.Object{dirty, clean}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			e := benchmarkBook(b, bm.hold, 0).Evaluator(nil)
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				if o := evaluate(e,
					event.Event{Op: event.Update, Object: bm.objects[i%len(bm.objects)]},
					begin); o.Errors != nil {
					b.Fatal(o.Errors)
				}
				i++
			}
		})
	}
}

// BenchmarkEvaluateParallel is clean objects on all processors, which share the book's lock.
func BenchmarkEvaluateParallel(b *testing.B) {
	book, clean := benchmarkBook(b, 0, 0), benchmarkPod(b, "1.2.3")
	b.RunParallel(func(pb *testing.PB) {
		e := book.Evaluator(nil)
		for pb.Next() {
			evaluate(e, event.Event{Op: event.Update, Object: clean}, begin)
		}
	})
}

const manyViolations = 100_000

func violate(b *testing.B, n int) *Book {
	book := NewBook([]*Rule{rule(b, "a", deny, 0, 0)}, 1)
	e := telling(b, book.Evaluator(nil))
	for i := range n {
		o := podIn(b, fmt.Sprint("shop-", i%100), fmt.Sprint("web-7d9c5b5d5f-", i),
			fmt.Sprintf("6f2b8f52-5b1c-4b7e-9d5f-%012d", i),
			fmt.Sprintf(`"n":5,"message":"container web of web-7d9c5b5d5f-%d has restarted 17 times"`, i))
		evaluate(e, event.Event{Op: event.Add, Object: o}, begin)
	}
	return book
}

// BenchmarkMemory is what a violated object takes.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		before := heap()
		book := violate(b, manyViolations)
		b.ReportMetric(float64(heap()-before)/manyViolations, "bytes/violation")
		if book.open != manyViolations {
			b.Fatal(book.open)
		}
	}
}

// BenchmarkCounts is a scrape while 100,000 violations are open.
func BenchmarkCounts(b *testing.B) {
	book := violate(b, manyViolations)
	b.ReportAllocs()
	for b.Loop() {
		if n := len(book.Counts()); n != 100 {
			b.Fatal(n)
		}
	}
}

// BenchmarkOpen lists 100,000 violations; Locked is the part during which nobody can evaluate.
func BenchmarkOpen(b *testing.B) {
	book := violate(b, manyViolations)
	for _, bm := range []struct {
		name string
		list func() []Violation
	}{{"All", book.Open}, {"Locked", book.violations}} {
		b.Run(bm.name, func(b *testing.B) {
			for b.Loop() {
				if n := len(bm.list()); n != manyViolations {
					b.Fatal(n)
				}
			}
		})
	}
}
