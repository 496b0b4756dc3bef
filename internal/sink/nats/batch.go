package nats

import (
	"sync"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// batch is the messages of one Write.
type batch struct {
	errs  []error // of the messages
	items []item  // what is published of them
	text  *[]byte // where the payloads are; nil if it must not be used again
}

// item is one message to publish. It has nothing of the slice of messages, which is the caller's:
// a goroutine may use it after the Write.
type item struct {
	index   int // of the message
	message natsgo.Msg
	settled bool // errs has its result
}

// keepText is the capacity above which memory for payloads is released.
const keepText = 4 << 20

var texts = sync.Pool{New: func() any { return new([]byte) }}

// newBatch makes the messages to publish. Those without a usable subject have failed.
func (s *Sink) newBatch(messages []sink.Message) *batch {
	b := &batch{errs: make([]error, len(messages)),
		items: make([]item, 0, len(messages)), text: texts.Get().(*[]byte)}
	text := (*b.text)[:0]
	ends := make([]int, 0, len(messages))
	for i := range messages {
		m := &messages[i]
		subject, err := s.config.subject(m)
		if err != nil {
			b.errs[i] = err
			continue
		}
		text = cloudevent.Append(text, *m)
		ends = append(ends, len(text))
		b.items = append(b.items, item{index: i, message: natsgo.Msg{Subject: subject,
			Header: s.header(m, subject)}})
	}
	start := 0
	for i, end := range ends {
		b.items[i].message.Data = text[start:end:end]
		start = end
	}
	*b.text = text
	return b
}

// header returns the headers of a message. Consumers see them as they are here, in any case.
func (s *Sink) header(m *sink.Message, subject string) natsgo.Header {
	h := natsgo.Header{
		"content-type": {cloudevent.ContentType},
		"ce-id":        {cloudevent.HeaderValue(m.ID)},
	}
	if s.config.Stream != "" {
		delivery := cloudevent.DeliveryID(m, s.config.Output, subject)
		h[jetstream.MsgIDHeader] = []string{cloudevent.HeaderValue(delivery)}
		h[jetstream.ExpectedStreamHeader] = []string{s.config.Stream}
	}
	return h
}

// settle sets the result of an item.
func (b *batch) settle(it *item, err error) {
	it.settled = true
	b.errs[it.index] = err
}

// fail settles the items without a result.
func (b *batch) fail(err error) {
	for i := range b.items {
		if it := &b.items[i]; !it.settled {
			b.settle(it, err)
		}
	}
}

// release lets the memory of the payloads be used again, unless it must not be.
func (b *batch) release() {
	if b.text != nil && cap(*b.text) <= keepText {
		texts.Put(b.text)
	}
}
