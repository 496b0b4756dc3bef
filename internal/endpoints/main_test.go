package endpoints

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// log is a text log without times, which is read while it is written.
type log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *log) logger(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(l,
		&slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
}

// running is a server under test, on a real loopback address.
type running struct {
	t       *testing.T
	address string
	stop    context.CancelFunc
	ended   chan error
	client  *http.Client
}

// serve starts a server; it is stopped with the test, or before.
func serve(t *testing.T, s *Server) *running {
	t.Helper()
	s.Address = "127.0.0.1:0"
	addr, err := s.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	transport := &http.Transport{DisableCompression: true}
	r := &running{t: t, address: addr.String(), stop: cancel, ended: make(chan error, 1),
		client: &http.Client{Transport: transport}}
	go func() { r.ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		r.end()
	})
	return r
}

// end stops the server and waits until it has ended. A second end does nothing.
func (r *running) end() {
	r.t.Helper()
	r.stop()
	err, open := <-r.ended
	if err != nil {
		r.t.Error(err)
	}
	if open {
		close(r.ended)
	}
}

// get returns the answer to a GET, and its body.
func (r *running) get(path string) (*http.Response, string) {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+r.address+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.do(req)
}

func (r *running) do(req *http.Request) (*http.Response, string) {
	r.t.Helper()
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res, string(body)
}

var noon = time.Date(2026, 3, 1, 13, 0, 0, 500_000_000, time.FixedZone("CET", 3600))

// someListeners are two with all there can be, and one that has not begun.
func someListeners() []Listener {
	crash := errors.New("trap: \x1b[31m\nok\u2028 " + strings.Repeat("é", 1000))
	return []Listener{
		{
			Name: "pods", Resource: "po",
			Route: func() route.Stats {
				return route.Stats{
					Events: map[event.Op]uint64{event.Add: 100, event.Update: 20,
						event.Delete: 3},
					Filtered: 1, FilterErrors: 2, HandlerCalls: 3, HandlerCrashes: 4, Dropped: 5,
					Emitted: 6, Written: 7,
					Early: []route.EarlyStats{
						{Reason: "filter-failed", Retried: 8, DeadLetters: 9},
						{Reason: "handler-failed", Retried: 52, DeadLetters: 53}},
					Unselected: 20, RuleErrors: 21, Violated: 22, Resolved: 23,
					EmissionsRefused: 24, Matched: 25, Members: 26, Own: 51,
					Outputs: []route.OutputStats{{Output: "hook", Unwanted: 50, Pauses: 61,
						Paused: backoff.Pause{End: noon}, Lag: someTimes(73),
						Stats: delivery.Stats{Offered: 62, Delivered: 63, DeadLettered: 64,
							Dropped: 65, Merged: 66, Waiting: 67, Written: 68, Retried: 69,
							Letters: 70, Made: 71, Queued: 72, Failed: 74, Refused: 75, Moot: 76,
							Reports: 76}}},
					Handler: &route.HandlerStats{Took: someTimes(32), Fuel: 33, Memory: 34,
						Crashes: map[plugins.Reason]uint64{plugins.ReasonTrap: 35,
							plugins.ReasonDeadline: 0}},
					HandlerPauses: 30, Paused: backoff.Pause{
						Begin: noon.Add(time.Minute), End: noon.Add(2 * time.Minute), Since: noon,
						Failures: 31, Cause: crash,
					},
					HandlerTrouble: crash,
				}
			},
			Buffer: func() informer.SubscriptionStats {
				return informer.SubscriptionStats{
					Refused: 10, Coalesced: 11, Dropped: 12, Spilled: 13, Blocked: 14,
					Discarded: 15, Held: 16, Marked: 17, Backlog: 18, OnDisk: 19,
					Parked: 40, Resyncing: 41, ResyncsSkipped: 42, Mistakes: 43,
					SpillError: errors.New("no space left on device"),
				}
			},
			Violations: func() []rules.Violation {
				return []rules.Violation{
					{Rule: "privileged", Severity: "high", Namespace: "shop", Name: "web-2",
						UID: "u2", Message: `container "c" is privileged`, Since: noon},
					{Rule: "privileged", Severity: "high", Namespace: "shop", Name: "web-1",
						UID: "u1", Message: "privileged\n</script>",
						Since: noon.Add(time.Second / 2)},
					{Rule: "no-limits", Severity: "low", Namespace: "pay", Name: "api", UID: "u3",
						Message: "no limits", Since: noon},
				}
			},
			Counts: func() map[rules.Count]int {
				return map[rules.Count]int{{Rule: "privileged", Severity: "high", Namespace: "shop"}: 2, {
					Rule: "no-limits", Severity: "low", Namespace: "pay"}: 1, {Rule: "no-limits",
					Severity: "low", Namespace: "gone"}: 0}
			},
		},
		{
			Name: "nodes", Resource: "nodes",
			Route:  func() route.Stats { return route.Stats{} },
			Buffer: func() informer.SubscriptionStats { return informer.SubscriptionStats{} },
			Violations: func() []rules.Violation {
				return []rules.Violation{{Rule: "not-ready", Severity: "critical", Namespace: "",
					Name: "n1", UID: "u4", Message: "not ready", Since: noon}}
			},
			Counts: func() map[rules.Count]int {
				return map[rules.Count]int{{Rule: "not-ready", Severity: "critical", Namespace: ""}: 1}
			},
		},
		{Name: "clean", Resource: "jobs.batch", Violations: func() []rules.Violation {
			return nil
		}, Counts: func() map[rules.Count]int { return nil }},
		{Name: "plain", Resource: "events"},
	}
}

// informersOf returns informers of one cluster.
func informersOf(all ...informer.Status) (of []Informer) {
	for _, in := range all {
		of = append(of, Informer{Status: in})
	}
	return of
}

func someInformers() []Informer {
	resource := func(group, name string) informer.Resource {
		return informer.Resource{GroupVersionResource: schema.GroupVersionResource{Group: group,
			Version: "v1", Resource: name}}
	}
	return informersOf(
		informer.Status{
			Resource: resource("", "pods"), Scope: informer.Scope{Namespace: "shop"}, Synced: true,
			Objects: 100, Bytes: 9_999, Memory: 1_000, Queued: 1, Lists: 2, Watches: 3, Events: 4,
			Skipped: 5, Received: 6, Relists: map[string]uint64{"expired": 7, "refused": 0},
		},
		informer.Status{ // another of the same resource and namespace
			Resource: resource("", "pods"), Scope: informer.Scope{Namespace: "shop",
				LabelSelector: "tier=x"}, Err: errors.New("forbidden"),
			Objects: 10, Bytes: 999, Memory: 100, Queued: 10, Lists: 20, Watches: 30, Events: 40,
			Skipped: 50, Received: 60, Relists: map[string]uint64{"expired": 70, "refused": 1},
		},
		informer.Status{Resource: resource("batch", "jobs"), Synced: true, Objects: 7, Memory: 70})
}

// lines returns those that contain words.
func lines(text, words string) string {
	var found strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, words) {
			found.WriteString(line)
		}
	}
	return found.String()
}
