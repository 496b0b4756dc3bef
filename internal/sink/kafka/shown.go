package kafka

import (
	"strings"

	"github.com/informerd/informerd/internal/sink"
)

// Shown returns a sink that shows what New's would produce, and connects to no broker.
func Shown(config Config, show sink.Show) sink.Sink {
	to := "topic " + config.Topic + " of " + strings.Join(config.Brokers, ",")
	return sink.NewShown(show, func(m *sink.Message) (sink.Unsent, error) {
		var text []byte
		record := config.newDeliveries([]sink.Message{*m}, &text)[0].record
		headers := map[string]string{"key": string(record.Key)}
		for _, h := range record.Headers {
			headers[h.Key] = string(h.Value)
		}
		return sink.Unsent{Do: "produce", To: to, Headers: headers, Body: record.Value}, nil
	})
}
