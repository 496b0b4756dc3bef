package httpsink

import (
	"errors"
	"slices"
	"testing"

	"github.com/informerd/informerd/internal/sink"
)

// The lengths of requests follow what the receiver takes.
func TestBatches(t *testing.T) {
	refused := sink.Permanent(&statusError{Status: 400})
	b := NewBatches(8)
	var lengths []int
	write := func(n int, send func(from, to int) error, want ...int) []error {
		t.Helper()
		lengths = nil
		errs := b.Write(n, func(from, to int) (int, error) {
			lengths = append(lengths, to-from)
			return to - from, send(from, to)
		})
		if !slices.Equal(lengths, want) {
			t.Errorf("requests of %v, want %v", lengths, want)
		}
		return errs
	}
	fine := func(int, int) error { return nil }
	if errs := write(20, fine, 8, 8, 4); errs != nil {
		t.Error(errs)
	}
	if errs := write(0, fine); errs != nil {
		t.Error(errs)
	}
	bad := func(from, to int) error {
		if from <= 5 && 5 < to {
			return refused
		}
		return nil
	}
	errs := write(8, bad, 8, 4, 4, 2, 1, 2, 1, 1, 1)
	if len(errs) != 8 || errs[5] == nil || errs[4] != nil || errs[6] != nil {
		t.Errorf("got %v", errs)
	}
	write(14, fine, 2, 4, 8)
	trouble := errors.New("trouble")
	errs = write(14, func(from, _ int) error {
		if from > 0 {
			return trouble
		}
		return nil
	}, 8, 6)
	if errs[7] != nil || errs[8] != trouble || errs[13] != trouble {
		t.Errorf("got %v", errs)
	}
	gone := sink.Permanent(&statusError{Status: 410})
	errs = write(9, func(int, int) error { return gone }, 8, 1)
	if slices.Contains(errs, nil) {
		t.Errorf("got %v", errs)
	}
}
