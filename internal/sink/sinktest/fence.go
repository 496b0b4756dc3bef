package sinktest

import (
	"errors"
	"slices"
	"sync/atomic"

	"github.com/informerd/informerd/internal/sink"
)

// fenced: what a fence refuses from some moment of a Write on does not arrive. It comes back with
// the fence's error, and so does what is written later.
func fenced(b *bench) {
	if b.fencedAfter(0) {
		b.Fatal("it does not ask its fence")
	}
	for allowed, next := 1, 2; !b.fencedAfter(int64(allowed)); {
		allowed, next = next, allowed+next
	}
}

var errFence = errors.New("another one may have sent something newer")

// fencedAfter has a fence refuse after it was asked a number of times. It reports whether all was
// written before.
func (b *bench) fencedAfter(allowed int64) bool {
	b.Helper()
	var asked atomic.Int64
	f := newFenced(b.T, b.target, sink.NewFence(func() error {
		if asked.Add(1) > allowed {
			return errFence
		}
		return nil
	}))
	messages := f.messages(f.batch, 1)
	errs := f.write(messages...)
	all := asked.Load() <= allowed
	if all && errs != nil {
		b.Fatalf("the fence has refused nothing: %v", errs)
	}
	taken := f.to.Taken()
	tooMany := func(n int64) {
		b.Helper()
		if n > 0 && (allowed == 0 || n >= allowed && !b.target.Together) {
			b.Errorf("%d messages have arrived, and the fence was asked %d times", n, allowed)
		}
	}
	tooMany(int64(len(taken)))
	for i, m := range messages {
		if failed := errs != nil && errs[i] != nil; failed {
			b.wantRefused(errs[i])
		} else if !slices.Contains(taken, b.target.Text(m)) {
			b.Errorf("message %d has not arrived", i)
		}
	}
	if all {
		return true
	}
	late := f.messages(f.batch, 2)
	for _, err := range f.write(late...) {
		b.wantRefused(err)
	}
	f.closeNow()
	// What was let through may still have been under way.
	now := f.to.Taken()
	tooMany(int64(len(now)))
	for _, m := range late {
		if slices.Contains(now, b.target.Text(m)) {
			b.Error("a message has arrived that the fence has refused")
		}
	}
	return false
}

func (b *bench) wantRefused(err error) {
	b.Helper()
	if !errors.Is(err, errFence) || !errors.Is(err, sink.ErrFenced) || sink.IsPermanent(err) {
		b.Errorf("%v: not the error of the fence, worth a retry", err)
	}
}
