package brokers

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/nats"
)

const (
	subject = "k8s.pods"
	stream  = "K8S"
	// kept is how many messages the stream keeps, so that its memory is bounded.
	kept = 10_000
	// onTheWay is how many messages the client sends before it waits, more than its default.
	onTheWay = 8_000
)

func openJetStream(ready [][]byte) (t *target, err error) {
	dir, err := os.MkdirTemp("", "brokers-")
	if err != nil {
		return nil, err
	}
	t = &target{close: func() error { return os.RemoveAll(dir) }}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT,
		NoLog: true, NoSigs: true, JetStream: true, StoreDir: dir})
	if err != nil {
		return nil, err
	}
	s.Start()
	t.before(func() error {
		s.Shutdown()
		s.WaitForShutdown()
		return nil
	})
	if !s.ReadyForConnections(10 * time.Second) {
		return nil, errors.New("the server does not start")
	}
	client, err := natsgo.Connect(s.ClientURL())
	if err != nil {
		return nil, err
	}
	t.before(func() error {
		client.Close()
		return nil
	})
	js, err := jetstream.New(client, jetstream.WithPublishAsyncMaxPending(onTheWay))
	if err != nil {
		return nil, err
	}
	if _, err := js.CreateStream(context.Background(), jetstream.StreamConfig{Name: stream,
		Subjects: []string{subject}, Storage: jetstream.MemoryStorage, MaxMsgs: kept}); err != nil {
		return nil, err
	}
	out, err := nats.New(nats.Config{Servers: []string{s.ClientURL()}, Stream: stream,
		Subject: func(*sink.Message) (string, error) { return subject, nil }})
	if err != nil {
		return nil, err
	}
	t.before(func() error { return out.Close(context.Background()) })
	t.ours = through(out)
	t.client, t.ready = jetStreamClient(js, nil), jetStreamClient(js, ready)
	return t, nil
}

// before makes close call f first.
func (t *target) before(f func() error) {
	next := t.close
	t.close = func() error { return errors.Join(f(), next()) }
}

// jetStreamClient returns the side that publishes with the client.
func jetStreamClient(js jetstream.JetStream, ready [][]byte) side {
	return func(ctx context.Context, messages []sink.Message) error {
		for i, m := range messages {
			// With its options, the client makes the headers as the output does.
			_, err := js.PublishMsgAsync(&natsgo.Msg{Subject: subject,
				Data: payload(ready, messages, i),
				Header: natsgo.Header{
					"content-type": {cloudevent.ContentType}, "ce-id": {m.ID}}},
				jetstream.WithMsgID(m.ID), jetstream.WithExpectStream(stream),
				jetstream.WithStallWait(time.Minute))
			if err != nil {
				return err
			}
		}
		select {
		case <-js.PublishAsyncComplete():
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
