package kafka_test

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/kafka"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func TestMain(m *testing.M) {
	kafka.Hurry()
	// The test's own broker does not wait for its connections when it is closed.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/twmb/franz-go/pkg/kfake.(*clientConn).read"),
		goleak.IgnoreAnyFunction("github.com/twmb/franz-go/pkg/kfake.(*clientConn).read.func1"),
		goleak.IgnoreAnyFunction("github.com/twmb/franz-go/pkg/kfake.(*clientConn).write"))
}

var _ sink.Sink = (*kafka.Sink)(nil)

const (
	patience = 20 * time.Second
	topic    = "k8s-changes"
)

// start starts brokers on the loopback interface until the end of the test.
func start(t testing.TB, options ...kfake.Opt) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.NumBrokers(3),
		kfake.SeedTopics(4, topic)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// open makes a sink that is closed at the end of the test. What change does not set is for c.
func open(t testing.TB, c *kfake.Cluster, change func(*kafka.Config)) *kafka.Sink {
	t.Helper()
	config := kafka.Config{Brokers: c.ListenAddrs(), Topic: topic, Timeout: patience}
	if change != nil {
		change(&config)
	}
	out, err := kafka.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := out.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return out
}

// messages returns an update for each name.
func messages(t testing.TB, version int, names ...string) (all []sink.Message) {
	t.Helper()
	for _, name := range names {
		all = append(all, sinktest.Message(t, name, version))
	}
	return all
}

func deliver(t testing.TB, s *kafka.Sink, all ...sink.Message) {
	t.Helper()
	if errs := s.Write(context.Background(), all); errs != nil {
		t.Fatal(errors.Join(errs...))
	}
}

// retry writes messages until they are taken, as the route does.
func retry(t testing.TB, s *kafka.Sink, all ...sink.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		errs := s.Write(ctx, all)
		if errs == nil {
			return
		}
		var again []sink.Message
		for i, err := range errs {
			if ctx.Err() != nil || sink.IsPermanent(err) {
				t.Error(err)
				return
			}
			if err != nil {
				again = append(again, all[i])
			}
		}
		all = again
	}
}

// wantError checks that every message has failed, and how.
func wantError(t testing.TB, errs []error, permanent bool, text string) {
	t.Helper()
	if len(errs) == 0 {
		t.Fatal("nothing has failed")
	}
	for _, err := range errs {
		if err == nil || sink.IsPermanent(err) != permanent ||
			!strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q, permanent: %t", err, text, permanent)
		}
	}
}

// consume returns the first n records of the topic, and fails if there are more.
func consume(t testing.TB, c *kfake.Cluster, n int) (all []*kgo.Record) {
	t.Helper()
	var have int64
	for _, p := range c.PartitionInfos(topic) {
		have += p.HighWatermark
	}
	if have != int64(n) {
		t.Errorf("the topic has %d records, want %d", have, n)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for int64(len(all)) < have {
		fetched := client.PollFetches(ctx)
		if err := fetched.Err(); err != nil {
			t.Fatal(err)
		}
		all = append(all, fetched.Records()...)
	}
	return all
}

// wantVersions checks that each name has all versions, once and in order.
func wantVersions(t testing.TB, c *kfake.Cluster, names, versions int) {
	t.Helper()
	got := map[string][]string{}
	for _, r := range consume(t, c, names*versions) {
		_, version, _ := strings.Cut(string(r.Value), `"resourceversion":"`)
		version, _, _ = strings.Cut(version, `"`)
		got[string(r.Key)] = append(got[string(r.Key)], version)
	}
	var want []string
	for version := 1; version <= versions; version++ {
		want = append(want, fmt.Sprint(version))
	}
	if len(got) != names {
		t.Errorf("%d objects, want %d", len(got), names)
	}
	for name, versions := range got {
		if !slices.Equal(versions, want) {
			t.Errorf("%s has the versions %v", name, versions)
		}
	}
}

func write(t testing.TB, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// certificate returns a server with a certificate for 127.0.0.1 and example.com, and the file of
// its CA.
func certificate(t testing.TB) (s *httptest.Server, caFile string) {
	t.Helper()
	s = httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	return s, write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: s.Certificate().Raw})))
}
