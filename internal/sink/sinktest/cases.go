package sinktest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/sink"
)

// cases are the suite, but for the odd messages.
var cases = []struct {
	name string
	run  func(*bench)
}{
	{"order of one caller", order},
	{"no messages", noMessages},
	{"pace", pace},
	{"one message is refused", oneRefused},
	{"failure for now", failure},
	{"broken connection", broken},
	{"context done before", doneBefore},
	{"context done during a hang", doneDuring},
	{"close waits for writes under way", closeWaits},
	{"close ends by its context", closeEnds},
	{"write after close", writeAfterClose},
	{"concurrent callers", concurrent},
	{"close with concurrent callers", closeConcurrent},
	{"memory", memory},
	{"fence", fenced},
}

// order: what a caller has written before arrives before.
func order(b *bench) {
	var groups [][]sink.Message
	for version := 1; version <= 6; version++ {
		group := b.messages(1+(version*2)%b.batch, version)
		b.deliver(group...)
		groups = append(groups, group)
	}
	b.wantTaken(groups...)
}

func noMessages(b *bench) {
	if errs := b.sink.Write(context.Background(), nil); errs != nil {
		b.Errorf("got %v", errs)
	}
	b.wantTaken()
}

func pace(b *bench) {
	p := b.sink.Pace()
	if p.Batch < 0 || p.Writes < 0 || p.Wait < 0 || p.Batch <= 1 && p.Wait > 0 {
		b.Errorf("%+v cannot be meant", p)
	}
	b.deliver(b.messages(b.batch, 1)...)
	if again := b.sink.Pace(); again != p {
		b.Errorf("the pace has changed from %+v to %+v", p, again)
	}
}

// oneRefused: a message that is refused fails alone, and with an error that says whether a retry is
// worth it.
func oneRefused(b *bench) {
	b.to.Set(Refuse)
	messages := b.messages(b.batch, 1)
	refused := len(messages) / 2
	messages[refused] = b.message(RefusedName, 1)
	errs := b.write(messages...)
	if len(errs) != len(messages) {
		b.Fatalf("results %v for %d messages", errs, len(messages))
	}
	for i, err := range errs {
		if failed := err != nil; failed != (i == refused) {
			b.Errorf("message %d: %v", i, err)
		}
	}
	if got := sink.IsPermanent(errs[refused]); got == b.target.RefusesForNow {
		b.Errorf("%v: permanent is %t", errs[refused], got)
	}
	others := slices.Delete(slices.Clone(messages), refused, refused+1)
	next := b.messages(b.batch, 2)
	b.deliver(next...)
	b.wantTaken(others, next)
	b.to.Set(Healthy)
	b.deliver(messages[refused])
	b.wantTaken(others, next, messages[refused:refused+1])
}

// failure: what a receiver does not take for now is worth a retry, which delivers it.
func failure(b *bench) {
	b.to.Set(Fail)
	messages := b.messages(b.batch, 1)
	for range 2 {
		b.wantTransient(b.write(messages...), messages)
	}
	b.wantTaken()
	b.to.Set(Healthy)
	b.deliver(messages...)
	b.wantTaken(messages)
}

// broken: a receiver that goes away without an answer is worth a retry, which delivers the
// messages, perhaps for the second time.
func broken(b *bench) {
	b.deliver(b.messages(1, 1)...)
	b.to.Set(Break)
	messages := b.messages(b.batch, 2)
	b.wantTransient(b.write(messages...), messages)
	b.to.Set(Healthy)
	b.deliver(messages...)
	b.wantLast(messages)
}

// doneBefore: a ctx that is done writes nothing.
func doneBefore(b *bench) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	messages := b.messages(b.batch, 1)
	b.wantContext(ctx, b.writeWith(ctx, messages), messages)
	next := b.messages(b.batch, 2)
	b.deliver(next...)
	b.wantTaken(next)
}

// doneDuring: ctx ends a Write that hangs, and the retry delivers.
func doneDuring(b *bench) {
	b.to.Set(Hang)
	messages := b.messages(b.batch, 1)
	for i := range 2 {
		ctx, cancel := context.WithCancel(context.Background())
		if i == 0 {
			go func() {
				<-b.to.Hung()
				cancel()
			}()
		} else {
			ctx, cancel = context.WithTimeout(context.Background(), soon)
		}
		errs := b.writeWith(ctx, messages)
		cancel()
		b.wantContext(ctx, errs, messages)
	}
	b.to.Set(Healthy)
	b.deliver(messages...)
	next := b.messages(b.batch, 2)
	b.deliver(next...)
	b.wantLast(next)
	for _, text := range texts(b.target, messages) {
		if !slices.Contains(b.to.Taken(), text) {
			b.Errorf("%.300q has not arrived", text)
		}
	}
}

// closeWaits: a Write that is under way when Close begins is carried out.
func closeWaits(b *bench) {
	b.to.Set(Hang)
	messages := b.messages(1, 1)
	written, closed := make(chan []error, 1), make(chan struct{})
	go func() { written <- b.write(messages...) }()
	b.awaitHung()
	var taken []string // when Close returned
	go func() {
		defer close(closed)
		b.closeNow()
		taken = b.to.Taken()
	}()
	select {
	case <-closed:
		b.Error("Close has not waited for the Write")
	case <-time.After(soon):
	}
	b.to.Set(Healthy)
	if errs := <-written; errs != nil {
		b.Errorf("the Write failed: %v", errs)
	}
	<-closed
	if len(taken) != 1 || taken[0] != b.target.Text(messages[0]) {
		b.Errorf("when Close returned, %.300q had arrived", taken)
	}
}

// closeEnds: Close returns when its ctx is done, and may be called again.
func closeEnds(b *bench) {
	b.to.Set(Hang)
	messages := b.messages(1, 1)
	written := make(chan []error, 1)
	go func() { written <- b.write(messages...) }()
	b.awaitHung()
	ctx, cancel := context.WithTimeout(context.Background(), soon)
	defer cancel()
	if err := b.sink.Close(ctx); !errors.Is(err, context.DeadlineExceeded) ||
		strings.Contains(err.Error(), "\n") {
		b.Errorf("Close: %v", err)
	}
	b.to.Set(Healthy)
	if errs := <-written; errs != nil {
		b.wantTransient(errs, messages)
	}
	b.closeNow()
	b.wantClosed()
}

func writeAfterClose(b *bench) {
	messages := b.messages(1, 1)
	b.deliver(messages...)
	for range 2 {
		b.closeNow()
		b.wantClosed()
	}
	b.wantTaken(messages)
}

// wantClosed checks that the sink writes nothing any more.
func (b *bench) wantClosed() {
	b.Helper()
	messages := b.messages(b.batch, 9)
	errs := b.write(messages...)
	b.wantTransient(errs, messages)
	for _, err := range errs {
		if !errors.Is(err, sink.ErrClosed) {
			b.Errorf("%v is not ErrClosed", err)
		}
	}
	if text := b.target.Text(messages[0]); slices.Contains(b.to.Taken(), text) {
		b.Error("a message was sent after Close")
	}
}

const callers, rounds = 8, 12

// concurrent: many callers lose and mix nothing, and each has its order.
func concurrent(b *bench) {
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for round := 1; round <= rounds; round++ {
				if errs := b.write(b.callers(c, round)...); errs != nil {
					b.Errorf("caller %d: %v", c, errs)
				}
			}
		})
	}
	wg.Wait()
	at := map[string]int{}
	taken := b.to.Taken()
	for i, text := range taken {
		at[text] = i
	}
	sent := 0
	for c := range callers {
		last := -1
		for round := 1; round <= rounds; round++ {
			end := last
			for _, text := range texts(b.target, b.callers(c, round)) {
				i, ok := at[text]
				if !ok || i <= last {
					b.Fatalf("caller %d, round %d: is missing, or came too early: %.300q", c,
						round, text)
				}
				end, sent = max(end, i), sent+1
			}
			last = end
		}
	}
	if len(taken) != sent {
		b.Errorf("%d messages have arrived, want %d", len(taken), sent)
	}
}

// callers returns what a caller writes in a round.
func (b *bench) callers(c, round int) (messages []sink.Message) {
	for i := range 1 + (c+round)%b.batch {
		messages = append(messages, b.message(fmt.Sprintf("caller-%d-%d", c, i), round))
	}
	return messages
}

// closeConcurrent: whatever Write reports as taken has arrived, and all else is ErrClosed.
func closeConcurrent(b *bench) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var reported []string
	started := make(chan struct{}, callers)
	for c := range callers {
		wg.Go(func() {
			for round := 1; ; round++ {
				messages := b.callers(c, round)
				errs := b.write(messages...)
				for i, text := range texts(b.target, messages) {
					if errs == nil || errs[i] == nil {
						mu.Lock()
						reported = append(reported, text)
						mu.Unlock()
					} else if !errors.Is(errs[i], sink.ErrClosed) {
						b.Errorf("%v is not ErrClosed", errs[i])
					}
				}
				if round == 1 {
					started <- struct{}{}
				}
				if errs != nil {
					return
				}
			}
		})
	}
	for range callers {
		<-started
	}
	b.closeNow()
	wg.Wait()
	got := b.to.Taken()
	slices.Sort(got)
	slices.Sort(reported)
	if !slices.Equal(got, reported) {
		b.Errorf("%d messages have arrived, and %d were reported as taken", len(got),
			len(reported))
	}
}

// memory: a Write costs memory in proportion to its messages, the receiver's included.
func memory(b *bench) {
	const writes, factor, fixed = 20, 48, 128 << 10
	m := b.target.Prepare(Builder(b).Event(largeUpdate(b), observed))
	b.deliver(m)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range writes {
		b.deliver(m)
	}
	runtime.ReadMemStats(&after)
	size := len(b.target.Text(m))
	if each := int(after.TotalAlloc-before.TotalAlloc) / writes; each > factor*size+fixed {
		b.Errorf("a message of %d bytes costs %d bytes", size, each)
	}
}
