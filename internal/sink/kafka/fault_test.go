package kafka_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/kafka"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func TestConfigErrors(t *testing.T) {
	brokers := []string{"127.0.0.1:9092"}
	for want, config := range map[string]kafka.Config{
		"no/such": {Brokers: brokers, Topic: topic,
			TLS: &secret.TLSFiles{CAFile: "/no/such"}},
	} {
		if _, err := kafka.New(config); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestTopicHasTheMessage(t *testing.T) {
	c := start(t)
	m := messages(t, 1, "a")[0]
	deliver(t, open(t, c, nil), m)
	r := consume(t, c, 1)[0]
	if string(r.Value) != string(cloudevent.Append(nil, m)) || string(r.Key) != "pods/shop/a" {
		t.Errorf("got %s: %s", r.Key, r.Value)
	}
	headers := map[string]string{}
	for _, h := range r.Headers {
		headers[h.Key] = string(h.Value)
	}
	if len(headers) != 2 || headers["content-type"] != cloudevent.ContentType ||
		headers["ce_id"] != m.ID {
		t.Errorf("headers are %v", headers)
	}
}

// Of two clusters, an object of each may have the same names: a compacted topic keeps both.
func TestKeysOfClusters(t *testing.T) {
	c := start(t)
	s := open(t, c, func(config *kafka.Config) { config.Clusters = true })
	keys := map[string]bool{"eu/pods/shop/a": true, "us/pods/shop/a": true}
	for _, cluster := range []string{"eu", "us"} {
		deliver(t, s, sinktest.MessageIn(t, cluster, "a", 1))
	}
	for _, r := range consume(t, c, 2) {
		if !keys[string(r.Key)] {
			t.Errorf("key %s", r.Key)
		}
		delete(keys, string(r.Key))
	}
}

// faults are what brokers do meanwhile.
var faults = map[string]func(*kfake.Cluster){
	"leaders change": func(c *kfake.Cluster) { c.ShufflePartitionLeaders() },
	"retriable errors": func(c *kfake.Cluster) {
		for _, err := range []*kerr.Error{kerr.NotLeaderForPartition, kerr.NotEnoughReplicas,
			kerr.NotEnoughReplicasAfterAppend, kerr.RequestTimedOut, kerr.KafkaStorageError} {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: err, Count: 2})
		}
	},
	"errors of the producer's state": func(c *kfake.Cluster) {
		for _, err := range []*kerr.Error{kerr.OutOfOrderSequenceNumber, kerr.UnknownProducerID,
			kerr.InvalidProducerEpoch} {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: err})
		}
	},
	"errors that end a record": func(c *kfake.Cluster) {
		for _, err := range []*kerr.Error{kerr.TopicAuthorizationFailed, kerr.UnknownServerError,
			kerr.UnknownTopicOrPartition, kerr.ClusterAuthorizationFailed} {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: err, Count: 3})
		}
	},
	"answers are lost": func(c *kfake.Cluster) {
		var n int
		c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
			c.KeepControl()
			if n++; n > 3 {
				return nil, nil, false
			}
			return nil, errors.New("broken"), true
		})
	},
}

// What several callers deliver during faults is in the topic once, and in order for each object.
func TestFaults(t *testing.T) {
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const callers, objects, versions, times = 4, 6, 40, 4
			c := start(t)
			out := open(t, c, func(c *kafka.Config) { c.Timeout = 2 * time.Second })
			progress := make(chan struct{}, callers*versions)
			var wg sync.WaitGroup
			for i := range callers {
				wg.Go(func() {
					for version := 1; version <= versions; version++ {
						var names []string
						for j := range objects {
							names = append(names, fmt.Sprintf("pod-%d-%d", i, j))
						}
						if !t.Failed() {
							retry(t, out, messages(t, version, names...)...)
						}
						progress <- struct{}{}
					}
				})
			}
			for range times {
				for range callers * versions / (times + 1) {
					<-progress
				}
				fault(c)
			}
			wg.Wait()
			wantVersions(t, c, callers*objects, versions)
		})
	}
}

// Writes are given up at any time while brokers do not answer, and nothing is doubled or overtaken.
func TestGivenUpWrites(t *testing.T) {
	const objects, versions = 6, 30
	c := start(t)
	hang := make(chan bool, 1)
	hang <- false
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		hangs := <-hang
		hang <- hangs
		if hangs {
			<-time.After(time.Millisecond) // the brokers have one goroutine
		}
		return nil, nil, false
	})
	out := open(t, c, func(c *kafka.Config) { c.Timeout = 2 * time.Second })
	random := rand.New(rand.NewPCG(1, 2))
	var names []string
	for i := range objects {
		names = append(names, fmt.Sprintf("pod-%d", i))
	}
	givenUp := 0
	for version := 1; version <= versions; version++ {
		<-hang
		hang <- version%2 == 0
		all := messages(t, version, names...)
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(1_500_000)))
		errs := out.Write(ctx, all)
		cancel()
		var again []sink.Message
		for i, err := range errs {
			if err != nil {
				again = append(again, all[i])
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			}
		}
		givenUp += len(again)
		if retry(t, out, again...); t.Failed() {
			return
		}
	}
	wantVersions(t, c, objects, versions)
	if givenUp == 0 {
		t.Error("no message was given up")
	}
}

// A message of unknown fate holds back the next one of its object, and no other.
func TestNextMessageWaits(t *testing.T) {
	t.Parallel()
	c := start(t)
	release := make(chan struct{})
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		select {
		case <-release:
		default:
			c.SleepControl(func() { <-release })
		}
		return nil, nil, false
	})
	out := open(t, c, nil)
	first, second := messages(t, 1, "a"), messages(t, 2, "a")
	briefly := func(all []sink.Message, want string) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		wantError(t, out.Write(ctx, all), false, want)
	}
	briefly(first, "may still be produced")
	briefly(second, "the object's message before this one")
	briefly(first, "may still be produced")
	close(release)
	retry(t, out, second...)
	wantVersions(t, c, 1, 2)
}

func TestRefusals(t *testing.T) {
	c := start(t)
	out := open(t, c, nil)
	for _, test := range []struct {
		err       *kerr.Error
		permanent bool
		want      string
	}{
		{kerr.MessageTooLarge, true, "raise max.message.bytes"},
		{kerr.InvalidTopicException, true, "INVALID_TOPIC"},
		{kerr.UnsupportedForMessageFormat, true, "UNSUPPORTED"},
		{kerr.PolicyViolation, true, "POLICY_VIOLATION"},
		{kerr.TopicAuthorizationFailed, false, "allow the user"},
		{kerr.ClusterAuthorizationFailed, false, "allow the user"},
		{kerr.UnknownTopicOrPartition, false, "create the topic"},
	} {
		fault := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: test.err, Count: -1})
		wantError(t, out.Write(t.Context(), messages(t, 1, "a", "b")), test.permanent, test.want)
		fault.Remove()
	}
	deliver(t, out, messages(t, 1, "a", "b")...)
	consume(t, c, 2)
}

func TestUnknownTopic(t *testing.T) {
	t.Parallel()
	c := start(t)
	out := open(t, c, func(c *kafka.Config) { c.Topic = "later" })
	wantError(t, out.Write(t.Context(), messages(t, 1, "a")), false, "create the topic")
	if err := c.CreateTopic("later", 1, nil); err != nil {
		t.Fatal(err)
	}
	retry(t, out, messages(t, 1, "a")...)
}

// A message that is too large fails alone, and one larger than a batch is sent alone.
func TestTooLarge(t *testing.T) {
	c := start(t)
	if err := c.CreateTopic("small", 1,
		map[string]string{"max.message.bytes": "3000000"}); err != nil {
		t.Fatal(err)
	}
	out := open(t, c, func(c *kafka.Config) { c.Topic = "small" })
	all := messages(t, 1, "a", "b", "c", "d")
	for i, size := range []int{10, 5_000_000, 2_000_000, 10} {
		data := make([]byte, size) // that cannot be compressed
		for j := range data {
			data[j] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[rand.IntN(
				64)]
		}
		all[i].Body, all[i].Data = sink.BodyData, `"`+string(data)+`"`
	}
	errs := out.Write(t.Context(), all)
	if len(errs) != 4 || errs[0] != nil || errs[2] != nil || errs[3] != nil {
		t.Fatalf("got %.300v", errs)
	}
	wantError(t, errs[1:2], true, "MESSAGE_TOO_LARGE")
}

func TestBrokersAreAway(t *testing.T) {
	t.Parallel()
	gone, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	addresses := gone.ListenAddrs()
	gone.Close()
	out := open(t, start(t), func(c *kafka.Config) {
		c.Brokers, c.Timeout = addresses, 1200*time.Millisecond
	})
	errs := out.Write(t.Context(), messages(t, 1, "a"))
	wantError(t, errs, false, "connection refused")
	if n := strings.Count(errs[0].Error(), "connection refused"); n != 1 {
		t.Errorf("the cause is there %d times: %v", n, errs[0])
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	with, caFile := certificate(t)
	secure := start(t, kfake.TLS(&tls.Config{Certificates: with.TLS.Certificates}))
	plain := start(t)
	for _, test := range []struct {
		brokers *kfake.Cluster
		files   *secret.TLSFiles
		want    string
	}{
		{secure, &secret.TLSFiles{CAFile: caFile}, ""},
		{secure, &secret.TLSFiles{CAFile: caFile, ServerName: "example.com"}, ""},
		{secure, &secret.TLSFiles{CAFile: caFile, ServerName: "other.example"}, "other.example"},
		{plain, &secret.TLSFiles{CAFile: caFile}, ""},
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			out := open(t, test.brokers, func(c *kafka.Config) {
				c.TLS, c.Timeout = test.files, 1100*time.Millisecond
			})
			errs := out.Write(t.Context(), messages(t, 1, "a"))
			if test.want == "" && test.brokers == secure && test.files != nil {
				if errs != nil {
					t.Error(errs)
				}
				return
			}
			wantError(t, errs, false, test.want)
		})
	}
}

func TestPassword(t *testing.T) {
	t.Parallel()
	for mechanism, method := range map[string]string{kafka.Plain: "PLAIN",
		kafka.ScramSHA256: "SCRAM-SHA-256", kafka.ScramSHA512: "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			t.Parallel()
			c := start(t, kfake.EnableSASL(), kfake.Superuser(method, "informerd", "hunter2"))
			path := write(t, "password", "hunter2")
			out := open(t, c, func(c *kafka.Config) {
				c.SASL = &kafka.SASL{Mechanism: mechanism, Username: "informerd",
					Password: secret.FromFile(path)}
			})
			deliver(t, out, messages(t, 1, "a")...)
			wantOne(t, c)
		})
	}
}

// A wrong password is no reason to give up: the right one may come, and is read then.
func TestPasswordChanges(t *testing.T) {
	t.Parallel()
	c := start(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "informerd", "hunter2"))
	path := write(t, "password", "hunter3\n")
	out := open(t, c, func(c *kafka.Config) {
		c.SASL = &kafka.SASL{Mechanism: kafka.Plain, Username: "informerd",
			Password: secret.FromFile(path)}
		c.Timeout = 1200 * time.Millisecond
	})
	errs := out.Write(t.Context(), messages(t, 1, "a"))
	wantError(t, errs, false, "the last connection failed")
	if text := errs[0].Error(); strings.Contains(text, "hunter") {
		t.Error(text)
	}
	if err := os.WriteFile(path, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	retry(t, out, messages(t, 1, "a")...)
	wantOne(t, c)
}

// wantOne checks that the topic has one record, without credentials.
func wantOne(t *testing.T, c *kfake.Cluster) {
	t.Helper()
	var have int64
	for _, p := range c.PartitionInfos(topic) {
		have += p.HighWatermark
	}
	if have != 1 {
		t.Errorf("the topic has %d records", have)
	}
}
