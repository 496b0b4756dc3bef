package endpoints

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/filters/rules"
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
	log       *slog.Logger
	floors    floors
	described sync.Map // *prometheus.Desc by name: to make one takes longer than all the rest
}

// Describe sends nothing: which metrics there are is known when they are collected.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect runs on a goroutine of the registry, where a panic would end the process.
func (c *collector) Collect(ch chan<- prometheus.Metric) {
	defer func() {
		if reason := recover(); reason != nil {
			c.log.Error("reading the metrics panicked", "panic",
				fmt.Sprintf("%+q", fmt.Sprint(reason)), "stack", string(debug.Stack()))
			ch <- prometheus.NewInvalidMetric(
				prometheus.NewInvalidDesc(errors.New("reading them panicked")),
				errors.New("reading them panicked"))
		}
	}()
	c.send(ch, []string{"version"}, []metric{gauge("build_info",
		"The version of informerd. Always 1.", 1)}, cmp.Or(c.Version, "unknown"))
	c.send(ch, []string{"cluster"}, []metric{gauge("cluster_info",
		"The configured name of the cluster. Always 1.", 1)}, c.Cluster)
	if c.Reload != nil {
		c.collectReload(ch, c.Reload())
	}
	if c.Stalled != nil {
		all, _ := c.stalled()
		c.collectStalls(ch, all)
	}
	if c.Leads != nil {
		c.send(ch, nil, []metric{gauge("leader",
			"1 if this replica leads. Absent without leaderElection.", oneIf(c.Leads()))})
	}
	if c.Shards != nil {
		c.collectShards(ch, c.Shards())
	}
	clusters := c.clusters()
	if c.Clusters != nil {
		c.collectClusters(ch, clusters)
	}
	if c.Instances != nil {
		c.send(ch, nil, []metric{gauge("handler_instances",
			"Running instances of handlers.", c.Instances())})
	}
	if c.Requests != nil {
		for result, n := range c.Requests() {
			c.send(ch, []string{"method", "code"}, []metric{counter("kube_requests_total",
				"Requests to the API server, by method and code.", n)}, result.Method, result.Code)
		}
	}
	if c.Letters != nil {
		c.collectLetters(ch, c.Letters())
	}
	if c.Patches != nil {
		patches := c.Patches()
		c.send(ch, nil, []metric{
			counter("patches_changed_total",
				"Patches that changed an object.", patches.Changed),
			counter("patch_pauses_total",
				"Pauses of patches of an object that were patched too often.", patches.Pauses),
		})
	}
	if c.Checkpoint != nil {
		c.send(ch, nil, checkpointMetrics(c.Checkpoint()))
	}
	for _, l := range c.listeners() {
		c.collectListener(ch, l)
	}
	if c.Informers != nil {
		for _, s := range c.floors.raise(c.scopes, clusters) {
			c.collectScope(ch, &s)
		}
	}
}

func (c *collector) collectReload(ch chan<- prometheus.Metric, last status.Reload) {
	c.send(ch, nil, []metric{gauge("config_last_reload_successful",
		"1 if the last reload was successful, or there was none.", oneIf(last.Successful))})
	for result, n := range map[string]uint64{"success": last.Successes, "failure": last.Failures} {
		c.send(ch, []string{"result"}, []metric{counter("config_reloads_total",
			"Reloads of the configuration, by result: success or failure.", n)}, result)
	}
}

func (c *collector) collectListener(ch chan<- prometheus.Metric, l Listener) {
	if l.Route != nil {
		stats := l.Route()
		c.collectRoute(ch, &l, &stats)
		if l.Counts != nil {
			c.send(ch, c.labels(), ruleMetrics(&stats), c.values(&l)...)
		}
	}
	if l.Buffer != nil {
		c.send(ch, c.labels(), bufferMetrics(l.Buffer()), c.values(&l)...)
	}
	if l.Counts != nil {
		total := 0
		for count, n := range bounded(l.Counts()) {
			c.send(ch, c.labels("rule", "severity", "namespace"),
				[]metric{gauge("rule_violations",
					"Open violations by rule, severity and namespace; no series without one.", n)},
				c.values(&l, count.Rule, count.Severity, count.Namespace)...)
			total += n
		}
		c.send(ch, c.labels(), []metric{gauge("listener_violations",
			"Open violations of all rules of the listener.", total)}, c.values(&l)...)
	}
}

func (c *collector) collectRoute(ch chan<- prometheus.Metric, l *Listener, stats *route.Stats) {
	for _, op := range event.Ops {
		c.send(ch, c.labels("op"), []metric{counter("events_total",
			"Events that the listener took from its buffer, by operation.", stats.Events[op])},
			c.values(l, op.String())...)
	}
	c.send(ch, c.labels(), routeMetrics(stats), c.values(l)...)
	if stats.Handler != nil {
		c.send(ch, c.labels(), handlerMetrics(stats), c.values(l)...)
		c.sendHistogram(ch, "handler_duration_seconds", "Duration of calls of the handler.",
			c.labels(), stats.Handler.Took, c.values(l)...)
		for reason, n := range stats.Handler.Crashes {
			c.send(ch, c.labels("reason"), []metric{counter("handler_crashes_total",
				"Calls of the handler that failed, by reason.", n)}, c.values(l, string(reason))...)
		}
	}
	for _, early := range stats.Early {
		c.send(ch, c.labels("reason"), earlyMetrics(&early), c.values(l, early.Reason)...)
	}
	for _, out := range stats.Outputs {
		c.send(ch, c.labels("output"), outputMetrics(&out), c.values(l, out.Output)...)
		c.sendHistogram(ch, "output_lag_seconds",
			"Time from the arrival of an event until it was delivered.", c.labels("output"), out.Lag,
			c.values(l, out.Output)...)
		for outcome, n := range map[string]uint64{"taken": out.Written, "failed": out.Failed,
			"refused": out.Refused, "moot": out.Moot} {
			c.send(ch, c.labels("output", "outcome"),
				[]metric{counter("output_attempts_total", "Messages that were sent, by outcome: "+
					"taken, failed (tried again), refused (dead letter) or moot (about what is going).", n)},
				c.values(l, out.Output, outcome)...)
		}
	}
}

// labels returns those of a listener, with more.
func (c *collector) labels(more ...string) []string {
	if c.Clusters != nil {
		more = slices.Insert(more, 0, "cluster")
	}
	if c.Shards != nil {
		more = slices.Insert(more, 0, "shard")
	}
	return slices.Insert(more, 0, "listener")
}

// values returns those of the labels of a listener, with more.
func (c *collector) values(l *Listener, more ...string) []string {
	if c.Clusters != nil {
		more = slices.Insert(more, 0, l.Cluster)
	}
	if c.Shards != nil {
		more = slices.Insert(more, 0, l.Shard)
	}
	return slices.Insert(more, 0, l.Name)
}

// collectShards sends which shards this replica has.
func (c *collector) collectShards(ch chan<- prometheus.Metric, s status.Sharding) {
	c.send(ch, nil, []metric{
		gauge("replicas", "Replicas that take part, as this one sees them. Absent without sharding.", s.Replicas),
		gauge("shards", "Shards into which objects are divided. Absent without sharding.", len(s.Shards)),
	})
	for _, one := range s.Shards {
		shard := strconv.Itoa(one.Shard)
		c.send(ch, []string{"shard"}, []metric{
			gauge("shard_epoch", "How often the shard has changed hands.", one.Epoch),
			gauge("shard_held", "1 if this replica has the shard.", oneIf(one.Own)),
			gauge("shard_owned", "1 if a replica has the shard, as this one sees it.", oneIf(one.Owned)),
		}, shard)
	}
}

// describe returns the description of a metric.
func (c *collector) describe(name, help string, labels []string) *prometheus.Desc {
	d, known := c.described.Load(name)
	if !known {
		d, _ = c.described.LoadOrStore(name,
			prometheus.NewDesc("informerd_"+name, help, labels, nil))
	}
	return d.(*prometheus.Desc)
}

// send sends metrics with the same labels.
func (c *collector) send(ch chan<- prometheus.Metric, labels []string, all []metric,
	values ...string) {
	for i := range values {
		values[i] = valid(values[i])
	}
	for _, m := range all {
		ch <- prometheus.MustNewConstMetric(c.describe(m.name, m.help, labels), m.kind, m.value,
			values...)
	}
}

// sendHistogram sends a histogram, unless there is none.
func (c *collector) sendHistogram(ch chan<- prometheus.Metric, name, help string,
	labels []string, s tracing.Snapshot, values ...string) {
	if s.Counts == nil {
		return
	}
	buckets := make(map[float64]uint64, len(s.Bounds))
	for i, bound := range s.Bounds {
		buckets[bound.Seconds()] = s.Counts[i]
	}
	for i := range values {
		values[i] = valid(values[i])
	}
	ch <- prometheus.MustNewConstHistogram(c.describe(name, help, labels), s.Count(),
		s.Sum.Seconds(), buckets, values...)
}

// valid returns a text with which a label can be set.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// bounded returns the counts that become series: those above 0, of a bounded number of namespaces
// for each rule.
func bounded(counts map[rules.Count]int) map[rules.Count]int {
	type rule struct{ name, severity string }
	namespaces := map[rule][]string{}
	out := map[rules.Count]int{}
	for c, n := range counts {
		if n <= 0 {
			continue
		}
		c = rules.Count{Rule: valid(c.Rule), Severity: valid(c.Severity), Namespace: valid(c.Namespace)}
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
			beyond := rules.Count{Rule: r.name, Severity: r.severity, Namespace: ns}
			out[rules.Count{Rule: r.name, Severity: r.severity, Namespace: others}] += out[beyond]
			delete(out, beyond)
		}
	}
	return out
}
