package endpoints

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/internal/deadletter"
)

// collectLetters sends the metrics of the store of dead letters, and of the listeners that they are
// of, which may have been removed.
func (c *collector) collectLetters(ch chan<- prometheus.Metric, s deadletter.Stats) {
	c.send(ch, nil, []metric{
		gauge("dead_letter_store_bytes",
			"Size of all dead letters.", s.Bytes),
		gauge("dead_letter_store_limit_bytes",
			"The configured deadLetters.bytes.", s.MaxBytes),
		gauge("dead_letter_store_waiting",
			"Dead letters that wait for room in the store; their objects wait.", s.Waiting),
	})
	for name, l := range s.Listeners {
		c.send(ch, byListener, []metric{
			gauge("dead_letters",
				"Dead letters in the store.", l.Letters),
			counter("dead_letters_dropped_total",
				"Dead letters that were dropped because the store was full.", l.Dropped),
			counter("dead_letters_expired_total",
				"Dead letters that were removed because of deadLetters.age.", l.Expired),
		}, name)
	}
}
