package growth

import (
	"strings"
	"testing"
)

var sink int

func work(n int) {
	for i := range n {
		sink += i
	}
}

func TestLinearTakesLinearWork(t *testing.T) {
	Linear(t, 1_000_000, work)
}

func TestLinearFindsTheSquare(t *testing.T) {
	problem := grows(2000, func(n int) { work(n * n) })
	if !strings.HasPrefix(problem, "size 2000 took ") || !strings.Contains(problem, ", size 16000 took ") {
		t.Errorf("quadratic work was found to be %q", problem)
	}
}
