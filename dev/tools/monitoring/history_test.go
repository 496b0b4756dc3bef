package monitoring

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/util/teststorage"
)

const (
	// span is how much of the past a history has, and step the time between two of its scrapes.
	span = time.Hour
	step = 30 * time.Second
)

// history is what Prometheus would have scraped within the last hour, if all had gone on as it did
// between two scrapes: gauges are as in the second one, and counters have grown by the difference
// in each step.
type history struct {
	t       *testing.T
	storage *teststorage.TestStorage
	engine  *promql.Engine
	end     time.Time
}

func newHistory(t *testing.T) *history {
	return &history{t: t, storage: teststorage.New(t), end: time.Now(),
		engine: promqltest.NewTestEngine(t, false, 0, 1_000_000)}
}

// samples returns the values of a scrape's series, and which of them are counters.
func samples(t *testing.T, scrape string) (values map[string]float64,
	series map[string]labels.Labels, counters map[string]bool) {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(scrape))
	if err != nil {
		t.Fatal(err)
	}
	values, series = map[string]float64{}, map[string]labels.Labels{}
	counters = map[string]bool{}
	all, err := expfmt.ExtractSamples(&expfmt.DecodeOptions{Timestamp: 1},
		slicesOf(families)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		b := labels.NewScratchBuilder(len(s.Metric))
		for name, value := range s.Metric {
			b.Add(string(name), string(value))
		}
		b.Sort()
		of := b.Labels()
		key := of.String()
		values[key], series[key] = float64(s.Value), of
		counters[key] = !isGauge(families, of.Get(model.MetricNameLabel))
	}
	return values, series, counters
}

func slicesOf(families map[string]*dto.MetricFamily) (all []*dto.MetricFamily) {
	for _, f := range families {
		all = append(all, f)
	}
	return all
}

func isGauge(families map[string]*dto.MetricFamily, name string) bool {
	f := families[name] // nil for the parts of a histogram
	return f != nil && f.GetType() == dto.MetricType_GAUGE
}

// load adds a daemon whose scrapes were these.
func (h *history) load(instance, first, second string) {
	h.t.Helper()
	before, _, _ := samples(h.t, first)
	after, series, counters := samples(h.t, second)
	app := h.storage.Appender(h.t.Context())
	for key, of := range series {
		b := labels.NewBuilder(of)
		b.Set("instance", instance)
		b.Set("job", "informerd-"+instance)
		for i := range int(span / step) {
			value := after[key]
			if counters[key] {
				value = before[key] + float64(i+1)*(after[key]-before[key])
			}
			at := h.end.Add(-span + time.Duration(i+1)*step)
			if _, err := app.Append(0, b.Labels(), at.UnixMilli(), value); err != nil {
				h.t.Fatalf("%s: %v", key, err)
			}
		}
	}
	if err := app.Commit(); err != nil {
		h.t.Fatal(err)
	}
}

// query evaluates an expression for each step of the last minutes, and returns how many series
// there are at each, at least.
func (h *history) query(expr string, last time.Duration) int {
	h.t.Helper()
	q, err := h.engine.NewRangeQuery(h.t.Context(), h.storage, nil, expr, h.end.Add(-last), h.end,
		step)
	if err != nil {
		h.t.Errorf("%s: %v", expr, err)
		return 0
	}
	defer q.Close()
	matrix, err := q.Exec(h.t.Context()).Matrix()
	if err != nil {
		h.t.Errorf("%s: %v", expr, err)
		return 0
	}
	at := map[int64]int{}
	for _, s := range matrix {
		for _, p := range s.Floats {
			at[p.T]++
		}
	}
	least := len(matrix)
	for t := h.end.Add(-last); !t.After(h.end); t = t.Add(step) {
		least = min(least, at[t.UnixMilli()])
	}
	return least
}

// checkAlerts compares the alerts that fire with those that should, and looks for the series of all
// others.
func (h *history) checkAlerts(all []rulefmt.Rule, want ...string) {
	h.t.Helper()
	var fire []string
	for _, a := range all {
		if h.query(a.Expr, time.Duration(a.For)) > 0 {
			fire = append(fire, a.Alert)
		}
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(a.Expr)
		if err != nil {
			h.t.Fatal(err)
		}
		found := 0
		parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
			if selector, ok := n.(*parser.VectorSelector); ok {
				found++
				if h.query(selector.String(), 0) == 0 {
					h.t.Errorf("%s: there is no series of %s", a.Alert, selector)
				}
			}
			return nil
		})
		if found == 0 {
			h.t.Errorf("%s asks for no series", a.Alert)
		}
	}
	if !slices.Equal(fire, want) {
		h.t.Errorf("these alerts fire: %q\nwant %q", fire, want)
	}
}

// checkDashboard expects each query of the dashboard to have data.
func (h *history) checkDashboard() {
	h.t.Helper()
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(h.t, "deploy/dashboard.json")), &dashboard); err != nil {
		h.t.Fatal(err)
	}
	queries := 0
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			queries++
			expr := strings.NewReplacer("$__rate_interval", "2m", "$listener", ".*").Replace(
				target.Expr)
			if h.query(expr, 0) == 0 {
				h.t.Errorf("%s: %s has no data", p.Title, expr)
			}
		}
	}
	if queries == 0 {
		h.t.Error("the dashboard has no query")
	}
}
