package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open makes a sink for a server, and closes both in the end.
func open(t testing.TB, answer http.HandlerFunc, config Config) *Sink {
	t.Helper()
	server := httptest.NewUnstartedServer(answer)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	config.URL = secret.Literal(server.URL + "/services/T0/B0/hunter2")
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// read returns the text of a request.
func read(r *http.Request) string {
	var payload map[string]string
	if json.NewDecoder(r.Body).Decode(&payload) != nil || len(payload) != 1 {
		return "not a payload"
	}
	return payload["text"]
}

func report(t testing.TB, r sink.Report) sink.Message {
	t.Helper()
	m := sinktest.Message(t, "web-1", 2)
	m.Report, m.Body = &r, sink.BodyReport
	return m
}

func TestText(t *testing.T) {
	event := sinktest.Message(t, "web-1", 2)
	data := func(m sink.Message, text string) sink.Message {
		m.Body, m.Data = sink.BodyData, text
		return m
	}
	other := event
	other.Op, other.Type = 0, "com.example.x"
	rule := sink.Report{Rule: "restarts", Severity: "high", Message: "9 times", Violated: true}
	plain, again, resolved := rule, rule, rule
	plain.Severity, plain.Message = "", ""
	again.Repeats = 3
	resolved.Violated = false
	for want, m := range map[string]sink.Message{
		"updated (Pod shop/web-1, prod)":                         event,
		"com.example.x (Pod shop/web-1, prod)":                   other,
		"[high] restarts: 9 times (Pod shop/web-1, prod)":        report(t, rule),
		"[violated] restarts: violated (Pod shop/web-1, prod)":   report(t, plain),
		"[high] restarts: 9 times, still (Pod shop/web-1, prod)": report(t, again),
		"[resolved] restarts: 9 times (Pod shop/web-1, prod)":    report(t, resolved),
		"[high] restarts: from data (Pod shop/web-1, prod)": data(report(t, rule),
			`"from data"`),
		"&lt;!channel&gt; &amp;amp; (Pod shop/web-1, prod)": data(event,
			`{"text":"<!channel> &amp;"}`),
		"from a field (Pod shop/web-1, prod)": data(event, `{"message":"from a field"}`),
		"[high] restarts: a  [critical] db-down:   b    c (Pod shop/web-1, prod)": report(t, sink.Report{
			Rule: "restarts", Severity: "high", Violated: true,
			Message: "a\r\n[critical] db-down:\u2028\x1b\u0085b\x00\x7f\t\vc"}),
		"[high] restarts: a b c d (Pod shop/web-1, prod)": report(t, sink.Report{Rule: "restarts",
			Severity: "high", Violated: true, Message: "a\u202eb\u200bc\u2066d"}),
		"updated (Pod shop/web-1, prod) ":  data(event, `[1]`),
		"updated (Pod shop/web-1, prod)  ": data(event, ""),
	} {
		if got := text(&m); got != strings.TrimSpace(want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestLongTexts(t *testing.T) {
	for _, text := range []string{strings.Repeat("ä", maxText+1), strings.Repeat("&amp;", maxText),
		strings.Repeat("&lt;x", maxText), strings.Repeat("\xff", maxText+1)} {
		got := shortened(text)
		n := utf8.RuneCountInString(got)
		cut := strings.TrimSuffix(got, "…")
		if n > maxText || n < maxText-5 || cut == got || !strings.HasPrefix(text, cut) ||
			strings.Count(cut, "&") != strings.Count(cut, ";") {
			t.Errorf("%d characters, ending in %q", n, got[len(got)-20:])
		}
	}
	for _, text := range []string{"", "a", strings.Repeat("ä", maxText)} {
		if shortened(text) != text {
			t.Errorf("%d bytes were shortened", len(text))
		}
	}
}

func TestConfiguredText(t *testing.T) {
	var got string
	fail := false
	text := "<https://example.com|here>"
	s := open(t, func(w http.ResponseWriter, r *http.Request) {
		got = read(r)
		_, _ = io.WriteString(w, "ok")
	}, Config{Text: func(*sink.Message) (string, error) {
		if fail {
			return "", errors.New("no such field")
		}
		return text, nil
	}})
	messages := []sink.Message{sinktest.Message(t, "a", 2)}
	if errs := s.Write(t.Context(), messages); errs != nil || got != text {
		t.Errorf("got %q, %v", got, errs)
	}
	for notifies, want := range map[bool]string{
		false: "&lt;!channel> <@U1> <b|&lt;!here>", true: "<!channel> <@U1> <b|<!here>"} {
		text, s.notifies = "<!channel> <@U1> <b|<!here>", notifies
		if errs := s.Write(t.Context(), messages); errs != nil || got != want {
			t.Errorf("notifies %t: got %q, %v", notifies, got, errs)
		}
	}
	got, text = "", " \n"
	if errs := s.Write(t.Context(), messages); len(errs) != 1 || !sink.IsPermanent(errs[0]) {
		t.Errorf("an empty text: %v", errs)
	}
	fail = true
	errs := s.Write(t.Context(), messages)
	if len(errs) != 1 || !sink.IsPermanent(errs[0]) || got != "" ||
		errs[0].Error() != "slack: text: no such field" {
		t.Errorf("an error of the expression: %v", errs)
	}
}

func TestAnswers(t *testing.T) {
	for _, test := range []struct {
		status    int
		body      string
		permanent bool
		want      string
	}{
		{200, "ok", false, ""},
		{200, "", false, ""},
		{200, `{"success":true}`, false, ""},
		{200, `{"ok":true}`, false, ""},
		{200, "rollup_error", false, "slack: "},
		{200, `{"ok":false,"error":"not_in_channel"}`, true, `refused: "not_in_channel"`},
		{200, `{"ok":false,"error":"` + strings.Repeat("x", 1000) + `"}`, true, "…"},
		{400, "invalid_payload", true, `400 Bad Request: "invalid_payload"`},
		{403, "action_prohibited", true, "403"},
		{404, "channel_not_found", true, "404"},
		{410, "channel_is_archived", true, "410"},
		{500, "rollup_error", false, "500"},
		{429, "rate_limited", false, "429"},
	} {
		s := open(t, func(w http.ResponseWriter, _ *http.Request) {
			if test.status == 429 {
				w.Header().Set("Retry-After", "30")
			}
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		}, Config{})
		errs := s.Write(t.Context(), []sink.Message{sinktest.Message(t, "a", 2)})
		if test.want == "" {
			if errs != nil {
				t.Errorf("%d %s: %v", test.status, test.body, errs)
			}
			continue
		}
		if len(errs) != 1 || sink.IsPermanent(errs[0]) != test.permanent ||
			!strings.Contains(errs[0].Error(), test.want) || len(errs[0].Error()) > 500 ||
			strings.Contains(errs[0].Error(), "hunter2") {
			t.Errorf("%d %s: got %v", test.status, test.body, errs)
		}
		if test.status == 429 && backoff.RetryAfter(errs[0]) != 30*time.Second {
			t.Errorf("the delay is %v", backoff.RetryAfter(errs[0]))
		}
	}
}

// receiver is a server for the suite.
type receiver struct{ *sinktest.Log }

func (l receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch l.Take(r.Context().Done(), read(r)) {
	case sinktest.Refuse:
		w.WriteHeader(http.StatusBadRequest)
	case sinktest.Fail:
		_, _ = io.WriteString(w, "rollup_error")
	case sinktest.Break:
		panic(http.ErrAbortHandler)
	default:
		_, _ = io.WriteString(w, "ok")
	}
}

func TestConformance(t *testing.T) {
	// The suite counts messages by their texts.
	text := func(m sink.Message) string { return string(cloudevent.Append(nil, m)) }
	sinktest.Run(t, sinktest.Target{
		New: func(t *testing.T, f *sink.Fence) (sink.Sink, sinktest.Receiver) {
			to := receiver{sinktest.NewLog()}
			server := httptest.NewUnstartedServer(to)
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.Start()
			t.Cleanup(server.Close)
			t.Cleanup(func() { to.Set(sinktest.Healthy) })
			s, err := New(Config{URL: secret.Literal(server.URL), Fence: f,
				Text: func(m *sink.Message) (string, error) { return text(*m), nil }})
			if err != nil {
				t.Fatal(err)
			}
			return s, to
		},
		Text: func(m sink.Message) string { return shortened(text(m)) },
		Skip: map[string]string{
			"odd messages/*: read": "texts are not CloudEvents",
			"memory":               "its measure is the text, which is cut after 4,000 characters",
		},
	})
}
