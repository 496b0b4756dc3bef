package fifo

import (
	"fmt"
	"slices"
	"testing"
)

func TestFifo(t *testing.T) {
	var f Queue[int]
	next := 0
	for i := range 10_000 {
		f.Push(i)
		if i%3 != 0 {
			if v, ok := f.Pop(); !ok || v != next {
				t.Fatalf("pop %d, %v, want %d", v, ok, next)
			}
			next++
		}
	}
	if got := fmt.Sprint(f.Snapshot()[:3]); got != fmt.Sprint([]int{next, next + 1, next + 2}) {
		t.Error(got)
	}
	for ; next < 10_000; next++ {
		if v, ok := f.Pop(); !ok || v != next {
			t.Fatalf("pop %d, %v, want %d", v, ok, next)
		}
	}
	if _, ok := f.Pop(); ok || f.Len() != 0 {
		t.Error("not empty")
	}
}

func TestDeleteFunc(t *testing.T) {
	var f Queue[int]
	for i := range 20 {
		if f.Push(i); i < 5 {
			f.Pop() // so that the elements wrap around the ring's end
		}
	}
	if n := f.DeleteFunc(func(v *int) bool { return *v%2 == 0 }); n != 7 {
		t.Errorf("deleted %d, want 7", n)
	}
	if got, want := f.Snapshot(), []int{5, 7, 9, 11, 13, 15, 17, 19}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := f.DeleteFunc(func(*int) bool { return true }); n != 8 || f.Len() != 0 {
		t.Errorf("deleted %d, %d are left", n, f.Len())
	}
}

func TestABurstHoldsNoMemory(t *testing.T) {
	var f Queue[int]
	for i := range MaxEmpty + 1 {
		f.Push(i)
	}
	for range MaxEmpty + 1 {
		f.Pop()
	}
	if f.Cap() != 0 {
		t.Errorf("an empty list has room for %d", f.Cap())
	}
}

// What was taken is retained nowhere.
func TestTakenSlotsAreZero(t *testing.T) {
	var f Queue[string]
	for i := range 100 {
		if f.Push(fmt.Sprint(i)); i%2 == 1 {
			f.Pop()
		}
	}
	f.DeleteFunc(func(s *string) bool { return *s < "8" })
	for f.Len() > 0 {
		f.Pop()
	}
	for _, s := range f.ring {
		if s != "" {
			t.Fatal("an element is retained: ", s)
		}
	}
}

func TestFirst(t *testing.T) {
	var q Queue[int]
	for i := range 20 { // the ring begins in its middle
		q.Push(i)
		if i < 6 {
			q.Pop()
		}
	}
	for _, c := range []struct{ above, want int }{{0, 6}, {6, 7}, {18, 19}} {
		if got := q.First(func(v *int) bool { return *v > c.above }); got == nil || *got != c.want {
			t.Errorf("the first above %d is %v, want %d", c.above, got, c.want)
		}
	}
	if got := q.First(func(v *int) bool { return *v > 19 }); got != nil {
		t.Errorf("there is %d", *got)
	}
}
