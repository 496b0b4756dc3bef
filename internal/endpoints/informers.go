package endpoints

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/pkg/informer"
)

var informerSeries = []series[scope]{
	gauge(byScope, "informer_objects",
		"Objects in the caches of the informers of this resource and namespace (\"\" for all namespaces); one that two informers hold, for the "+
			"sake of different selectors, counts twice.",
		func(s scope) int { return s.Objects }),
	gauge(byScope, "informer_memory_bytes",
		"About how many bytes the cached objects take, without what they share.",
		func(s scope) int64 { return s.Memory }),
	gauge(byScope, "informer_synced",
		"1 if the first list of each informer of this resource and namespace is in its cache, 0 until then. Worry if it stays at 0: the log says why.",
		func(s scope) int { return oneIf(s.Synced) }),
	gauge(byScope, "informer_failing",
		"Informers of this resource and namespace that cannot list or watch at the moment. Worry if it stays above 0: listeners see nothing "+
			"new. The log says why.",
		func(s scope) int { return s.failing }),
	gauge(byScope, "informer_queued_objects",
		"Objects whose changes have arrived and wait to be put into the cache. Worry if it goes on rising: a listener with overflow block holds "+
			"the informer up, or the machine is too busy.",
		func(s scope) int { return s.Queued }),
	counter(byScope, "informer_lists_total",
		"Lists that the API server answered, first ones included; informerd_informer_relists_total has the others by reason.",
		func(s scope) uint64 { return s.Lists }),
	counter(byScope, "informer_watches_total",
		"Watches that the API server opened. One every few minutes is how it should be.",
		func(s scope) uint64 { return s.Watches }),
	counter(byScope, "informer_bookmarks_total",
		"Signs of life that watches sent without an event, about one each minute.",
		func(s scope) uint64 { return s.Bookmarks }),
	counter(byScope, "informer_events_total",
		"Events that the API server sent.",
		func(s scope) uint64 { return s.Events }),
	counter(byScope, "informer_received_bytes_total",
		"Bytes of lists and watches that the API server sent, as they are when they are not compressed any more.",
		func(s scope) uint64 { return s.Received }),
	{describe("informer_staleness_seconds",
		"For how long nothing has come from the API server, neither an event nor a bookmark nor the beginning of an answer; of several "+
			"informers of this resource and namespace, the one that has heard nothing for longest. A server sends a bookmark about every minute. "+
			"Alert if it exceeds a few minutes: what listeners know may be old.", byScope...),
		prometheus.GaugeValue, func(s scope) float64 { return s.silence.Seconds() }},
	counter(byScope, "informer_skipped_total",
		"What the API server sent that is not an object of this resource and was left out. Worry about any increase.",
		func(s scope) uint64 { return s.Skipped }),
}

// relists is a metric of a scope and a reason.
var relists = describe("informer_relists_total",
	"Lists that were not an informer's first one, by why everything had to be listed again: expired (the API server did not have the version "+
		"any more), unreadable or error (the watch brought something that cannot be read, or an error), refused (the watch was), failures (ten "+
		"watches in a row had failed), version (the resource is read in another version). Changes that came and went meanwhile are passed over. "+
		"Worry if it goes on rising.",
	"resource", "namespace", "reason")

func collectScope(ch chan<- prometheus.Metric, s scope) {
	sendAll(ch, informerSeries, s, s.resource, s.namespace)
	for reason, n := range s.Relists {
		send(ch, relists, prometheus.CounterValue, float64(n), s.resource, s.namespace, reason)
	}
}

// scope is the sum of the informers of one resource and namespace, which differ in their selectors
// and in what they keep of an object. Those are not labels.
type scope struct {
	informer.Status
	resource, namespace string
	failing             int
	silence             time.Duration // of the one that has heard nothing for longest
}

func (c *collector) scopes() map[[2]string]scope {
	sums := map[[2]string]scope{}
	for _, s := range c.Informers() {
		key := [2]string{valid(s.Resource.String()), valid(s.Scope.Namespace)}
		sum, more := sums[key]
		if !more {
			sum = scope{resource: key[0], namespace: key[1],
				Status: informer.Status{Synced: true, Relists: map[string]uint64{}}}
		}
		sum.Synced = sum.Synced && s.Synced
		sum.failing += oneIf(s.Err != nil)
		sum.Objects += s.Objects
		sum.Memory += s.Memory
		sum.Queued += s.Queued
		sum.Lists += s.Lists
		sum.Watches += s.Watches
		sum.Bookmarks += s.Bookmarks
		sum.Events += s.Events
		sum.Received += s.Received
		sum.Skipped += s.Skipped
		for reason, n := range s.Relists {
			sum.Relists[reason] += n
		}
		if !s.Heard.IsZero() {
			sum.silence = max(sum.silence, time.Since(s.Heard))
		}
		sums[key] = sum
	}
	return sums
}
