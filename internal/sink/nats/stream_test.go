package nats_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/nats"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func TestStreamHasTheMessage(t *testing.T) {
	s := withStream(t, &server.Options{}, jetstream.StreamConfig{})
	m := messages(t, 1, "a")[0]
	deliver(t, open(t, s, nil), m)
	all := stored(t, s)
	if len(all) != 1 || string(all[0].Data) != string(cloudevent.Append(nil, m)) ||
		all[0].Subject != "k8s.a" {
		t.Fatalf("got %+v", all)
	}
	h := all[0].Header
	if h.Get("content-type") != cloudevent.ContentType || h.Get("ce-id") != m.ID ||
		!strings.HasPrefix(h.Get("Nats-Msg-Id"), m.ID+"-") ||
		h.Get("Nats-Expected-Stream") != "K8S" {
		t.Errorf("headers are %v", h)
	}
}

// The same event of another listener or output, or for another subject, is not a duplicate.
func TestStreamKeepsOneOfDuplicates(t *testing.T) {
	s := withStream(t, &server.Options{}, jetstream.StreamConfig{})
	out := open(t, s, nil)
	other := open(t, s, func(c *nats.Config) {
		c.Subject = func(*sink.Message) (string, error) { return "k8s.other", nil }
	})
	second := open(t, s, func(c *nats.Config) { c.Output = "second" })
	m := messages(t, 1, "a")[0]
	again := m
	origin := *m.Origin
	origin.Source = "/clusters/prod/listeners/second"
	again.Origin = &origin
	for range 2 {
		deliver(t, out, m)
		deliver(t, out, again)
		deliver(t, other, m)
		deliver(t, second, m)
	}
	if all := stored(t, s); len(all) != 4 {
		t.Errorf("the stream has %d messages, want 4", len(all))
	}
}

// What Writes of several callers deliver while the server is killed and started again is all in
// the stream, once and in order for each object.
func TestServerRestarts(t *testing.T) {
	const callers, objects, versions, restarts = 4, 8, 60, 3
	o := &server.Options{}
	s := withStream(t, o, jetstream.StreamConfig{})
	out := open(t, s, func(c *nats.Config) { c.Timeout = time.Second })
	again := *o
	again.Port = o.Port
	var wg sync.WaitGroup
	progress := make(chan struct{}, callers*versions)
	for c := range callers {
		wg.Go(func() {
			for version := 1; version <= versions; version++ {
				var names []string
				for i := range objects {
					names = append(names, fmt.Sprintf("pod-%d-%d", c, i))
				}
				retry(t, out, messages(t, version, names...)...)
				progress <- struct{}{}
			}
		})
	}
	for range restarts {
		for range callers * versions / (restarts + 1) {
			<-progress
		}
		stop(s)
		options := again
		s = start(t, &options)
	}
	wg.Wait()
	got := map[string][]string{}
	for _, m := range stored(t, s) {
		_, version, _ := strings.Cut(string(m.Data), `"resourceversion":"`)
		version, _, _ = strings.Cut(version, `"`)
		got[m.Subject] = append(got[m.Subject], version)
	}
	var want []string
	for version := 1; version <= versions; version++ {
		want = append(want, fmt.Sprint(version))
	}
	if len(got) != callers*objects {
		t.Errorf("%d objects, want %d", len(got), callers*objects)
	}
	for name, versions := range got {
		if !slices.Equal(versions, want) {
			t.Errorf("%s has the versions %v", name, versions)
		}
	}
}

func TestStreamIsFull(t *testing.T) {
	s := withStream(t, &server.Options{}, jetstream.StreamConfig{MaxMsgs: 2,
		Discard: jetstream.DiscardNew})
	out := open(t, s, nil)
	all := messages(t, 1, "a", "b", "c")
	errs := out.Write(t.Context(), all)
	if len(errs) != 3 || errs[0] != nil || errs[1] != nil {
		t.Fatalf("got %v", errs)
	}
	wantError(t, errs[2:], false, "maximum messages exceeded")
	createStream(t, s, jetstream.StreamConfig{MaxMsgs: 3, Discard: jetstream.DiscardNew})
	deliver(t, out, all[2])
	if n := len(stored(t, s)); n != 3 {
		t.Errorf("%d messages", n)
	}
}

func TestStreamIsMissing(t *testing.T) {
	s := withStream(t, &server.Options{}, jetstream.StreamConfig{})
	out := open(t, s, nil)
	deliver(t, out, messages(t, 1, "a")...)
	_, js := client(t, s)
	if err := js.DeleteStream(t.Context(), "K8S"); err != nil {
		t.Fatal(err)
	}
	wantError(t, out.Write(t.Context(), messages(t, 2, "a", "b")), false, "no stream has this")
	_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "OTHER",
		Subjects: []string{"k8s.b"}})
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, out.Write(t.Context(), messages(t, 2, "b")), false, "another stream has this")
	if err := js.DeleteStream(t.Context(), "OTHER"); err != nil {
		t.Fatal(err)
	}
	createStream(t, s, jetstream.StreamConfig{})
	deliver(t, out, messages(t, 2, "a", "b")...)
}

func TestTooLarge(t *testing.T) {
	s := withStream(t, &server.Options{MaxPayload: 100_000},
		jetstream.StreamConfig{MaxMsgSize: 50_000})
	all := messages(t, 1, "a", "b", "c")
	for i, size := range []int{60_000, 10, 200_000} {
		all[i].Body = sink.BodyData
		all[i].Data = `"` + strings.Repeat("x", size) + `"`
	}
	errs := open(t, s, nil).Write(t.Context(), all)
	if len(errs) != 3 || errs[1] != nil {
		t.Fatalf("got %v", errs)
	}
	wantError(t, errs[:1], true, "message size exceeds maximum allowed")
	wantError(t, errs[2:], true, "larger than max_payload")
	out := open(t, s, func(c *nats.Config) { c.Stream = "" })
	errs = out.Write(t.Context(), all)
	if len(errs) != 3 || errs[0] != nil || errs[1] != nil {
		t.Fatalf("got %v", errs)
	}
	wantError(t, errs[2:], true, "larger than max_payload")
}

// What a Write that was given up has sent comes late. The stream keeps one of it, at its place.
func TestLateMessageIsADuplicate(t *testing.T) {
	s := withStream(t, &server.Options{}, jetstream.StreamConfig{})
	p := newProxy(t, s.Addr().String())
	out := open(t, s, func(c *nats.Config) {
		c.Servers, c.Timeout = []string{p.url()}, 300*time.Millisecond
	})
	retry(t, out, messages(t, 1, "a", "b")...)
	p.set(sinktest.Hang)
	wantError(t, out.Write(t.Context(), messages(t, 2, "a", "b")), false, "may still be published")
	p.set(sinktest.Healthy)
	retry(t, out, messages(t, 2, "a", "b")...)
	retry(t, out, messages(t, 3, "a", "b")...)
	if all := stored(t, s); len(all) != 6 {
		t.Errorf("the stream has %d messages, want 6", len(all))
	}
}
