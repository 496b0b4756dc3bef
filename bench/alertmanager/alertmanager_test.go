package alertmanager

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/alertmanager/alert"
	"github.com/prometheus/alertmanager/api"
	"github.com/prometheus/alertmanager/config"
	"github.com/prometheus/alertmanager/dispatch"
	"github.com/prometheus/alertmanager/eventrecorder"
	"github.com/prometheus/alertmanager/provider/mem"
	"github.com/prometheus/alertmanager/silence"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/common/route"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	output "github.com/informerd/informerd/internal/sink/alertmanager"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// serve starts the API of an Alertmanager, with its store of alerts, below /am.
func serve(t *testing.T) (url string) {
	t.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	registry := prometheus.NewRegistry()
	ctx, cancel := context.WithCancel(context.Background())
	alerts, err := mem.NewAlerts(ctx, time.Minute, 0, nil, log, eventrecorder.NopRecorder(),
		registry,
		nil)
	check(t, err)
	silences, err := silence.New(silence.Options{Retention: time.Hour, Metrics: registry})
	check(t, err)
	a, err := api.New(api.Options{
		Alerts: alerts, Silences: silences, Logger: log, Registry: registry,
		GroupMutedFunc: func(string, string) ([]string, bool) { return nil, false },
		GroupFunc: func(context.Context, func(*dispatch.Route) bool, func(*alert.Alert,
			time.Time) bool) (dispatch.AlertGroups, map[model.Fingerprint][]string, error) {
			return nil, nil, errors.New("not here")
		},
		RequestDuration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "x"},
			[]string{"handler", "method", "code"}),
	})
	check(t, err)
	loaded, err := config.Load("route: {receiver: none}\nreceivers: [{name: none}]\n")
	check(t, err)
	a.Update(loaded, func(context.Context, model.LabelSet) {})
	server := httptest.NewServer(a.Register(route.New(), "/am"))
	t.Cleanup(func() {
		server.Close()
		alerts.Close()
		cancel()
	})
	return server.URL + "/am"
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// firing asks the Alertmanager for the alerts that fire.
func firing(t *testing.T, url string) (list []string) {
	t.Helper()
	answer, err := http.Get(url + "/api/v2/alerts")
	check(t, err)
	defer answer.Body.Close()
	var alerts []struct {
		Labels, Annotations map[string]string
		StartsAt            time.Time
	}
	check(t, json.NewDecoder(answer.Body).Decode(&alerts))
	for _, a := range alerts {
		list = append(list, strings.Join([]string{a.Labels["alertname"], a.Labels["name"],
			a.Labels["phase"], a.Annotations["message"], a.StartsAt.Format(time.TimeOnly)}, " "))
	}
	slices.Sort(list)
	return list
}

func TestViolatedAndResolved(t *testing.T) {
	url := serve(t)
	phase := "Pending"
	s, err := output.New(output.Config{URL: secret.Literal(url),
		Labels: map[string]func(*sink.Message) (string, error){
			"phase": func(*sink.Message) (string, error) { return phase, nil }}})
	check(t, err)
	defer s.Close(context.Background())
	since := time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)
	report := func(name string, violated bool) sink.Message {
		m := sinktest.Message(t, name, 2)
		m.Body, m.Time = sink.BodyReport, time.Now()
		m.Report = &sink.Report{Rule: "restarts", Severity: "high", Message: "9 times\xff",
			Violated: violated, Since: since}
		return m
	}
	for i, step := range []struct {
		messages []sink.Message
		want     []string
	}{
		{[]sink.Message{report("a", true)}, []string{"restarts a Pending 9 times\uFFFD 05:00:00"}},
		{[]sink.Message{report("a", true), report("b", true)}, []string{
			"restarts a Pending 9 times\uFFFD 05:00:00",
			"restarts b Running 9 times\uFFFD 05:00:00"}},
		{[]sink.Message{report("a", false)}, []string{"restarts b Running 9 times\uFFFD 05:00:00"}},
		{[]sink.Message{report("b", false), report("never", false)}, nil},
		{[]sink.Message{report("b", true)}, []string{"restarts b Running 9 times\uFFFD 05:00:00"}},
	} {
		if errs := s.Write(t.Context(), step.messages); errs != nil {
			t.Fatal(errs)
		}
		if got := firing(t, url); !slices.Equal(got, step.want) {
			t.Errorf("step %d: firing %q, want %q", i, got, step.want)
		}
		phase = "Running"
	}
}

// Clocks differ: a violation that begins after now, and a resolution before it, are taken.
func TestOddTimes(t *testing.T) {
	url := serve(t)
	s, err := output.New(output.Config{URL: secret.Literal(url)})
	check(t, err)
	defer s.Close(context.Background())
	m := sinktest.Message(t, "a", 2)
	m.Body = sink.BodyReport
	m.Report = &sink.Report{Rule: "r", Violated: true, Since: time.Now().Add(time.Hour)}
	resolved := m
	resolved.Report = &sink.Report{Rule: "r", Since: m.Time.Add(time.Hour)}
	for _, messages := range [][]sink.Message{{m}, {resolved}} {
		if errs := s.Write(t.Context(), messages); errs != nil {
			t.Errorf("got %v", errs)
		}
	}
}
