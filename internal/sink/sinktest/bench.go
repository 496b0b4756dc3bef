package sinktest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
)

// bench is one case's sink and receiver.
type bench struct {
	*testing.T
	target Target
	sink   sink.Sink
	to     Receiver
	batch  int // the most messages of one Write here
}

func newBench(t *testing.T, target Target) *bench {
	t.Helper()
	return newFenced(t, target, nil)
}

func newFenced(t *testing.T, target Target, f *sink.Fence) *bench {
	t.Helper()
	s, to := target.New(t, f)
	b := &bench{T: t, target: target, sink: s, to: to, batch: min(max(s.Pace().Batch, 1), 5)}
	t.Cleanup(func() {
		to.Set(Healthy)
		b.closeNow()
	})
	return b
}

// patience is how long the suite waits for what must happen.
var patience = 20 * time.Second

// soon is how long a case that ends by a context lets it last.
const soon = 20 * time.Millisecond

func (b *bench) closeNow() {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := b.sink.Close(ctx); err != nil {
		b.Errorf("Close: %v", err)
	}
}

// write writes messages with much patience. It checks what holds for every result, and that the
// sink neither changes the messages nor reads the slice later.
func (b *bench) write(messages ...sink.Message) []error {
	b.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	errs := b.writeWith(ctx, messages)
	if ctx.Err() != nil {
		b.Errorf("Write did not end: %v", errs)
	}
	return errs
}

func (b *bench) writeWith(ctx context.Context, messages []sink.Message) []error {
	b.Helper()
	passed := slices.Clone(messages)
	before := texts(b.target, messages)
	stuck := time.AfterFunc(patience, func() {
		b.Error("Write does not end")
		b.to.Set(Healthy)
	})
	errs := b.sink.Write(ctx, passed)
	stuck.Stop()
	if !slices.Equal(passed, messages) || !slices.Equal(before, texts(b.target, passed)) {
		b.Errorf("Write has changed its messages")
	}
	clear(passed)
	b.checkErrors(messages, errs)
	return errs
}

func texts(target Target, messages []sink.Message) []string {
	var all []string
	for _, m := range messages {
		all = append(all, target.Text(m))
	}
	return all
}

// checkErrors checks what holds for every result of a Write.
func (b *bench) checkErrors(messages []sink.Message, errs []error) {
	b.Helper()
	if errs == nil {
		return
	}
	if len(errs) != len(messages) {
		b.Errorf("%d results for %d messages", len(errs), len(messages))
	}
	if !slices.ContainsFunc(errs, func(err error) bool { return err != nil }) {
		b.Error("Write returned no error, but not nil either")
	}
	for _, err := range errs {
		if err == nil {
			continue
		}
		text := err.Error()
		if strings.ContainsAny(text, "\r\n") || len(text) > 1000 {
			b.Errorf("the error is not one short line: %q", text)
		}
		if strings.Contains(text, secret) {
			b.Errorf("the error has the object's text: %q", text)
		}
	}
}

// deliver writes messages that must be taken.
func (b *bench) deliver(messages ...sink.Message) {
	b.Helper()
	if errs := b.write(messages...); errs != nil {
		b.Fatalf("messages were not taken: %v", errors.Join(errs...))
	}
}

// wantTaken checks that the receiver has taken the messages of each group after those of the group
// before, and nothing else. The order in a group is free.
func (b *bench) wantTaken(groups ...[]sink.Message) {
	b.Helper()
	got := b.to.Taken()
	for i, group := range groups {
		if len(got) < len(group) {
			b.Fatalf("group %d: only %d of %d messages have arrived", i, len(got), len(group))
		}
		arrived, want := slices.Clone(got[:len(group)]), texts(b.target, group)
		slices.Sort(arrived)
		slices.Sort(want)
		if !slices.Equal(arrived, want) {
			b.Fatalf("group %d\n got %.300q\nwant %.300q", i, arrived, want)
		}
		got = got[len(group):]
	}
	if len(got) != 0 {
		b.Errorf("%d messages too many have arrived: %.300q", len(got), got)
	}
}

// wantLast checks that the receiver has taken messages at least once each, and no other after them.
func (b *bench) wantLast(messages []sink.Message) {
	b.Helper()
	got, want := b.to.Taken(), texts(b.target, messages)
	if len(got) < len(want) {
		b.Fatalf("only %d of %d messages have arrived", len(got), len(want))
	}
	last := slices.Clone(got[len(got)-len(want):])
	slices.Sort(last)
	slices.Sort(want)
	if !slices.Equal(last, want) {
		b.Errorf("\n got %.300q\nwant %.300q", last, want)
	}
}

// wantTransient checks that each message has failed and is worth a retry.
func (b *bench) wantTransient(errs []error, messages []sink.Message) {
	b.Helper()
	if len(errs) != len(messages) {
		b.Fatalf("%d results for %d messages", len(errs), len(messages))
	}
	for i, err := range errs {
		if err == nil || sink.IsPermanent(err) {
			b.Errorf("message %d: %v: not an error that is worth a retry", i, err)
		}
	}
}

// wantContext checks that each message has failed with the error of ctx.
func (b *bench) wantContext(ctx context.Context, errs []error, messages []sink.Message) {
	b.Helper()
	b.wantTransient(errs, messages)
	for i, err := range errs {
		if !errors.Is(err, ctx.Err()) {
			b.Errorf("message %d: %v: does not wrap %v", i, err, ctx.Err())
		}
	}
}

// awaitHung waits until something hangs at the receiver.
func (b *bench) awaitHung() {
	b.Helper()
	select {
	case <-b.to.Hung():
	case <-time.After(patience):
		b.Fatal("nothing has come to the receiver")
	}
}

// messages returns n messages about different objects, in a version.
func (b *bench) messages(n, version int) []sink.Message {
	b.Helper()
	var all []sink.Message
	for i := range n {
		all = append(all, b.message("web-"+string(rune('a'+i)), version))
	}
	return all
}

func (b *bench) message(name string, version int) sink.Message {
	b.Helper()
	return b.target.Prepare(Message(b, name, version))
}
