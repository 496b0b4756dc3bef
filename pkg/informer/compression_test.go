package informer

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/pkg/informer/internal/wiretest"
)

// zipped is an informer of one subscription that reads from a gzipServer.
type zipped struct {
	*gzipServer
	told *recorder
	log  bytes.Buffer // of the informer, which rests when this is read
}

// inZip runs a story with an API server that compresses.
func inZip(t *testing.T, protocol string, disable bool, prepare func(*zipped),
	story func(*zipped)) {
	synctest.Test(t, func(t *testing.T) {
		z := &zipped{gzipServer: &gzipServer{fakeServer: newFakeServer()}, told: &recorder{}}
		prepare(z)
		client, stop := serve(t, protocol, z, func(cfg *rest.Config) {
			cfg.DisableCompression = disable
		})
		factory := NewFactory(client, slog.New(slog.NewTextHandler(&z.log, nil)))
		sub, err := NewSubscription(SubscriptionConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := factory.Subscribe(pods, Scope{}, Shape{}, sub); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { _ = factory.Run(ctx) })
		running.Go(func() { _ = sub.Run(ctx, z.told.HandleEvent) })
		synctest.Wait()
		story(z)
		cancel()
		running.Wait()
		stop()
	})
}

// Compression is asked for unless it is disabled, and an event of a compressed watch is there as
// soon as it was sent, while the watch continues.
func TestCompressedAnswersAreRead(t *testing.T) {
	for _, protocol := range wiretest.Protocols {
		for disable, want := range map[bool]string{false: "gzip", true: ""} {
			for _, streams := range []bool{false, true} {
				name := protocol + map[bool]string{false: ", enabled",
					true: ", disabled"}[disable] +
					map[bool]string{false: ", pages", true: ", streamed list"}[streams]
				t.Run(name, func(t *testing.T) {
					inZip(t, protocol, disable, func(z *zipped) {
						z.streams = streams
						z.apply("a", "1", `,"spec":{"x":"`+strings.Repeat("long ", 10_000)+`"}`)
					}, func(z *zipped) {
						expect(t, z.told.take(), "add a/1 101*")
						z.apply("b", "2", "")
						synctest.Wait()
						expect(t, z.told.take(), "add b/2 102")
						z.remove("a")
						synctest.Wait()
						expect(t, z.told.take(), "delete a/1 103")
						if got := slices.Collect(maps.Keys(z.accepted)); !slices.Equal(got,
							[]string{want}) {
							t.Errorf("asked for the encodings %q, want %q", got, want)
						}
						if z.log.Len() > 0 {
							t.Errorf("the log is\n%s", &z.log)
						}
					})
				})
			}
		}
	}
}

// What a broken list said is not taken for the truth, and the list is asked for again.
func TestBrokenCompressedListIsReadAgain(t *testing.T) {
	for bad, want := range map[string]string{
		"half":      `error="failed to list pods: cannot read the list: unexpected EOF"`,
		"truncated": `error="failed to list pods: cannot read the list: unexpected EOF"`,
		"checksum":  `error="failed to list pods: cannot read the list: gzip: invalid checksum"`,
	} {
		t.Run(bad, func(t *testing.T) {
			inZip(t, "HTTP2", false, func(z *zipped) {
				z.badList = bad
				z.apply("a", "1", "")
			}, func(z *zipped) {
				expect(t, z.told.take())
				if log := z.log.String(); strings.Count(log, "\n") != 1 ||
					!strings.Contains(log, want) {
					t.Errorf("the log is\n%s\nwant %s", log, want)
				}
				time.Sleep(2 * backoffMin)
				synctest.Wait()
				expect(t, z.told.take(), "add a/1 101*")
				if n := len(z.listed()); n != 2 {
					t.Errorf("%d lists", n)
				}
			})
		})
	}
}

// A compressed watch that just ends has lost nothing: it continues where it was. One whose checksum
// does not fit may have told anything.
func TestBrokenCompressedWatch(t *testing.T) {
	for bad, want := range map[string]struct {
		lists int
		log   string
	}{
		"truncated": {1, `msg="watch connection lost, watching on"`},
		"checksum":  {2, `msg="cannot read the watch, listing again"`},
	} {
		t.Run(bad, func(t *testing.T) {
			inZip(t, "HTTP2", false, func(z *zipped) { z.badWatch = bad }, func(z *zipped) {
				z.apply("a", "1", "")
				synctest.Wait()
				expect(t, z.told.take(), "add a/1 101")
				time.Sleep(shortWatch)
				z.disconnect(false)
				synctest.Wait()
				time.Sleep(2 * backoffMin)
				z.apply("a", "1", "")
				synctest.Wait()
				expect(t, z.told.take(), "update a/1 102 was 101")
				if n := len(z.listed()); n != want.lists {
					t.Errorf("%d lists, want %d", n, want.lists)
				}
				log := z.log.String()
				if !strings.Contains(log, want.log) || strings.Count(log, "\n") != 1 {
					t.Errorf("the log is\n%s\nwant %s", log, want.log)
				}
			})
		})
	}
}
