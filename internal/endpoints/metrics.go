package endpoints

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	// maxNamespaces is how many namespaces of a rule have their own series.
	maxNamespaces = 1_000
	// others is the label of the namespaces beyond that; no namespace can have this name.
	others = "(others)"
)

// metrics serves /metrics from its own registry. It does not use promhttp, which adds compression,
// useless within one machine, and errors in another form than this server's.
func (s *Server) metrics(log *slog.Logger) http.HandlerFunc {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&collector{Server: s, log: log})
	return func(w http.ResponseWriter, _ *http.Request) {
		families, err := registry.Gather()
		if err != nil {
			// An incomplete answer would be taken for all metrics.
			log.Error("metrics cannot be read", "error", err)
			fail(w, http.StatusInternalServerError,
				"the metrics cannot be read: informerd's log has the error")
			return
		}
		format := expfmt.NewFormat(expfmt.TypeTextPlain)
		w.Header().Set("Content-Type", string(format))
		out := expfmt.NewEncoder(w, format)
		for _, family := range families {
			if out.Encode(family) != nil {
				panic(http.ErrAbortHandler) // the client has gone
			}
		}
	}
}

// collector reads the listeners and informers with each request.
type collector struct {
	*Server
	log    *slog.Logger
	floors floors
}

// Describe sends the registry the metrics that there are, so that it notices others.
func (c *collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{buildInfo, clusterInfo, reloaded, reloadTime, leads,
		stalls,
		reloads, events, ruleViolations,
		listenerViolations, relists, handlerTime, handlerCrashes, attempts, lag, requests,
		requestRetries, requestTime} {
		ch <- d
	}
	describeAll(ch, routeSeries)
	describeAll(ch, handlerSeries)
	describeAll(ch, earlySeries)
	describeAll(ch, outputSeries)
	describeAll(ch, ruleSeries)
	describeAll(ch, bufferSeries)
	describeAll(ch, informerSeries)
	describeAll(ch, hostSeries)
	describeAll(ch, storeSeries)
	describeAll(ch, letterSeries)
	describeAll(ch, patchSeries)
	describeAll(ch, checkpointSeries)
}

func describeAll[S any](ch chan<- *prometheus.Desc, all []series[S]) {
	for _, s := range all {
		ch <- s.desc
	}
}

// Collect runs on a goroutine of the registry, where a panic would end the process.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	defer func() {
		if reason := recover(); reason != nil {
			c.log.Error("reading the metrics panicked", "panic",
				fmt.Sprintf("%+q", fmt.Sprint(reason)), "stack", string(debug.Stack()))
			ch <- prometheus.NewInvalidMetric(buildInfo, errors.New("reading them panicked"))
		}
	}()
	send(ch, buildInfo, prometheus.GaugeValue, 1, cmp.Or(c.Version, "unknown"))
	send(ch, clusterInfo, prometheus.GaugeValue, 1, c.Cluster)
	if c.Reload != nil {
		last, successful := c.Reload(), 0.0
		if last.Successful {
			successful = 1
		}
		send(ch, reloaded, prometheus.GaugeValue, successful)
		if !last.Last.IsZero() {
			send(ch, reloadTime, prometheus.GaugeValue, float64(last.Last.UnixMilli())/1000)
		}
		send(ch, reloads, prometheus.CounterValue, float64(last.Successes), "success")
		send(ch, reloads, prometheus.CounterValue, float64(last.Failures), "failure")
	}
	if c.Stalled != nil {
		collectStalls(ch, c.Stalled())
	}
	if c.Leads != nil {
		value := 0.0
		if c.Leads() {
			value = 1
		}
		send(ch, leads, prometheus.GaugeValue, value)
	}
	if c.Handlers != nil {
		sendAll(ch, hostSeries, c.Handlers())
	}
	if c.Requests != nil {
		collectRequests(ch, c.Requests())
	}
	if c.Letters != nil {
		collectLetters(ch, c.Letters())
	}
	if c.Patches != nil {
		collectPatches(ch, c.Patches())
	}
	if c.Checkpoint != nil {
		sendAll(ch, checkpointSeries, c.Checkpoint())
	}
	for _, l := range c.listeners() {
		collectListener(ch, l)
	}
	if c.Informers != nil {
		for _, s := range c.floors.raise(c.scopes) {
			collectScope(ch, s)
		}
	}
}

func collectListener(ch chan<- prometheus.Metric, l Listener) {
	if l.Route != nil {
		stats := l.Route()
		for _, op := range event.Ops {
			send(ch, events, prometheus.CounterValue, float64(stats.Events[op]), l.Name,
				op.String())
		}
		sendAll(ch, routeSeries, stats, l.Name)
		if stats.Handler != nil {
			sendAll(ch, handlerSeries, stats, l.Name)
			sendHistogram(ch, handlerTime, stats.Handler.Took, l.Name)
			for reason, n := range stats.Handler.Crashes {
				send(ch, handlerCrashes, prometheus.CounterValue, float64(n), l.Name,
					string(reason))
			}
		}
		for _, early := range stats.Early {
			sendAll(ch, earlySeries, early, l.Name, early.Reason)
		}
		for _, out := range stats.Outputs {
			sendAll(ch, outputSeries, out, l.Name, out.Output)
			sendHistogram(ch, lag, out.Lag, l.Name, out.Output)
			send(ch, attempts, prometheus.CounterValue, float64(out.Written), l.Name, out.Output,
				"taken")
			send(ch, attempts, prometheus.CounterValue, float64(out.Failed), l.Name, out.Output,
				"failed")
			send(ch, attempts, prometheus.CounterValue, float64(out.Refused), l.Name, out.Output,
				"refused")
		}
		if l.Counts != nil {
			sendAll(ch, ruleSeries, stats, l.Name)
		}
	}
	if l.Buffer != nil {
		sendAll(ch, bufferSeries, l.Buffer(), l.Name)
	}
	if l.Counts != nil {
		total := 0
		for count, n := range bounded(l.Counts()) {
			send(ch, ruleViolations, prometheus.GaugeValue, float64(n), l.Name, count.Rule,
				count.Severity, count.Namespace)
			total += n
		}
		send(ch, listenerViolations, prometheus.GaugeValue, float64(total), l.Name)
	}
}

func sendAll[S any](ch chan<- prometheus.Metric, all []series[S], state S, labels ...string) {
	for _, s := range all {
		send(ch, s.desc, s.kind, s.value(state), labels...)
	}
}

func send(ch chan<- prometheus.Metric, desc *prometheus.Desc, kind prometheus.ValueType,
	value float64, labels ...string) {
	for i := range labels {
		labels[i] = valid(labels[i])
	}
	ch <- prometheus.MustNewConstMetric(desc, kind, value, labels...)
}

// valid returns a text with which a label can be set.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// bounded returns the counts that become series: those above 0, of a bounded number of namespaces
// for each rule.
func bounded(counts map[Count]int) map[Count]int {
	type rule struct{ name, severity string }
	namespaces := map[rule][]string{}
	out := map[Count]int{}
	for c, n := range counts {
		if n <= 0 {
			continue
		}
		c = Count{Rule: valid(c.Rule), Severity: valid(c.Severity), Namespace: valid(c.Namespace)}
		if out[c] == 0 {
			r := rule{c.Rule, c.Severity}
			namespaces[r] = append(namespaces[r], c.Namespace)
		}
		out[c] += n
	}
	for r, names := range namespaces {
		if len(names) <= maxNamespaces {
			continue
		}
		// By name and not by number: series that come and go with each scrape are expensive.
		slices.Sort(names)
		for _, ns := range names[maxNamespaces:] {
			beyond := Count{Rule: r.name, Severity: r.severity, Namespace: ns}
			out[Count{Rule: r.name, Severity: r.severity, Namespace: others}] += out[beyond]
			delete(out, beyond)
		}
	}
	return out
}
