package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/deadletter"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// tableHead begins the table of what is tried again in docs/outputs.md.
const tableHead = "| what happens | what informerd does | reason |\n|---|---|---|\n"

var (
	tableRow  = regexp.MustCompile(`(?m)^\| (.*) \| (.*) \| (.*?) ?\|$`)
	rowReason = regexp.MustCompile("`([a-z-]+)`")
)

// Each row of the table is what really happens: of an answer or a connection to a webhook, or to a
// listener whose dead letter has the reason.
func TestTableOfFailures(t *testing.T) {
	page := readPage(t, outputsPage)
	_, table, ok := strings.Cut(page.text, tableHead)
	if !ok {
		t.Fatalf("%s has no table of failures", outputsPage)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	checks := map[string]func(*testing.T){
		"connection refused, reset, time-out, TLS error, unknown host": connectionsFail,
		"408, 425, 429, 500 to 599": func(t *testing.T) {
			answersAre(t, append(span(500, 599), 408, 425, 429), false)
		},
		"2xx with a body of a receiver that refused: `{\"ok\": false}`, `{\"success\": false}`, `{\"errors\": true}`, an `errcode`, " +
			"the texts of Slack and of Teams' connectors": bodiesRefuse,
		"2xx with a body that breaks off, or has not ended after a second": bodyBreaksOff,
		"a Kubernetes Event or a patch for what is going: an object that is gone or being deleted, " +
			"a namespace that is terminating or gone": objectIsGoing,
		"`Retry-After` with one of these": delayIsAsked,
		"other 4xx, such as 400, 401, 404": func(t *testing.T) {
			others := slices.DeleteFunc(span(400, 499), func(status int) bool {
				return slices.Contains([]int{408, 410, 425, 429}, status)
			})
			answersAre(t, others, true)
		},
		"3xx": func(t *testing.T) {
			answersAre(t, span(300, 399), true)
		},
		"410 Gone": receiverIsGone,
		"a message is too large for the output": func(t *testing.T) {
			answersAre(t, []int{413}, true)
		},
		"the account lacks a right to write an Event or a patch":                                   rightIsGranted,
		"a resource that a patch is for is not served, such as while its definition is made again": resourceComesBack,
		"the store of dead letters is full, or one namespace has a quarter of it":                  storeIsFull,
	}
	listeners := map[string][]string{
		"`when`, `data` or another expression of the output fails": {"when", "subject"},
		"the filter fails":                         {"filter"},
		"a rule fails":                             {"rule"},
		"the handler fails the event":              {"refuses"},
		"the handler crashes, or asks for a retry": {"traps"},
		"an output is away for longer than `retry.giveUpAfter`, if that is set": {"late"},
		"a reload takes an output from a listener":                              {"removed"},
		"a reload removes a listener, whose outputs do not take all within `shutdown.drain`": {
			"gone"},
	}
	letters := lettersOfListeners(t)
	rows := tableRow.FindAllStringSubmatch(table, -1)
	if n := strings.Count(table, "\n") + 1; len(rows) != n || n != len(checks)+len(listeners) {
		t.Errorf("%d of %d rows can be read, and %d are checked", len(rows), n,
			len(checks)+len(listeners))
	}
	for _, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			check, names := checks[row[1]], listeners[row[1]]
			if check == nil && names == nil {
				t.Fatal("nothing checks this row")
			}
			if check != nil {
				check(t)
			}
			var reasons []string
			for _, m := range rowReason.FindAllStringSubmatch(row[3], -1) {
				reasons = append(reasons, m[1])
			}
			for _, name := range names {
				if l := letters[name]; !slices.Contains(reasons, l.Reason) {
					t.Errorf("listener %s: the reason is %q, and one of %q in the table", name,
						l.Reason, reasons)
				}
			}
			if names != nil && strings.Contains(row[2], "5 by default") &&
				letters[names[0]].Attempts != 5 {
				t.Errorf("%d attempts", letters[names[0]].Attempts)
			}
		})
	}
}

// span returns the numbers from one to another.
func span(from, to int) (all []int) {
	for n := from; n <= to; n++ {
		all = append(all, n)
	}
	return all
}

// post writes a message to a webhook, and returns the error.
func post(t *testing.T, url string) error {
	t.Helper()
	s := webhookTo(t, url)
	defer s.Close(context.WithoutCancel(t.Context()))
	return errors.Join(s.Write(t.Context(), []sink.Message{sinktest.Message(t, "a", 1)})...)
}

// webhookTo makes an output. Close it.
func webhookTo(t *testing.T, url string) sink.Sink {
	t.Helper()
	cfg := parse(t, "apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners: {a: {informer: {resource: pods}, outputs: [hook]}}\n"+
		"outputs: {hook: {webhook: {timeout: 300ms, url: "+url+"}}}\n")
	s, err := (&sinks.Maker{}).New(cfg, cfg.Outputs["hook"], sinks.Expressions{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answeringWith starts a server that answers like this.
func answeringWith(t *testing.T, answer http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

// answersAre checks whether answers with these statuses are permanent errors.
func answersAre(t *testing.T, statuses []int, permanent bool) {
	t.Helper()
	for _, status := range statuses {
		url := answeringWith(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
		})
		if err := post(t, url); err == nil || sink.IsPermanent(err) != permanent {
			t.Errorf("%d: %v, which is permanent: %t", status, err, sink.IsPermanent(err))
		}
	}
}

// bodiesRefuse checks answers whose status says taken, and whose body does not. Package httpsink has
// more of them.
func bodiesRefuse(t *testing.T) {
	for body, permanent := range map[string]bool{`{"ok": false}`: true, `{"success": false}`: true,
		`{"errors": true}`: true, `{"errcode": 310000}`: true, "channel_not_found": true,
		"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 403": true,
		`{"ok": false, "error": "rate limited"}`:                                                       false, `{"errcode": 1, "errmsg": "too many requests"}`: false} {
		url := answeringWith(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		if err := post(t, url); err == nil || sink.IsPermanent(err) != permanent {
			t.Errorf("%s: %v, which is permanent: %t", body, err, sink.IsPermanent(err))
		}
	}
}

func bodyBreaksOff(t *testing.T) {
	url := answeringWith(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "short")
	})
	if err := post(t, url); err != nil {
		t.Error(err)
	}
}

// connectionsFail checks connections that cannot be made, or that end. Package httpsink has the
// test of a host that is unknown, with a resolver of its own.
func connectionsFail(t *testing.T) {
	end := make(chan struct{})
	reset := answeringWith(t, func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	})
	slow := answeringWith(t, func(http.ResponseWriter, *http.Request) { <-end })
	t.Cleanup(func() { close(end) })
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refused := "http://" + listener.Addr().String()
	_ = listener.Close()
	for name, url := range map[string]string{"refused": refused, "reset": reset, "time-out": slow,
		"TLS": secure.URL} {
		if err := post(t, url); err == nil || sink.IsPermanent(err) {
			t.Errorf("%s: %v, which is permanent: %t", name, err, sink.IsPermanent(err))
		}
	}
}

// delayIsAsked checks what a receiver may ask for, and that it is at most five minutes.
func delayIsAsked(t *testing.T) {
	for text, want := range map[string]time.Duration{"7": 7 * time.Second,
		"100000": 5 * time.Minute, "99999999999999999999": 5 * time.Minute,
		"-1": 0, "soon": 0, "Mon, 02 Jan 2006 15:04:05 GMT": 0} {
		url := answeringWith(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", text)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		if err := post(t, url); backoff.RetryAfter(err) != want || sink.IsPermanent(err) {
			t.Errorf("%s: %v, a delay of %v, want %v", text, err, backoff.RetryAfter(err), want)
		}
	}
}

// receiverIsGone checks that nothing more is sent.
func receiverIsGone(t *testing.T) {
	var requests atomic.Int32
	s := webhookTo(t, answeringWith(t, func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusGone)
	}))
	defer s.Close(context.WithoutCancel(t.Context()))
	for range 3 {
		errs := s.Write(t.Context(), []sink.Message{sinktest.Message(t, "a", 1)})
		if errs == nil || !sink.IsPermanent(errs[0]) {
			t.Error(errs)
		}
	}
	if n := requests.Load(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// storeIsFull checks both choices.
func storeIsFull(t *testing.T) {
	for _, drop := range []bool{false, true} {
		s, err := deadletter.Open(deadletter.Config{
			Limits: deadletter.Limits{MaxBytes: 3000, MaxAge: -1, Drop: drop}})
		if err != nil {
			t.Fatal(err)
		}
		l := deadletter.Letter{Listener: "a", Object: []byte(`"` + strings.Repeat("x", 1500) + `"`)}
		if _, err := s.Put(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		l.Name = "other"
		if _, err := s.Put(t.Context(), l); err == nil || errors.Is(err, deadletter.ErrDropped) != drop {
			t.Errorf("drop %v: %v", drop, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// refusingGuest has an on_event that fails events for good.
var refusingGuest = strings.Replace(trapGuest, "0a080202000b0300000b", "0a090202000b040041030b", 1)

// lettersOfListeners returns a letter of each listener of a daemon in which everything fails.
func lettersOfListeners(t *testing.T) map[string]deadletter.Letter {
	t.Helper()
	const outputs = `state: {dir: state}
shutdown: {drain: 0s}
outputs:
  out: {stdout: {}}
  when: {when: object.metadata.name > 1, stdout: {}}
  bus: {nats: {servers: ["nats://127.0.0.1:1"], subject: '"k8s." + string(object.metadata.name > 1)'}}
  away: {webhook: {url: "http://127.0.0.1:1"}}
`
	listeners := `listeners:
  when: {informer: {resource: pods}, outputs: [when]}
  subject: {informer: {resource: pods}, outputs: [bus]}
  filter: {informer: {resource: pods}, filter: object.metadata.name > 1, outputs: [out]}
  rule: {informer: {resource: pods}, rules: [{name: r, deny: object.metadata.name > 1}], outputs: [out]}
  refuses: {informer: {resource: pods}, handler: {wasm: ` + writeGuest(t, refusingGuest) +
		`}, outputs: [out]}
  traps:
    informer: {resource: pods}
    handler: {wasm: ` + writeGuest(t, trapGuest) + `, pauseAfter: 1000, limits: {deadline: 10s}}
    retry: {minBackoff: 1ms, maxBackoff: 1ms}
    outputs: [out]
  late: {informer: {resource: pods}, retry: {giveUpAfter: 1s, minBackoff: 100ms, maxBackoff: 100ms}, outputs: [away]}
  removed: {informer: {resource: pods}, outputs: [out`
	k := kubernetesWith(t, map[string][]string{"pods": {named("shop", "web", "", "")}})
	d := startReloadable(t, outputs+listeners+
		", away]}\n  gone: {informer: {resource: pods}, outputs: [away]}\n", k)
	d.out.waitForLines(t, 1, "/listeners/removed")
	eventually(t, func() error {
		s := readSeries(t, d.ask(t, "/metrics"))
		for _, name := range []string{"removed", "gone"} {
			if n := s.sum(fmt.Sprintf(`listener=%q,output="away"`, name),
				"output_events_waiting"); n != 1 {
				return fmt.Errorf("%v events of %s wait for the output", n, name)
			}
		}
		return nil
	})
	if got := d.reload(t, outputs+listeners+"]}\n"); !strings.Contains(got, "reloaded") {
		t.Fatal(got)
	}
	eventually(t, func() error {
		s := readSeries(t, d.ask(t, "/metrics"))
		for _, name := range []string{"when", "subject", "filter", "rule", "refuses", "traps",
			"late", "removed", "gone"} {
			if s[fmt.Sprintf("dead_letters listener=%q", name)] == 0 {
				return fmt.Errorf("no dead letter of %s", name)
			}
		}
		return nil
	})
	d.stop(t)
	store, err := deadletter.Open(deadletter.Config{
		Path: filepath.Join(filepath.Dir(d.path), "state", deadletter.FileName)})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	letters := map[string]deadletter.Letter{}
	for l, err := range store.List(t.Context(), deadletter.Query{Heads: true}) {
		if err != nil {
			t.Fatal(err)
		}
		letters[l.Listener] = l
	}
	return letters
}
