package outputs

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	natsgo "github.com/nats-io/nats.go"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters"
)

// deliver writes a message to the output of a configuration.
func deliver(t *testing.T, text string, x Expressions) sink.Message {
	t.Helper()
	cfg, err := config.Parse("informerd.yaml", []byte(`apiVersion: informerd.dev/v1alpha1
kind: Config
informers: {pods: {resource: pods}}
listeners: {all: {informer: pods, outputs: [bus]}}
outputs: {bus: `+text+"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := (&Maker{}).New(cfg, cfg.Outputs["bus"], x)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	m := sinktest.Message(t, "web", 1)
	if errs := s.Write(t.Context(), []sink.Message{m}); errs != nil {
		t.Fatal(errs)
	}
	return m
}

func TestNATS(t *testing.T) {
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT,
		NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	client, err := natsgo.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	messages := make(chan *natsgo.Msg, 1)
	if _, err := client.ChanSubscribe(">", messages); err != nil {
		t.Fatal(err)
	}
	if err := client.Flush(); err != nil {
		t.Fatal(err)
	}
	subject, err := filters.Compile(filters.Expression{Kind: filters.KindText,
		Text: `"k8s." + cluster + "." + resource + "." + name`})
	if err != nil {
		t.Fatal(err)
	}
	m := deliver(t, `{nats: {servers: ["`+s.ClientURL()+`"], subject: '"k8s." + name'}}`,
		Expressions{Subject: subject})
	got := <-messages
	if got.Subject != "k8s.prod.pods.web" || string(got.Data) != string(cloudevent.Append(nil, m)) {
		t.Errorf("got %s: %s", got.Subject, got.Data)
	}
}

func TestKafka(t *testing.T) {
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "k8s-changes"),
		kfake.EnableSASL(), kfake.Superuser("SCRAM-SHA-512", "informerd", "hunter2"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	t.Setenv("KAFKA_PASSWORD", "hunter2")
	deliver(t, `{kafka: {brokers: ["`+strings.Join(c.ListenAddrs(), `", "`)+`"], topic: k8s-changes,
  sasl: {username: informerd, password: {fromEnv: KAFKA_PASSWORD}}}}`, Expressions{})
	if n := c.PartitionInfo("k8s-changes", 0).HighWatermark; n != 1 {
		t.Errorf("the topic has %d records", n)
	}
}
