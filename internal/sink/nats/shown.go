package nats

import (
	"strings"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/dryrun"
)

// Shown returns a sink that shows what New's would publish, and connects to no server.
func Shown(config Config, show dryrun.Show) (sink.Sink, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	to := strings.Join(config.Servers, ",")
	if config.Stream != "" {
		to += ", stream " + config.Stream
	}
	return dryrun.New(show, func(m *sink.Message) (dryrun.Write, error) {
		subject, err := config.subject(m)
		if err != nil {
			return dryrun.Write{}, err
		}
		return dryrun.Write{Do: "publish", To: subject + " on " + to,
			Body: cloudevent.Append(nil, *m)}, nil
	}), nil
}
