package endpoints

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/internal/deadletter"
)

// storeSeries are of the store of dead letters as a whole.
var storeSeries = []series[deadletter.Stats]{
	gauge(nil, "dead_letter_store_bytes",
		"Bytes that all dead letters take now.",
		func(s deadletter.Stats) int64 { return s.Bytes }),
	gauge(nil, "dead_letter_store_limit_bytes",
		"Bytes that all dead letters may take, as deadLetters.bytes says.",
		func(s deadletter.Stats) int64 { return s.MaxBytes }),
	gauge(nil, "dead_letter_store_waiting",
		"Dead letters that wait for room in the full store now. Alert on > 0: their listeners wait. informerd dlq replay or drop makes room.",
		func(s deadletter.Stats) int { return s.Waiting }),
}

// letterSeries are of the dead letters of a listener, which may have been removed.
var letterSeries = []series[deadletter.ListenerStats]{
	gauge(byListener, "dead_letters",
		"Dead letters in the store now, of listeners that have had one. Alert on > 0: informerd dlq ls shows them.",
		func(s deadletter.ListenerStats) int { return s.Letters }),
	gauge(byListener, "dead_letters_bytes",
		"Bytes that the listener's dead letters take.",
		func(s deadletter.ListenerStats) int64 { return s.Bytes }),
	gauge(byListener, "dead_letters_superseded",
		"Dead letters of whose object something newer was delivered since. A replay leaves them out.",
		func(s deadletter.ListenerStats) int { return s.Superseded }),
	gauge(byListener, "dead_letters_oldest_timestamp_seconds",
		"When the listener's oldest dead letter was stored, in seconds since 1970; 0 without one. Worry before time() minus this comes near "+
			"deadLetters.age.",
		func(s deadletter.ListenerStats) int64 {
			if s.Oldest.IsZero() {
				return 0
			}
			return s.Oldest.Unix()
		}),
	counter(byListener, "dead_letters_dropped_total",
		"Dead letters given up because the store was full (deadLetters.whenFull drop). Each is a change that is lost.",
		func(s deadletter.ListenerStats) uint64 { return s.Dropped }),
	counter(byListener, "dead_letters_expired_total",
		"Dead letters removed because they were older than deadLetters.age. Each is a change that is lost.",
		func(s deadletter.ListenerStats) uint64 { return s.Expired }),
}

func collectLetters(ch chan<- prometheus.Metric, s deadletter.Stats) {
	sendAll(ch, storeSeries, s)
	for name, l := range s.Listeners {
		sendAll(ch, letterSeries, l, name)
	}
}
