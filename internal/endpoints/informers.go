package endpoints

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/pkg/informer"
)

func scopeMetrics(s *scope) []metric {
	return []metric{
		gauge("informer_objects",
			"Objects in the caches.", s.Objects),
		gauge("informer_memory_bytes",
			"Approximate memory of the cached objects.", s.Memory),
		gauge("informer_synced",
			"1 if the first lists are complete.", oneIf(s.Synced)),
		gauge("informer_failing",
			"Informers that cannot list or watch at present.", s.failing),
		counter("informer_lists_total",
			"Lists that the API server answered.", s.Lists),
		counter("informer_events_total",
			"Events that the API server sent.", s.Events),
		counter("informer_received_bytes_total",
			"Bytes of lists and watches, uncompressed.", s.Received),
		gauge("informer_staleness_seconds",
			"Time since the API server has sent anything.", s.silence.Seconds()),
		counter("informer_foreign_total",
			"Objects of other shards that were dropped, as the API server did not.", s.Foreign),
		counter("informer_skipped_total",
			"Malformed objects from the API server that were skipped.", s.Skipped),
	}
}

func (c *collector) collectScope(ch chan<- prometheus.Metric, s *scope) {
	labels, values := []string{"resource", "namespace", "cluster"}, s.key[:]
	if c.Clusters == nil {
		labels, values = labels[:2], values[:2]
	}
	c.send(ch, labels, scopeMetrics(s), values...)
	for reason, n := range s.Relists {
		c.send(ch, slices.Concat(labels, []string{"reason"}), []metric{
			counter("informer_relists_total", "Lists after the first one, by reason: "+
				"expired, unreadable, error, refused, failures, version or rewound.", n),
		}, slices.Concat(values, []string{reason})...)
	}
}

// scope is the sum of the informers of one resource, namespace and cluster, which differ in their
// selectors and in what they keep of an object. Those are not labels.
type scope struct {
	informer.Status
	key     scopeKey
	failing int
	silence time.Duration // of the one that has heard nothing for longest
}

// scopeKey is a resource, a namespace and a cluster, "" if there is only one.
type scopeKey [3]string

func (c *collector) scopes() map[scopeKey]scope {
	sums := map[scopeKey]scope{}
	for _, s := range c.Informers() {
		key := scopeKey{valid(s.Resource.String()), valid(s.Scope.Namespace), valid(s.Cluster)}
		sum, more := sums[key]
		if !more {
			sum = scope{key: key,
				Status: informer.Status{Synced: true, Relists: map[string]uint64{}}}
		}
		sum.Synced = sum.Synced && s.Synced
		sum.failing += oneIf(s.Err != nil)
		sum.Objects += s.Objects
		sum.Memory += s.Memory
		sum.Lists += s.Lists
		sum.Events += s.Events
		sum.Received += s.Received
		sum.Skipped += s.Skipped
		sum.Foreign += s.Foreign
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
