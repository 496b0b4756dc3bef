package endpoints

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/internal/histogram"
	"github.com/informerd/informerd/internal/kube"
)

// These are of the requests that client-go sends.
var (
	requests = describe("kube_requests_total",
		"Requests to the API server that were answered, by method and code, \"error\" without an answer; lists and watches count when they begin. "+
			"Worry about codes from 400 on that go on rising: 403 is a missing right, 429 a busy server.",
		"method", "code")
	requestRetries = describe("kube_request_retries_total",
		"Requests to the API server that client-go sent again, by method and the code before.", "method", "code")
	requestTime = describe("kube_request_duration_seconds",
		"How long requests to the API server took. Lists and watches are not in it: they take as long as there is something to read.", "method")
)

func collectRequests(ch chan<- prometheus.Metric, sent kube.Requests) {
	for result, n := range sent.Results {
		send(ch, requests, prometheus.CounterValue, float64(n), result.Method, result.Code)
	}
	for result, n := range sent.Retries {
		send(ch, requestRetries, prometheus.CounterValue, float64(n), result.Method, result.Code)
	}
	for method, took := range sent.Took {
		sendHistogram(ch, requestTime, took, method)
	}
}

// sendHistogram sends a histogram, unless there is none.
func sendHistogram(ch chan<- prometheus.Metric, desc *prometheus.Desc, s histogram.Snapshot,
	labels ...string) {
	if s.Counts == nil {
		return
	}
	buckets := make(map[float64]uint64, len(s.Bounds))
	for i, bound := range s.Bounds {
		buckets[bound.Seconds()] = s.Counts[i]
	}
	for i := range labels {
		labels[i] = valid(labels[i])
	}
	ch <- prometheus.MustNewConstHistogram(desc, s.Count(), s.Sum.Seconds(), buckets, labels...)
}
