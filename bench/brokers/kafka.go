package brokers

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/kafka"
)

const (
	topic      = "k8s-changes"
	partitions = 12
)

func openKafka(ready [][]byte) (*target, error) {
	c, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(partitions, topic))
	if err != nil {
		return nil, err
	}
	t := &target{close: func() error {
		c.Close()
		return nil
	}}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...),
		kgo.DefaultProduceTopic(topic))
	if err != nil {
		c.Close()
		return nil, err
	}
	t.before(func() error {
		client.Close()
		return nil
	})
	out, err := kafka.New(kafka.Config{Brokers: c.ListenAddrs(), Topic: topic})
	if err != nil {
		_ = t.close() // it returns nil
		return nil, err
	}
	t.before(func() error { return out.Close(context.Background()) })
	t.ours = through(out)
	t.client, t.ready = kafkaClient(client, nil), kafkaClient(client, ready)
	return t, nil
}

// kafkaClient returns the side that produces with the client.
func kafkaClient(client *kgo.Client, ready [][]byte) side {
	contentType := []byte(cloudevent.ContentType)
	return func(ctx context.Context, messages []sink.Message) error {
		var once sync.Once
		var failed error
		for i, m := range messages {
			key := m.Origin.Resource + "/" + m.Object.Namespace() + "/" + m.Object.Name()
			r := &kgo.Record{Key: []byte(key), Value: payload(ready, messages, i),
				Headers: []kgo.RecordHeader{
					{Key: "content-type", Value: contentType}, {Key: "ce_id", Value: []byte(m.ID)}}}
			client.Produce(ctx, r, func(_ *kgo.Record, err error) {
				if err != nil {
					once.Do(func() { failed = err })
				}
			})
		}
		if err := client.Flush(ctx); err != nil {
			return err
		}
		return failed
	}
}
