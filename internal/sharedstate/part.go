package sharedstate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/informerd/informerd/internal/backoff"
)

// What one batch has at most, but for a write that is larger alone. A server takes 1,000 messages.
const (
	batchMessages = 500
	batchBytes    = 512 << 10
)

// part is what a hold has of one stream. Its writes go through a queue, from which one goroutine
// takes as many as fit into a batch while there are any.
type part struct {
	state  *State
	stream string
	prefix string // of its subjects
	epoch  int64
	id     string // of the hold

	mu      sync.Mutex // guards what follows
	queue   []*write
	working bool

	// These are the goroutine's. While it is not certain what has become of the last batch, fenced
	// is not set, and the fence has to be written again.
	fence  uint64 // its sequence
	fenced bool
}

// write is one caller's messages. None is only a fence.
type write struct {
	ctx      context.Context
	messages []*natsgo.Msg
	done     chan written
}

// written is what has become of a write.
type written struct {
	first uint64 // a sequence that is not above those of the messages, and above all before them
	err   error
}

func (p *part) fenceSubject() string { return p.prefix + "fence" }

// subject returns that of a key in a table.
func (p *part) subject(table, key string) string {
	return p.prefix + token("t", table) + "." + token("k", key)
}

// message makes one for a subject.
func (p *part) message(subject string, data []byte) *natsgo.Msg {
	m := newMessage(subject, data)
	m.Header.Set(epochHeader, strconv.FormatInt(p.epoch, 10))
	return m
}

// write writes messages, those of a batch or none of them.
func (p *part) write(ctx context.Context, messages []*natsgo.Msg) (first uint64, err error) {
	for _, m := range messages {
		if len(m.Subject) > maxSubject {
			return 0, fmt.Errorf("the name of %d bytes is too long for a subject", len(m.Subject))
		}
	}
	for rest := messages; ; { // once for none, too
		n := fitting(rest)
		w := &write{ctx, rest[:n], make(chan written, 1)}
		if err := p.enqueue(w); err != nil {
			return 0, err
		}
		select {
		case is := <-w.done:
			first, err = is.first, is.err
		case <-ctx.Done():
			err = fmt.Errorf("it was not confirmed, and may still be written: %w", ctx.Err())
		}
		if rest = rest[n:]; err != nil || len(rest) == 0 {
			return first, err
		}
	}
}

// fitting returns how many of some messages fit into a batch, one at least if there are any.
func fitting(messages []*natsgo.Msg) int {
	size := 0
	for i, m := range messages {
		if size += m.Size(); i > 0 && (i >= batchMessages || size > batchBytes) {
			return i
		}
	}
	return len(messages)
}

func (p *part) enqueue(w *write) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.working {
		if err := p.state.begin(p.work); err != nil {
			return err
		}
		p.working = true
	}
	p.queue = append(p.queue, w)
	return nil
}

// work writes what is in the queue until it is empty.
func (p *part) work() {
	for batch := p.next(); batch != nil; batch = p.next() {
		var messages []*natsgo.Msg
		for _, w := range batch {
			messages = append(messages, w.messages...)
		}
		first, err := p.send(messages)
		for _, w := range batch {
			w.done <- written{first, err}
		}
	}
}

// next takes from the queue what becomes the next batch. What nobody waits for any more is left
// out.
func (p *part) next() (batch []*write) {
	p.mu.Lock()
	defer p.mu.Unlock()
	messages, size := 0, 0
	for i, w := range p.queue {
		messages += len(w.messages)
		for _, m := range w.messages {
			size += m.Size()
		}
		if len(batch) > 0 && (messages > batchMessages || size > batchBytes) {
			p.queue = p.queue[i:]
			return batch
		}
		if w.ctx.Err() == nil {
			batch = append(batch, w)
		}
	}
	p.queue = nil
	p.working = batch != nil
	return batch
}

// send writes a batch, after the fence if that is needed.
func (p *part) send(messages []*natsgo.Msg) (first uint64, err error) {
	ctx, cancel := context.WithTimeoutCause(p.state.life, patience, errNoAnswer)
	defer cancel()
	for failures := 1; ; failures++ {
		if !p.fenced {
			var fence uint64
			if fence, err = p.raise(ctx); err != nil {
				break
			}
			p.fence = fence
		}
		p.fenced = len(messages) == 0
		if p.fenced {
			return p.fence, nil
		}
		for _, m := range messages {
			expect(m, p.fence, p.fenceSubject())
		}
		var last uint64
		if last, err = p.state.publish(ctx, messages); err == nil {
			p.fenced = true
			return last + 1 - uint64(len(messages)), nil
		}
		if !isInTheWay(err) {
			break
		}
		if backoff.Sleep(ctx, backoff.Early(repeats.Delay(failures))) != nil {
			break
		}
	}
	switch {
	case p.state.life.Err() != nil:
		err = errClosed
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = errNoAnswer
	}
	return 0, err
}

// raise writes the fence, in place of one that is not newer than this hold, and returns its
// sequence.
func (p *part) raise(ctx context.Context) (uint64, error) {
	for failures := 1; ; failures++ {
		last, err := p.state.last(ctx, p.stream, p.fenceSubject())
		if err != nil {
			return 0, err
		}
		if err := p.check(last); err != nil {
			return 0, err
		}
		m := p.message(p.fenceSubject(), []byte(strconv.FormatInt(p.epoch, 10)))
		m.Header.Set(holdHeader, p.id)
		expect(m, last.sequence, p.fenceSubject())
		sequence, err := p.state.publish(ctx, []*natsgo.Msg{m})
		if err == nil || !isInTheWay(err) {
			return sequence, err
		}
		if err := backoff.Sleep(ctx, backoff.Early(repeats.Delay(failures))); err != nil {
			return 0, err
		}
	}
}

// check returns ErrStale if a fence is of a hold that comes after this one. One that was there
// before this one's is what a replica says that lags behind.
func (p *part) check(last stored) error {
	if last.sequence <= p.fence || last.Header.Get(holdHeader) == p.id {
		return nil
	}
	epoch, err := strconv.ParseInt(last.Header.Get(epochHeader), 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("the fence is not what was written: %w", err)
	case epoch > p.epoch, p.fence > 0:
		return ErrStale
	}
	return nil
}

// markLevel is the last level of a table's mark.
const markLevel = ".mark"

// mark writes a table's mark and returns a sequence: what was confirmed before is below, and the
// table's mark is not.
func (p *part) mark(ctx context.Context, table string) (until uint64, err error) {
	m := p.message(p.prefix+token("t", table)+markLevel, nil)
	m.Header.Set(operation, deleted) // for others that look into the bucket
	return p.write(ctx, []*natsgo.Msg{m})
}

// read yields what a table has below a sequence that mark has returned, in the order of the stream.
// Of a key there may be older messages before the last one: replicas that have answered did not
// know better.
func (p *part) read(ctx context.Context, table string, until uint64) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		for from, empty := uint64(1), 0; ; {
			page, err := call(ctx, p.state, func(ctx context.Context) ([]stored, error) {
				return p.page(ctx, p.prefix+token("t", table)+".>", from)
			})
			if err == nil && len(page) == 0 { // by a replica that lags behind
				empty++
				err = backoff.Sleep(ctx, backoff.Early(repeats.Delay(empty)))
			}
			if err != nil {
				yield(stored{}, err)
				return
			}
			for _, m := range page {
				from = m.sequence + 1
				if m.sequence >= until || !strings.HasSuffix(m.subject, markLevel) && !yield(m, nil) {
					return
				}
			}
		}
	}
}

// What one page has at most, but for a message that is larger.
const (
	pageMessages = 512
	pageBytes    = 1 << 20
)

// page returns the next messages from a sequence on, as far as a replica has them. What it misses
// is in the next page.
func (p *part) page(ctx context.Context, filter string, from uint64) (all []stored, err error) {
	client := p.state.client.Load()
	inbox := client.NewRespInbox()
	answers, err := client.SubscribeSync(inbox)
	if err != nil {
		return nil, explained(err)
	}
	defer func() { _ = answers.Unsubscribe() }() // it fails with the connection
	request, err := json.Marshal(map[string]any{"batch": pageMessages, "max_bytes": pageBytes,
		"seq": from, "next_by_subj": filter})
	if err != nil {
		return nil, err
	}
	if err := client.PublishRequest(directGet+p.stream, inbox, request); err != nil {
		return nil, explained(err)
	}
	for last := uint64(0); ; {
		m, err := answers.NextMsgWithContext(ctx)
		if err != nil && len(all) == 0 {
			return nil, explained(err)
		}
		if err != nil {
			return all, nil
		}
		one, err := answered(m)
		if err != nil {
			return nil, err
		}
		before, _ := strconv.ParseUint(m.Header.Get(jetstream.LastSequenceHeader), 10, 64)
		if one.sequence == 0 || before != last { // the end, or one was lost on the way
			return all, nil
		}
		last = one.sequence
		all = append(all, one)
	}
}
