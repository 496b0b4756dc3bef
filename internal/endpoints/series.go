package endpoints

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// metric is one metric and its value.
type metric struct {
	kind       prometheus.ValueType
	name, help string
	value      float64
}

func counter(name, help string, value uint64) metric {
	return metric{prometheus.CounterValue, name, help, float64(value)}
}

func gauge[N int | int64 | float64](name, help string, value N) metric {
	return metric{prometheus.GaugeValue, name, help, float64(value)}
}

// ageOf returns how long ago something was, in seconds; 0 if that is unknown.
func ageOf(at event.Instant) float64 {
	if at == 0 {
		return 0
	}
	return max(0, time.Duration(event.Now()-at).Seconds())
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

var byListener = []string{"listener"}

// outputMetrics: of what came of events for an output, offered is the sum of delivered, dead letters,
// dropped, merged and waiting. The events that matched are those that were offered to the output or
// that it does not want, those that the handler refused, and those of its reasons in earlyMetrics.
func outputMetrics(s *route.OutputStats) []metric {
	return []metric{
		counter("output_events_offered_total",
			"Events of which something was to be sent to the output.", s.Offered),
		counter("output_events_unwanted_total",
			"Events of which the output wants nothing, as its when says.", s.Unwanted),
		gauge("output_events_waiting",
			"Events that wait for the output.", int64(s.Waiting)),
		counter("output_events_delivered_total",
			"Events that were delivered.", s.Delivered),
		counter("output_events_dead_letters_total",
			"Events of which something became a dead letter.", s.DeadLettered),
		counter("output_events_dropped_total",
			"Events that were dropped because the queue was full (overflow drop).", s.Dropped),
		counter("output_events_merged_total",
			"Events that were merged into a later one because the queue was full.", s.Merged),
		gauge("output_queue_length",
			"Events and reports of rules that wait for the output.", s.Queued),
		gauge("output_oldest_seconds",
			"Age of the oldest event or report in the queue.", ageOf(s.Oldest)),
		gauge("output_waiting_bytes",
			"Size of the messages that wait for the output.", s.Made),
		counter("output_retries_total",
			"Events and reports that are tried again because the output failed.", s.Retried),
		counter("output_letters_total",
			"Dead letters of messages to the output.", s.Letters),
		gauge("output_paused",
			"1 while the output is paused because it keeps failing.", oneIf(!s.Paused.IsZero())),
		counter("output_pauses_total",
			"Pauses of the output, for all listeners that use it.", s.Pauses),
	}
}

func routeMetrics(s *route.Stats) []metric {
	return []metric{
		counter("events_unselected_total",
			"Events of objects that select does not choose.", s.Unselected),
		counter("events_filtered_total",
			"Events that the filter refused.", s.Filtered),
		counter("events_own_total",
			"Updates that the patches of the listener made, and which it does not get.", s.Own),
		counter("filter_errors_total",
			"Evaluations of filter or select that failed.", s.FilterErrors),
		counter("events_matched_total",
			"Events that passed select and filter, tries after a failure included.", s.Matched),
		counter("messages_written_total",
			"Messages that outputs accepted, removed outputs included.", s.Written),
	}
}

// handlerMetrics are of listeners that have a handler, or had one.
func handlerMetrics(s *route.Stats) []metric {
	return []metric{
		counter("handler_calls_total",
			"Calls of the handler.", s.HandlerCalls),
		counter("handler_fuel_total",
			"Units of fuel that the handler used.", s.Handler.Fuel),
		gauge("handler_memory_bytes",
			"Memory of the instances of the handler.", s.Handler.Memory),
		gauge("handler_paused",
			"1 while the listener is paused because its handler keeps crashing.",
			oneIf(!s.Paused.IsZero())),
		counter("handler_pauses_total",
			"Pauses of the listener because its handler kept crashing.", s.HandlerPauses),
		counter("handler_events_refused_total",
			"Events that the handler dropped.", s.Dropped),
		counter("handler_events_emitted_total",
			"Events that the handler emitted.", s.Emitted),
		counter("handler_emissions_refused_total",
			"Events and data that the handler emitted and that were not accepted.",
			s.EmissionsRefused),
	}
}

// earlyMetrics are of events that did not come to the outputs.
func earlyMetrics(s *route.EarlyStats) []metric {
	return []metric{
		counter("events_retried_total",
			"Events that are tried again because the filter or the handler failed, by reason.",
			s.Retried),
		counter("dead_letters_total",
			"Events that became dead letters before they came to outputs, by reason.",
			s.DeadLetters),
	}
}

func ruleMetrics(s *route.Stats) []metric {
	return []metric{
		counter("rule_errors_total",
			"Evaluations of rules that failed.", s.RuleErrors),
		counter("violations_reported_total",
			"Violations that were reported, repeated reports included.", s.Violated),
		counter("resolutions_reported_total",
			"Resolutions of violations that were reported.", s.Resolved),
	}
}

func bufferMetrics(s informer.SubscriptionStats) []metric {
	return []metric{
		counter("events_refused_total",
			"Events that were refused before the buffer, by ops or by conditions of expressions.",
			s.Refused),
		counter("events_coalesced_total",
			"Events that were merged into a later one because the buffer was full.", s.Coalesced),
		counter("events_dropped_total",
			"Events that were dropped because the buffer was full (overflow drop).", s.Dropped),
		counter("events_spilled_total",
			"Events that were written to the spill file.", s.Spilled),
		counter("events_blocked_total",
			"Events that an informer waited with because the buffer was full (overflow block).",
			s.Blocked),
		counter("events_discarded_total",
			"Events that were given up because the listener was removed or failed.", s.Discarded),
		gauge("buffer_events",
			"Events in the buffer of the listener.", s.Held),
		gauge("buffer_oldest_seconds",
			"Age of the oldest event in the buffer, or being worked on.", ageOf(s.Oldest)),
		gauge("buffer_backlog_objects",
			"Objects of the first list that the listener has not received yet.", s.Backlog),
		counter("resyncs_skipped_total",
			"Resyncs that were skipped because the previous one was not over.", s.ResyncsSkipped),
		counter("internal_errors_total",
			"Defects of informerd that it noticed and survived. Please report them.", s.Mistakes),
		gauge("spill_events",
			"Events in the spill file.", s.OnDisk),
		gauge("spill_failed",
			"1 if the spill file was given up.", oneIf(s.SpillError != nil)),
	}
}
