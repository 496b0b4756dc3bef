package growth

import (
	"strings"
	"testing"
)

var sink int // keeps the compiler from removing the work

func work(n int) {
	sum := 0 // a local variable, or the race detector would make it many times slower
	for i := range n {
		sum += i
	}
	sink = sum
}

func TestLinearTakesLinearWork(t *testing.T) {
	Linear(t, 1_000_000, work)
}

func TestLinearFindsTheSquare(t *testing.T) {
	problem := grows(2000, func(n int) { work(n * n) })
	if !strings.HasPrefix(problem, "size 2000 took ") ||
		!strings.Contains(problem, ", size 16000 took ") {
		t.Errorf("quadratic work was found to be %q", problem)
	}
}
