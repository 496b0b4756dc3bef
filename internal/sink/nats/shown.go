package nats

import (
	"strings"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// Shown returns a sink that shows what New's would publish, and connects to no server.
func Shown(config Config, show sink.Show) sink.Sink {
	to := strings.Join(config.Servers, ",")
	if config.Stream != "" {
		to += ", stream " + config.Stream
	}
	return sink.NewShown(show, func(m *sink.Message) (sink.Unsent, error) {
		subject, err := config.subject(m)
		return sink.Unsent{Do: "publish", To: subject + " on " + to,
			Body: cloudevent.Append(nil, *m)}, err
	})
}
