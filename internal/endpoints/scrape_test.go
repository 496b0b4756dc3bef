package endpoints

import (
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/plugins"
)

// manyListeners are those of a large configuration: each has an output, and one in three a handler
// or rules.
func manyListeners(n int) []Listener {
	full := someListeners()[0]
	all := make([]Listener, n)
	var bounds []time.Duration
	for i := range tracing.MaxBounds {
		bounds = append(bounds, time.Duration(i+1)*time.Millisecond)
	}
	took := tracing.NewHistogram(bounds)
	for i := range all {
		l := full
		l.Name = fmt.Sprintf("listener-%03d", i)
		if i%3 != 0 {
			l.Violations, l.Counts = nil, nil
		}
		l.Route = func() (s route.Stats) {
			s = full.Route()
			s.Outputs[0].Lag, s.Handler = took.Snapshot(), nil
			if i%3 == 1 {
				s.Handler = &route.HandlerStats{Took: took.Snapshot(),
					Crashes: map[plugins.Reason]uint64{}}
				for reason := range 8 {
					s.Handler.Crashes[plugins.Reason(fmt.Sprint(reason))] = 7
				}
			}
			return s
		}
		all[i] = l
	}
	return all
}

// parsed returns the metrics as Prometheus would read them.
func parsed(t testing.TB, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// scrape returns the answer of a server to Prometheus.
func scrape(handler http.HandlerFunc) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	handler(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return answer
}

// seriesIn returns how many series of informerd's own metrics a scrape has.
func seriesIn(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "informerd_") {
			n++
		}
	}
	return n
}

// The number of series follows the configuration, listener by listener: nothing multiplies. The
// figures are those of docs/metrics.md.
func TestSeriesFollowTheConfiguration(t *testing.T) {
	count := func(listeners int) int {
		s := &Server{Listeners: manyListeners(listeners)}
		return seriesIn(scrape(s.metrics(slog.New(slog.DiscardHandler))).Body.String())
	}
	none, three, many := count(0), count(3), count(300)
	if perThree := three - none; many-none != 100*perThree || perThree > 3*90 {
		t.Errorf("%d series without a listener, %d with three, %d with 300", none, three, many)
	}
	t.Logf("300 listeners: %d series", many)
	page, err := os.ReadFile("testdata/metrics-head.md")
	if err != nil {
		t.Fatal(err)
	}
	if figure := fmt.Sprintf("%d series", many/100*100); !strings.Contains(
		strings.ReplaceAll(string(page), ",", ""), figure) {
		t.Errorf("the page does not say that 300 listeners have about %s", figure)
	}
}

// BenchmarkScrape is what the metrics of 300 listeners cost.
func BenchmarkScrape(b *testing.B) {
	s := &Server{Listeners: manyListeners(300), Informers: someInformers}
	handler := s.metrics(slog.New(slog.DiscardHandler))
	size, text := 0, ""
	b.ReportAllocs()
	for b.Loop() {
		text = scrape(handler).Body.String()
		size = len(text)
	}
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(float64(seriesIn(text)), "series")
}

// Names of listeners and outputs may be as long as they like and have odd characters, wherever they
// come from: what Prometheus reads is what was written.
func TestOddNames(t *testing.T) {
	odd := []string{strings.Repeat("n", 253), `quote"d`, `back\slash`, "line\nbreak", "{a=\"b\"}",
		"é\u2028\U0001F600", "#", " ", "a,b", "+Inf"}
	s := &Server{}
	for _, name := range odd {
		s.Listeners = append(s.Listeners, Listener{Name: name, Route: func() route.Stats {
			return route.Stats{Outputs: []route.OutputStats{{Output: name, Lag: someTimes(1)}}}
		}})
	}
	families := parsed(t, scrape(s.metrics(slog.New(slog.DiscardHandler))).Body.String())
	found := map[string]bool{}
	for _, m := range families["informerd_output_lag_seconds"].GetMetric() {
		found[m.GetLabel()[0].GetValue()] = m.GetHistogram().GetSampleCount() == 3
	}
	for _, name := range odd {
		if !found[name] {
			t.Errorf("there is no listener %q", name)
		}
	}
	if len(found) != len(odd) {
		t.Errorf("%d listeners, want %d", len(found), len(odd))
	}
}

// Whatever is counted, no value is infinite or not a number, and no counter is negative: the worst
// are a histogram without a bucket, a clock that was set, and the largest numbers.
func TestValuesAreFinite(t *testing.T) {
	worst := route.Stats{Matched: math.MaxUint64, Outputs: []route.OutputStats{
		{Output: "none"}, {Output: "empty", Lag: tracing.NewHistogram(nil).Snapshot()},
		{Output: "future", Oldest: math.MaxInt64}, {Output: "past", Oldest: math.MinInt64},
	}, Handler: &route.HandlerStats{Fuel: math.MaxUint64}}
	s := &Server{Reload: func() status.Reload { return status.Reload{} }, Informers: someInformers,
		Listeners: []Listener{{Name: "l", Route: func() route.Stats { return worst }}}}
	for name, f := range parsed(t, scrape(s.metrics(slog.New(slog.DiscardHandler))).Body.String()) {
		if !strings.HasPrefix(name, "informerd_") {
			continue
		}
		for _, m := range f.GetMetric() {
			value := m.GetGauge().GetValue() + m.GetCounter().GetValue() +
				m.GetHistogram().GetSampleSum()
			if math.IsNaN(value) || math.IsInf(value, 0) || value < 0 {
				t.Errorf("%s is %v", m, value)
			}
		}
	}
}

// A client that would rather have OpenMetrics gets the text format, and its content type says so.
func TestOneFormat(t *testing.T) {
	r := serve(t, someServer())
	req, err := http.NewRequest(http.MethodGet, "http://"+r.address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.1")
	req.Header.Set("Accept-Encoding", "gzip")
	res, body := r.do(req)
	if got := res.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/plain; version=0.0.4") ||
		res.Header.Get("Content-Encoding") != "" {
		t.Errorf("%s, %s", got, res.Header.Get("Content-Encoding"))
	}
	parsed(t, body)
}

// While listeners come, go and change, each scrape is complete and valid.
func TestScrapesDuringChanges(t *testing.T) {
	var mu sync.Mutex
	now := manyListeners(3)
	s := &Server{Informers: someInformers, Current: func() []Listener {
		mu.Lock()
		defer mu.Unlock()
		return now
	}}
	handler := s.metrics(slog.New(slog.DiscardHandler))
	var all sync.WaitGroup
	end := time.Now().Add(200 * time.Millisecond)
	for range 3 {
		all.Go(func() {
			for time.Now().Before(end) {
				answer := scrape(handler)
				if answer.Code != http.StatusOK {
					t.Errorf("%d: %s", answer.Code, answer.Body)
					return
				}
				parsed(t, answer.Body.String())
			}
		})
	}
	for n := 0; time.Now().Before(end); n = (n + 1) % 5 {
		mu.Lock()
		now = manyListeners(n)
		mu.Unlock()
	}
	all.Wait()
}
