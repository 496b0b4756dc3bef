package daemon

import (
	"context"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
)

// outputTo returns an output of a route.
func outputTo(name string, s sink.Sink) route.Output {
	return route.Output{To: delivery.NewOutput(name, s, quiet)}
}

// noLetters drops dead letters.
type noLetters struct{}

func (noLetters) Put(context.Context, deadletter.Letter) (string, error) {
	return "18ad2c41f2b80400", nil
}
