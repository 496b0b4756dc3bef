package endpoints

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink/patch"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

// notMetrics are what the stages count or say and no metric shows.
var notMetrics = map[string]string{
	"route.Stats.Retried":                  "events_retried_total and output_retries_total add up to it",
	"route.Stats.DeadLetters":              "dead_letters_total and output_letters_total add up to it",
	"route.Stats.Unwanted":                 "output_events_unwanted_total adds up to it",
	"route.Stats.Members":                  "a share of the memory that heap profiles show",
	"route.Stats.Leaving":                  "dead_letter_store_waiting rises if it does not fall",
	"delivery.Stats.Reports":               "in the status",
	"informer.SubscriptionStats.Parked":    "in the status",
	"informer.SubscriptionStats.Marked":    "in the status",
	"informer.SubscriptionStats.Resyncing": "resyncs_skipped_total rises if it does not fall",
	"informer.Status.Queued":               "in the status; a queue that stands is one of informerd_stalls",
	"informer.Status.Watches":              "in the status",
	"informer.Status.Bookmarks":            "in the status",
	"keeper.Stats.Written":                 "in the status",
	"keeper.Stats.SnapshotFailures":        "logged",
	"status.Reload.Last":                   "in the status",
	"patch.Stats.Unchanged":                "nothing has changed",
	"patch.Stats.Skipped":                  "nothing was sent",
	"route.Stats.HandlerCrashes":           "handler_crashes_total adds up to it",
	"informer.SubscriptionStats.Offered":   "events_total, events_coalesced_total and the other ends of an event add up to it",
	"informer.SubscriptionStats.Done":      "events_total without what the buffer holds",
	"informer.SubscriptionStats.Retried":   "events_retried_total counts the same where the reason is known",
	"informer.SubscriptionStats.Recalled":  "rules and selects that look at the clock are asked again every minute",
	"route.Stats.HandlerTrouble":           "a text, for statuses",
	"route.OutputStats.Trouble":            "a text, for statuses",
	"route.Stats.Troubles":                 "texts, for statuses",
	"route.Stats.Working":                  "a step that takes long is one of informerd_stalls",
	"status.Reload.Running":                "a reload that hangs is one of informerd_stalls",
	"informer.Status.Resource":             "a label",
	"informer.Status.Scope":                "a label",
	"informer.Status.Bytes":                "the length of the texts; Memory is what they take",
	"informer.Status.Subscriptions":        "said by the configuration",
	"informer.Status.ResourceVersion":      "opaque",
}

// Whatever a stage counts can be seen from outside, or has a reason in notMetrics.
func TestWhatIsCountedIsAMetric(t *testing.T) {
	counts := func() map[rules.Count]int { return nil }
	check(t, route.Stats{Handler: &route.HandlerStats{}}, func(s route.Stats) *Server {
		return &Server{Listeners: []Listener{{Name: "l", Counts: counts, Route: func() route.Stats {
			return s
		}}}}
	})
	check(t, delivery.Stats{}, func(s delivery.Stats) *Server {
		return &Server{Listeners: []Listener{{Name: "l", Route: func() route.Stats {
			return route.Stats{Outputs: []route.OutputStats{{Output: "o", Stats: s}}}
		}}}}
	})
	check(t, route.OutputStats{}, func(s route.OutputStats) *Server {
		return &Server{Listeners: []Listener{{Name: "l", Route: func() route.Stats {
			return route.Stats{Outputs: []route.OutputStats{s}}
		}}}}
	})
	check(t, route.EarlyStats{}, func(s route.EarlyStats) *Server {
		return &Server{Listeners: []Listener{{Name: "l", Route: func() route.Stats {
			return route.Stats{Early: []route.EarlyStats{s}}
		}}}}
	})
	check(t, informer.SubscriptionStats{}, func(s informer.SubscriptionStats) *Server {
		return &Server{Listeners: []Listener{{Name: "l", Buffer: func() informer.SubscriptionStats {
			return s
		}}}}
	})
	check(t, informer.Status{}, func(s informer.Status) *Server {
		return &Server{Informers: func() []Informer { return informersOf(s) }}
	})
	check(t, deadletter.ListenerStats{}, func(s deadletter.ListenerStats) *Server {
		return &Server{Letters: func() deadletter.Stats {
			return deadletter.Stats{Listeners: map[string]deadletter.ListenerStats{"l": s}}
		}}
	})
	check(t, keeper.Stats{}, func(s keeper.Stats) *Server {
		return &Server{Checkpoint: func() keeper.Stats { return s }}
	})
	check(t, route.HandlerStats{}, func(s route.HandlerStats) *Server {
		return &Server{Listeners: []Listener{{Name: "l", Route: func() route.Stats {
			return route.Stats{Handler: &s}
		}}}}
	})
	check(t, status.Reload{}, func(s status.Reload) *Server {
		return &Server{Reload: func() status.Reload { return s }}
	})
	check(t, patch.Stats{}, func(s patch.Stats) *Server {
		return &Server{Patches: func() patch.Stats { return s }}
	})
}

// check sets one field after the other and looks whether that changes the metrics.
func check[S any](t *testing.T, zero S, server func(S) *Server) {
	t.Helper()
	metrics := func(s S) string {
		_, body := serve(t, server(s)).get("/metrics")
		return lines(body, "informerd_")
	}
	before := metrics(zero)
	typ := reflect.TypeFor[S]()
	for i := range typ.NumField() {
		changed := zero
		set(t, reflect.ValueOf(&changed).Elem().Field(i))
		name := typ.String() + "." + typ.Field(i).Name
		_, excused := notMetrics[name]
		switch shown := metrics(changed) != before; {
		case !shown && !excused:
			t.Errorf("no metric shows %s", name)
		case shown && excused && typ.Field(i).Name != "Resource" && typ.Field(i).Name != "Scope":
			t.Errorf("a metric shows %s, which has a reason in notMetrics why none does", name)
		}
	}
}

// set makes a field something else than zero.
func set(t *testing.T, field reflect.Value) {
	t.Helper()
	switch value := field.Addr().Interface().(type) {
	case *uint64:
		*value = 7
	case *int:
		*value = 7
	case *int64:
		*value = 7
	case *bool:
		*value = true
	case *string:
		*value = "7"
	case *error:
		*value = errors.New("trouble")
	case *map[event.Op]uint64:
		*value = map[event.Op]uint64{event.Add: 7}
	case *time.Duration:
		*value = 7
	case *time.Time:
		*value = noon
	case *map[string]uint64:
		*value = map[string]uint64{"expired": 7}
	case *[]error:
		*value = []error{errors.New("7")}
	case *[]route.EarlyStats:
		*value = []route.EarlyStats{{Reason: "r"}}
	case *event.Instant:
		*value = event.Now() - event.Instant(time.Hour)
	case **route.HandlerStats:
		*value = &route.HandlerStats{Fuel: 7}
	case *map[plugins.Reason]uint64:
		*value = map[plugins.Reason]uint64{plugins.ReasonTrap: 7}
	case *tracing.Snapshot:
		*value = someTimes(7)
	case *[]route.OutputStats:
		*value = []route.OutputStats{{Output: "o"}}
	case *delivery.Stats:
		value.Offered = 7
	case *backoff.Pause:
		*value = backoff.Pause{Begin: noon, End: noon, Since: noon, Failures: 7}
	case *informer.Resource:
		value.Resource = "pods"
	case *informer.Scope:
		value.Namespace = "shop"
	default:
		t.Fatalf("there is no way here to set a %T", value)
	}
}

// someTimes are those of a histogram that has counted as many in each of its buckets.
func someTimes(n uint64) tracing.Snapshot {
	return tracing.Snapshot{Bounds: []time.Duration{time.Millisecond, time.Second},
		Counts: []uint64{n, 2 * n, 3 * n}, Sum: time.Duration(n) * time.Minute}
}
