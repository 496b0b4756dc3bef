package endpoints

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

// series is one metric of something whose state is an S.
type series[S any] struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(S) float64
}

func counter[S any](labels []string, name, help string, value func(S) uint64) series[S] {
	return series[S]{describe(name, help, labels...), prometheus.CounterValue, func(s S) float64 {
		return float64(value(s))
	}}
}

func gauge[S any, N int | int64](labels []string, name, help string, value func(S) N) series[S] {
	return series[S]{describe(name, help, labels...), prometheus.GaugeValue, func(s S) float64 {
		return float64(value(s))
	}}
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("informerd_"+name, help, labels, nil)
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

var (
	byListener = []string{"listener"}
	byReason   = []string{"listener", "reason"}
	byOutput   = []string{"listener", "output"}
	byScope    = []string{"resource", "namespace"}
)

// These metrics have their own labels or come from elsewhere.
var (
	buildInfo = describe("build_info", "The version of informerd that runs. Always 1.", "version")
	reloaded  = describe("config_last_reload_successful",
		"1 if the last reload of the configuration was successful, or there was none, else 0.")
	reloads = describe("config_reloads_total",
		"Reloads of the configuration, by result: success or failure. One that failed has changed nothing: the log has the mistakes.", "result")
	reloadTime = describe("config_last_reload_success_timestamp_seconds",
		"When the configuration was last loaded or reloaded successfully.")
	leads = describe("leader",
		"1 if this replica works, 0 if it stands by. Absent without leaderElection. Alert if the sum over all replicas is not 1 for longer than two leaseDurations.")
	clusterInfo = describe("cluster_info",
		"The name that the cluster has in the configuration. Always 1.", "cluster")

	events = describe("events_total",
		"Events that the listener took from its buffer, by operation; retries are not counted again. One that stays at 0 for a busy "+
			"resource gets nothing: see informerd_informer_failing, informerd_informer_synced and informerd_events_refused_total.",
		"listener", "op")
	handlerTime = describe("handler_duration_seconds",
		"How long calls of the listener's handler took; one that takes several events at once has one call for them. Alert if the 99th percentile "+
			"comes near the handler's deadline.",
		"listener")
	handlerCrashes = describe("handler_crashes_total",
		"Calls of the handler that failed, by reason: trap, deadline, fuel, memory, exit, protocol (an output that cannot be used), refused (its "+
			"configuration) or other. The event is tried again; worry if it goes on rising.",
		"listener", "reason")
	attempts = describe("output_attempts_total",
		"Messages that were sent to the output, by outcome: taken, failed (tried again) or refused (a dead letter). Alert if most fail.",
		"listener", "output", "outcome")
	lag = describe("output_lag_seconds",
		"How long it took from the arrival of an event until the output had taken everything of it: the time in the listener's buffer, in filters "+
			"and handlers, in the output's queue, and all retries. Of events that were merged, the first one counts. What rules report of an event "+
			"counts as well, and what they report because of the time (for, repeat) from when it was due. Events of lists, resyncs and replays, "+
			"what rules report of them, and all from before a restart, are left out.",
		"listener", "output")
	ruleViolations = describe("rule_violations",
		"Objects that violate a rule now, by the rule's severity and the object's namespace, \"\" for objects without one. A rule and namespace "+
			"without a violation has no series; beyond 1,000 namespaces of a rule the others are added up as \"(others)\". Alert on > 0.",
		"listener", "rule", "severity", "namespace")
	listenerViolations = describe("listener_violations",
		"Open violations of all rules of the listener. Each listener with rules has this series, at 0 if nothing is violated: if it is absent, "+
			"nobody looks.",
		"listener")
)

// Of what came of events for an output, offered is the sum of delivered, dead letters, dropped,
// merged and waiting. The events that matched are those that were offered to the output or that it
// does not want, those that the handler refused, and those of its reasons in earlySeries.
var outputSeries = []series[route.OutputStats]{
	counter(byOutput, "output_events_offered_total",
		"Events of which something was to be sent to the output, replayed dead letters included. Each ends delivered, as a dead letter, dropped or "+
			"merged, or is waiting.",
		func(s route.OutputStats) uint64 { return s.Offered }),
	counter(byOutput, "output_events_unwanted_total",
		"Events of which the output wants nothing, as its when says. No reason to worry.",
		func(s route.OutputStats) uint64 { return s.Unwanted }),
	counter(byOutput, "output_events_delivered_total",
		"Events of which the output took everything. What rules report is no event, see output_reports_delivered_total.",
		func(s route.OutputStats) uint64 { return s.Delivered }),
	counter(byOutput, "output_events_dead_letters_total",
		"Events of which something is a dead letter: the output refused it, or retry.giveUpAfter was over. Alert on any increase, and see informerd dlq ls.",
		func(s route.OutputStats) uint64 { return s.DeadLettered }),
	counter(byOutput, "output_events_dropped_total",
		"Events dropped because too many were waiting for the output, with overflow drop.",
		func(s route.OutputStats) uint64 { return s.Dropped }),
	counter(byOutput, "output_events_merged_total",
		"Events merged into a later one of their object because too many were waiting for the output. Their last state is sent.",
		func(s route.OutputStats) uint64 { return s.Merged }),
	gauge(byOutput, "output_events_waiting",
		"Events that wait for the output. Worry if it goes on rising: the log has the error.",
		func(s route.OutputStats) int64 { return int64(s.Waiting) }),
	gauge(byOutput, "output_queue_length",
		"What waits for the output: events, and reports of rules. Worry if it goes on rising.",
		func(s route.OutputStats) int { return s.Queued }),
	{describe("output_oldest_seconds",
		"For how long the oldest of what waits for the output has waited, events and reports of rules: from its arrival on, or as \"How late an "+
			"output is\" in docs/metrics.md says; 0 if nothing waits. Alert if it exceeds what your receivers accept: the log has the error.",
		byOutput...),
		prometheus.GaugeValue, func(s route.OutputStats) float64 { return ageOf(s.Oldest) }},
	gauge(byOutput, "output_waiting_bytes",
		"Bytes that handlers and expressions made and that wait for the output. At 64 MiB the listener waits.",
		func(s route.OutputStats) int64 { return s.Made }),
	counter(byOutput, "output_messages_total",
		"Messages that the output took; an event may be several, or a rule's report.",
		func(s route.OutputStats) uint64 { return s.Written }),
	counter(byOutput, "output_reports_delivered_total",
		"Reports of rules, of violations and of their ends, that the output took.",
		func(s route.OutputStats) uint64 { return s.Reports }),
	counter(byOutput, "output_retries_total",
		"Times that something was put back because the output failed. Worry if it goes on rising: the log has the error.",
		func(s route.OutputStats) uint64 { return s.Retried }),
	counter(byOutput, "output_letters_total",
		"Dead letters of messages for the output, reports of rules included.",
		func(s route.OutputStats) uint64 { return s.Letters }),
	gauge(byOutput, "output_paused",
		"1 while nobody tries the output because it keeps failing, 0 else. Messages wait. Alert on 1 for some minutes: the log has the error.",
		func(s route.OutputStats) int { return oneIf(!s.Paused.IsZero()) }),
	counter(byOutput, "output_pauses_total",
		"Times that the output was paused, for all listeners that use it, because it kept failing or asked for it.",
		func(s route.OutputStats) uint64 { return s.Pauses }),
}

var routeSeries = []series[route.Stats]{
	counter(byListener, "events_unselected_total",
		"Events of objects that the listener's select does not choose. No reason to worry.",
		func(s route.Stats) uint64 { return s.Unselected }),
	counter(byListener, "events_filtered_total",
		"Events that the listener's filter refused. No reason to worry; if they are nearly all events of a busy resource, a selector of the "+
			"informer would spare the work.",
		func(s route.Stats) uint64 { return s.Filtered }),
	counter(byListener, "events_own_total",
		"Updates that the listener did not get because its own patches made them. No reason to worry.",
		func(s route.Stats) uint64 { return s.Own }),
	counter(byListener, "filter_errors_total",
		"Times that the listener's filter or select failed, so that there was no answer. Any increase is a mistake in the expression: "+
			"the log has its place. On a failing filter the event is given up; a failing select leaves the object selected or not as it was.",
		func(s route.Stats) uint64 { return s.FilterErrors }),
	counter(byListener, "events_matched_total",
		"Events that passed the listener's select and filter: they are for its handler and outputs. One whose handler failed passes again "+
			"when it is tried again.",
		func(s route.Stats) uint64 { return s.Matched }),
	gauge(byListener, "remembered_objects",
		"Objects of which the listener remembers whether its select chooses them, which takes about 100 bytes each: those selected if the "+
			"select looks at the clock or at other objects, those for which it failed, and all if a reload has changed the select.",
		func(s route.Stats) int { return s.Members }),
	counter(byListener, "messages_written_total",
		"Messages that outputs took, counted once for each output, those removed since included.",
		func(s route.Stats) uint64 { return s.Written }),
	gauge(byListener, "removed_outputs_queue_length",
		"What waits to become dead letters because a reload removed its output. Worry if it does not return to 0: the store of dead letters is "+
			"full or cannot be written.",
		func(s route.Stats) int { return s.Leaving }),
}

// handlerSeries are of listeners that have a handler, or had one.
var handlerSeries = []series[route.Stats]{
	counter(byListener, "handler_calls_total",
		"Calls of the listener's handler; one that takes several events at once has one call for them.",
		func(s route.Stats) uint64 { return s.HandlerCalls }),
	counter(byListener, "handler_fuel_total",
		"Units of fuel that calls of the handler used: one for each instruction, and more for those that work on large ranges.",
		func(s route.Stats) uint64 { return s.Handler.Fuel }),
	gauge(byListener, "handler_memory_bytes",
		"Bytes that the instances of the listener's handler have after their last calls, in their memories and the grown stacks of their calls.",
		func(s route.Stats) int64 { return s.Handler.Memory }),
	gauge(byListener, "handler_paused",
		"1 while the listener takes no events because its handler keeps crashing, 0 else. Events wait in its buffer. Alert on 1: /healthz and the "+
			"log have the last crash.",
		func(s route.Stats) int { return oneIf(!s.Paused.IsZero()) }),
	counter(byListener, "handler_pauses_total",
		"Times that the listener paused because its handler kept crashing. Worry about any increase.",
		func(s route.Stats) uint64 { return s.HandlerPauses }),
	counter(byListener, "handler_events_refused_total",
		"Events that the handler refused. No reason to worry.",
		func(s route.Stats) uint64 { return s.Dropped }),
	counter(byListener, "handler_events_emitted_total",
		"Events that the handler made itself.",
		func(s route.Stats) uint64 { return s.Emitted }),
	counter(byListener, "handler_emissions_refused_total",
		"Events and data that the handler emitted and that were not taken: denied by its grant emit, too many or too large, or malformed. "+
			"The handler gets a status. Worry about any increase: outputs do not get them.",
		func(s route.Stats) uint64 { return s.EmissionsRefused }),
}

// earlySeries are of events that did not come to the outputs.
var earlySeries = []series[route.EarlyStats]{
	counter(byReason, "events_retried_total",
		"Events put back to be tried again because the filter or the handler had failed, by the reason that a dead letter would have. What outputs "+
			"do not take is in informerd_output_retries_total. Worry if it goes on rising: the log has the error.",
		func(s route.EarlyStats) uint64 { return s.Retried }),
	counter(byReason, "dead_letters_total",
		"Events given up before they came to outputs, by reason: the filter, a rule or the handler failed. The dead letters of outputs are in "+
			"informerd_output_letters_total. Alert on any increase, and see informerd dlq ls.",
		func(s route.EarlyStats) uint64 { return s.DeadLetters }),
}

// ruleSeries are those of listeners with rules.
var ruleSeries = []series[route.Stats]{
	counter(byListener, "rule_errors_total",
		"Evaluations in which a rule failed; it keeps the state it had for the object. Any increase is a mistake in a rule: the log has its place.",
		func(s route.Stats) uint64 { return s.RuleErrors }),
	counter(byListener, "violations_reported_total",
		"Violations that were reported, repeated ones included, however often an output had to be asked.",
		func(s route.Stats) uint64 { return s.Violated }),
	counter(byListener, "resolutions_reported_total",
		"Violations that were reported as resolved.",
		func(s route.Stats) uint64 { return s.Resolved }),
}

var bufferSeries = []series[informer.SubscriptionStats]{
	counter(byListener, "events_refused_total",
		"Events refused before the buffer: the listener's ops, or what its select, filter and rules ask of single fields, do not want them. No reason to worry.",
		func(s informer.SubscriptionStats) uint64 { return s.Refused }),
	counter(byListener, "events_coalesced_total",
		"Events merged into a later one of their object because the buffer was full: states between are lost, the last one is not. If it goes "+
			"on rising, the listener is too slow: it needs more workers, a narrower filter or a larger buffer.",
		func(s informer.SubscriptionStats) uint64 { return s.Coalesced }),
	counter(byListener, "events_dropped_total",
		"Events given up because the buffer was full (overflow drop). Each is a change that no output gets.",
		func(s informer.SubscriptionStats) uint64 { return s.Dropped }),
	counter(byListener, "events_spilled_total",
		"Events that went to the spill file because the buffer was full (overflow spill). If it goes on rising, the listener is too slow.",
		func(s informer.SubscriptionStats) uint64 { return s.Spilled }),
	counter(byListener, "events_blocked_total",
		"Events that an informer had to wait with because the buffer was full (overflow block). While it waits, all listeners of that informer do.",
		func(s informer.SubscriptionStats) uint64 { return s.Blocked }),
	counter(byListener, "events_discarded_total",
		"Events given up because the listener was removed or failed while they waited.",
		func(s informer.SubscriptionStats) uint64 { return s.Discarded }),
	gauge(byListener, "buffer_events",
		"Events in the listener's buffer now, those being worked on included. Worry if it stays at the configured capacity.",
		func(s informer.SubscriptionStats) int { return s.Held }),
	{describe("buffer_oldest_seconds",
		"For how long the oldest event in the listener's buffer waits or is worked on, from its arrival on, or from when the listener got it if "+
			"it did not arrive, as what is of a list; 0 if there is none. Alert if it goes on rising: nobody takes it, or a handler does not come back.",
		byListener...),
		prometheus.GaugeValue, func(s informer.SubscriptionStats) float64 {
			return ageOf(s.Oldest)
		}},
	gauge(byListener, "buffer_marked_objects",
		"Objects that wait behind the full buffer now, to be delivered once in their current state. Worry if it does not return to 0.",
		func(s informer.SubscriptionStats) int { return s.Marked }),
	gauge(byListener, "buffer_backlog_objects",
		"Objects of the first list that the listener has not received yet. Worry if it does not go down.",
		func(s informer.SubscriptionStats) int { return s.Backlog }),
	gauge(byListener, "buffer_retry_events",
		"Events in the buffer that wait to be tried again, or behind one of their object that does. Worry if it does not return to 0: the log has "+
			"the error.",
		func(s informer.SubscriptionStats) int { return s.Parked }),
	gauge(byListener, "resync_backlog_objects",
		"Objects of the current resync that the listener has not received yet. Worry if it never returns to 0: the resync period is too short.",
		func(s informer.SubscriptionStats) int { return s.Resyncing }),
	counter(byListener, "resyncs_skipped_total",
		"Resyncs left out because the one before was still under way. If it goes on rising, the listener needs a longer resync period.",
		func(s informer.SubscriptionStats) uint64 { return s.ResyncsSkipped }),
	counter(byListener, "internal_errors_total",
		"Defects of informerd that it noticed and survived. Any increase is worth a report.",
		func(s informer.SubscriptionStats) uint64 { return s.Mistakes }),
	gauge(byListener, "spill_events",
		"Events in the spill file now, or on their way there and back. Worry if it goes on rising: what exceeds the file's limit, or what its "+
			"disk can take, is treated as overflow latest.",
		func(s informer.SubscriptionStats) int { return s.OnDisk }),
	gauge(byListener, "spill_failed",
		"1 if the spill file was given up, and the listener goes on as with overflow latest; 0 if not. The log names the error when the listener stops.",
		func(s informer.SubscriptionStats) int { return oneIf(s.SpillError != nil) }),
}

// hostSeries are of what runs the handlers.
var hostSeries = []series[plugins.HostStats]{
	gauge(nil, "handler_instances",
		"Running instances of handlers: one for each worker, and more while they are replaced.",
		func(s plugins.HostStats) int64 { return s.Guests }),
	counter(nil, "handler_modules_compiled_total",
		"Handlers that were compiled. One that was compiled before, as it is, does not count if state.dir keeps its code.",
		func(s plugins.HostStats) uint64 { return s.Compiled }),
	counter(nil, "handler_modules_read_total",
		"Handlers whose compiled code was read from state.dir.",
		func(s plugins.HostStats) uint64 { return s.Read }),
	{describe("handler_compile_seconds_total",
		"Seconds that compiling handlers took, or reading their code."),
		prometheus.CounterValue, func(s plugins.HostStats) float64 { return s.Took.Seconds() }},
	counter(nil, "handler_modules_unkept_total",
		"Times that compiled code could not be kept in state.dir, so that the next start compiles it again. Worry about any increase: the log has "+
			"the error.",
		func(s plugins.HostStats) uint64 { return s.Unkept }),
}
