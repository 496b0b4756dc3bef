package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/backoff"
)

// syncBound is how late an informer may sync with a server that answers lists at once and requests
// for streamed lists in any way: 2 minutes for all tries, and a delay of up to a minute after two
// lost and ten busy ones.
const syncBound = 14 * time.Minute

// A server that ignores the request and begins a plain watch, which may bring anything, is asked
// for pages after 30 s of nothing new, after 30 s with changes, and after 2 minutes in any case;
// and again only after an hour.
func TestABusyServerThatIgnoresTheRequest(t *testing.T) {
	for name, c := range map[string]struct {
		every time.Duration
		send  func(s *fakeServer, i int)
		want  time.Duration
	}{
		"changes one object": {
			10 * time.Second, func(s *fakeServer, _ int) { s.apply("a", "1", "") }, watchListIdle},
		"creates and deletes objects": {5 * time.Second, func(s *fakeServer, i int) {
			if name := fmt.Sprint("p", i/2); i%2 == 0 {
				s.apply(name, "1", "")
			} else {
				s.remove(name)
			}
		}, watchListIdle + 10*time.Second},
		"only creates objects": {
			10 * time.Second, func(s *fakeServer, i int) {
				s.apply(fmt.Sprint("p", i), "1", "")
			}, watchListLimit},
		"sends bookmarks": {10 * time.Second, func(s *fakeServer, _ int) {
			s.raw(bookmarkFrame(s.version + 1))
		}, watchListIdle},
		"creates objects and sends bookmarks": {5 * time.Second, func(s *fakeServer, i int) {
			if s.apply(fmt.Sprint("p", i), "1", ""); i == 5 {
				s.raw(bookmarkFrame(s.version + 1))
			}
		}, watchListIdle + 30*time.Second},
		"sends malformed objects": {
			10 * time.Second, func(s *fakeServer, _ int) {
				s.raw(`{"type":"ADDED","object":{}}`)
			}, watchListIdle},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.server.streams, w.server.noEnd = true, true
				w.server.apply("a", "1", "")
				_, reg, _ := w.subscribe(SubscriptionConfig{})
				begun := time.Now()
				for i := 0; !reg.shared.informer.queue.HasSynced() &&
					time.Since(begun) < time.Hour; i++ {
					time.Sleep(c.every)
					c.send(w.server, i)
					synctest.Wait()
				}
				if d := time.Since(begun); d < c.want || d > c.want+c.every ||
					len(w.server.listed()) != 1 {
					t.Errorf("synced after %v, want %v; %d lists", d, c.want,
						len(w.server.listed()))
				}
				w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
				time.Sleep(2 * backoffMin)
				synctest.Wait()
				if n := len(w.server.listed()); n != 2 {
					t.Errorf("%d lists: it was asked to stream again", n)
				}
				time.Sleep(watchListPause)
				w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
				time.Sleep(2 * backoffMin)
				synctest.Wait()
				if n := len(w.server.listed()); n != 2 {
					t.Errorf("%d lists: it was not asked to stream after an hour", n)
				}
			})
		})
	}
}

// A server that does not answer the request at all, as behind a proxy that waits for a first event,
// is asked for pages.
func TestAStreamedListWithoutAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFakeServer()
		server.apply("a", "1", "")
		_, r, stop := alone(t, listWatch{
			list: server.List,
			watch: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
				if opts.SendInitialEvents != nil {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return server.Watch(ctx, opts)
			},
		}, nil)
		defer stop()
		time.Sleep(watchListIdle)
		expect(t, r.take(), "add a/1 101*")
	})
}

// A long list is streamed to its end, as long as new objects come; changes behind it do not end it.
func TestAStreamedListThatTakesLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFakeServer()
		frames, send := io.Pipe()
		_, r, stop := alone(t, listWatch{
			list: server.List,
			watch: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
				context.AfterFunc(ctx, func() { _ = send.Close() })
				return frames, nil
			},
		}, nil)
		defer stop()
		for i := range 4 {
			time.Sleep(watchListIdle - 2*time.Second)
			frame := fmt.Sprintf(`{"type":"ADDED","object":%s}`+"\n",
				podText(fmt.Sprint("p", i), "1", 101+i, ""))
			if i == 3 {
				frame = fmt.Sprintf(`{"type":"MODIFIED","object":%s}`+"\n",
					podText("p0", "1", 104, ""))
				frame += strings.Replace(server.endOfList(), `"100"`, `"104"`, 1)
			}
			if _, err := io.WriteString(send, frame); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		expect(t, r.take(), "add p0/1 104*", "add p1/1 102*", "add p2/1 103*")
		if n := len(server.listed()); n != 0 {
			t.Errorf("%d lists", n)
		}
	})
}

// Whatever a server makes of the requests for streamed lists, the informer syncs within syncBound,
// if lists are answered.
func TestSyncIsBoundedWhateverTheServerStreams(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		busy := 0
		kinds := rapid.SliceOfN(
			rapid.SampledFrom([]string{"refused", "busy", "expired", "cut", "lost", "silent",
				"trickle", "changes", "flood", "bookmarks"}), 1, 16).Draw(rt, "answers")
		pause := rapid.SampledFrom([]time.Duration{700 * time.Millisecond, 5 * time.Second,
			9 * time.Second, 29 * time.Second}).Draw(rt, "pause")
		synctest.Test(t, func(t *testing.T) {
			server := newFakeServer()
			server.apply("a", "1", "")
			asked := 0
			inf, _, stop := alone(t, listWatch{
				list: server.List,
				watch: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
					if opts.SendInitialEvents == nil {
						return server.Watch(ctx, opts)
					}
					kind := kinds[asked%len(kinds)]
					asked++
					switch kind {
					case "refused":
						return nil, &netError{111}
					case "busy":
						if busy++; busy > watchListBusy {
							return nil, statusOf(422)
						}
						return nil, tooManyRequests()
					case "expired":
						return nil, expired()
					}
					return io.NopCloser(&madeWatch{ctx: ctx, kind: kind, pause: pause}), nil
				},
			}, nil)
			begun := time.Now()
			for !inf.queue.HasSynced() && time.Since(begun) < 2*syncBound {
				time.Sleep(time.Second)
				synctest.Wait()
			}
			if d := time.Since(begun); d > syncBound {
				rt.Errorf("synced after %v, at most %v; %d streams", d, syncBound, asked)
			}
			stop()
		})
	})
}

// madeWatch is a plain watch of a kind, without an end of a list.
type madeWatch struct {
	ctx   context.Context
	kind  string
	pause time.Duration
	sent  int
	rest  string
}

func (w *madeWatch) Read(p []byte) (int, error) {
	if w.rest == "" {
		if w.sent > 0 || w.kind == "silent" {
			if err := backoff.Sleep(w.ctx, w.pause); err != nil {
				return 0, err
			}
		}
		name, typ := "p", "ADDED"
		switch w.sent++; w.kind {
		case "cut":
			if w.sent > 3 {
				return 0, io.EOF
			}
		case "lost":
			if w.sent > 3 {
				return 0, errors.New("http2: client connection lost")
			}
		case "silent":
			return 0, backoff.Sleep(w.ctx, time.Hour)
		case "trickle", "flood":
			name = fmt.Sprint("p", w.sent)
		case "changes":
			typ = "MODIFIED"
		}
		w.rest = fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", typ,
			podText(name, "1", 200+w.sent, ""))
		if w.kind == "bookmarks" {
			w.rest = bookmarkFrame(200+w.sent) + "\n"
		}
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}
