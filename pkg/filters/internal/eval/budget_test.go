package eval_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

func TestBudget(t *testing.T) {
	const n = 3000
	ev := filtertest.Items(t, n)
	doubling := "let a0 = object.text;"
	for i := range 20 {
		doubling += fmt.Sprintf("let a%d = a%d + a%d;", i+1, i, i)
	}
	tests := []struct{ name, text, want string }{
		{"nested predicates", `any(object.items, any(object.items, .n < 0))`,
			"the expression took more than 1000000 steps"},
		{"nested predicates over a let", `let x = object.items; any(x, any(x, .n < 0))`,
			"the expression took more than 1000000 steps"},
		{"bodies without reads", `any(object.items, any(object.items, false))`,
			"the expression took more than 1000000 steps"},
		{"nested ranges", `any(1..3000, any(1..3000, # < 0))`,
			"the expression took more than 1000000 steps"},
		{"nested lists", `len(map(object.items, object.items)) == 0 || len(map(object.items, map(object.items, .n))) == 0`, "the expression made lists of more than 100000 items"},
		{"large range", `missed in 0..object.n * 10`, "the range has more than 10000 items"},
		{"range beyond int", `len(0 - 9223372036854775807 .. object.n) == 0`,
			"the range has more than 10000 items"},
		{"text doubled", doubling + "len(a20) == 0",
			"the expression made a text of more than 65536 bytes"},
		{"costly pattern", `any(object.items, object.text matches "(x?){300}y")`,
			"the expression took more than 1000000 steps"},
		{"pattern too long", `object.n == 3000 && "x" matches object.text`,
			"the pattern has 3000 bytes, the limit is 1024"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := filtertest.Compile(t, tt.text).Evaluator()
			ok, err := e.Match(ev)
			var ee *lang.EvalError
			if ok || !errors.As(err, &ee) || ee.Message != tt.want ||
				!errors.Is(err, lang.ErrUnknown) {
				t.Fatalf("got %v, %v", ok, err)
			}
			if tooLong := strings.HasPrefix(tt.want, "the pattern"); errors.Is(err,
				lang.ErrBudget) == tooLong {
				t.Errorf("ErrBudget: %v", !tooLong)
			}
			if e.CellMemory() > 4*lang.MaxSteps {
				t.Errorf("keeps %d cells", e.CellMemory())
			}
			e.Begin(ev)
			if e.CellMemory() > eval.KeptCells {
				t.Errorf("keeps %d cells for the next event", e.CellMemory())
			}
		})
	}
}

// What fits the budget by far is never refused.
func TestBudgetLeavesRoom(t *testing.T) {
	e := filtertest.Compile(t,
		`any(object.items, .n < 0) || count(object.items, .n == 1) == 3000 && sum(object.items, .n) == 3000 && all(object.items, .n in [1])`).Evaluator()
	if ok, err := e.Match(filtertest.Items(t, 3000)); !ok || err != nil {
		t.Error(ok, err)
	}
}
