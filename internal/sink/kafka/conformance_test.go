package kafka_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/kafka"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// TestConformance has fake brokers. What they do with a produce request is the suite's choice.
func TestConformance(t *testing.T) {
	sinktest.Run(t, sinktest.Target{New: func(t *testing.T, f *sink.Fence) (
		sink.Sink, sinktest.Receiver) {
		c := start(t)
		log := sinktest.NewLog()
		done := make(chan struct{})
		c.ControlKey(int16(kmsg.Produce), func(r kmsg.Request) (kmsg.Response, error, bool) {
			c.KeepControl()
			response, err := produce(c, r.(*kmsg.ProduceRequest), log, done)
			return response, err, true
		})
		t.Cleanup(func() { close(done) })
		config := kafka.Config{Brokers: c.ListenAddrs(), Topic: topic, Timeout: 2 * time.Second,
			Fence: f}
		if f != nil { // what it refuses is given up when the time is over
			config.Timeout = time.Second
		}
		out, err := kafka.New(config)
		if err != nil {
			t.Fatal(err)
		}
		return out, log
	}})
}

// produce answers a request as the log behaves. A partition's records are taken or refused
// together, as brokers do.
func produce(c *kfake.Cluster, r *kmsg.ProduceRequest, log *sinktest.Log, done chan struct{}) (
	kmsg.Response, error) {
	response := r.ResponseKind().(*kmsg.ProduceResponse)
	for _, in := range r.Topics {
		out := kmsg.NewProduceResponseTopic()
		out.Topic, out.TopicID = in.Topic, in.TopicID
		for _, partition := range in.Partitions {
			answer := kmsg.NewProduceResponseTopicPartition()
			answer.Partition = partition.Partition
			texts, err := values(partition.Records)
			if err != nil {
				return nil, err
			}
			switch takeAll(log, done, texts) {
			case sinktest.Refuse:
				answer.ErrorCode = kerr.InvalidRecord.Code
			case sinktest.Fail:
				answer.ErrorCode = kerr.TopicAuthorizationFailed.Code
			case sinktest.Break, sinktest.Hang:
				return nil, errors.New("broken")
			}
			out.Partitions = append(out.Partitions, answer)
		}
		response.Topics = append(response.Topics, out)
	}
	return response, nil
}

// takeAll takes all texts or none. The one that may be refused is asked about first.
func takeAll(log *sinktest.Log, done chan struct{}, texts []string) sinktest.Behaviour {
	refusable := func(text string) bool { return strings.Contains(text, sinktest.RefusedName) }
	if i := slices.IndexFunc(texts, refusable); i >= 0 {
		if b := log.Take(done, texts[i]); b != sinktest.Healthy {
			return b
		}
		texts = slices.Delete(texts, i, i+1)
	}
	worst := sinktest.Healthy
	for _, text := range texts {
		worst = max(worst, log.Take(done, text))
	}
	return worst
}

func values(records []byte) (texts []string, err error) {
	batch := kmsg.NewRecordBatch()
	if err := batch.ReadFrom(records); err != nil {
		return nil, err
	}
	all, err := kfake.BatchRecords(batch)
	for _, r := range all {
		texts = append(texts, string(r.Value))
	}
	return texts, err
}
