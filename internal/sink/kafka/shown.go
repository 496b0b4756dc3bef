package kafka

import (
	"strings"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/dryrun"
)

// Shown returns a sink that shows what New's would produce, and connects to no broker.
func Shown(config Config, show dryrun.Show) (sink.Sink, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	to := "topic " + config.Topic + " of " + strings.Join(config.Brokers, ",")
	return dryrun.New(show, func(m *sink.Message) (dryrun.Write, error) {
		var text []byte
		record := newDeliveries([]sink.Message{*m}, &text)[0].record
		headers := map[string]string{"key": string(record.Key)}
		for _, h := range record.Headers {
			headers[h.Key] = string(h.Value)
		}
		return dryrun.Write{Do: "produce", To: to, Headers: headers, Body: record.Value}, nil
	}), nil
}
