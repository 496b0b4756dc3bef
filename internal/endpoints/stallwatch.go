package endpoints

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/status"
)

const (
	// pingInterval is how often the API server is asked whether it answers, and pingTime how long
	// it has for that.
	pingInterval = 15 * time.Second
	pingTime     = 10 * time.Second
)

// StallWatch looks for stalls while it runs. Set the functions, then call Run once.
type StallWatch struct {
	// Status returns the pipeline as it is. What is stalled in it is ignored.
	Status func() *status.Status
	// Ping asks the API server for an answer of any sort. Nil: nobody asks, and its silence is no
	// stall.
	Ping func(context.Context) error

	mu    sync.Mutex // guards what follows
	found []status.Stall
}

// Found returns what the last look has found.
func (w *StallWatch) Found() []status.Stall {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.found)
}

// Run looks until ctx is done.
func (w *StallWatch) Run(ctx context.Context) {
	var d detector
	var server *answers
	if w.Ping != nil {
		server = &answers{}
	}
	answers := make(chan error, 1)
	var pinging sync.WaitGroup
	defer pinging.Wait()
	tick := time.NewTicker(stallInterval)
	defer tick.Stop()
	under, asked := false, time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case err := <-answers:
			if under, server.Err = false, err; err == nil {
				server.Answers++
			}
		case now := <-tick.C:
			if w.Ping != nil && !under && now.Sub(asked) >= pingInterval-stallInterval/2 {
				under, asked = true, now
				pinging.Go(func() {
					ctx, cancel := context.WithTimeout(ctx, pingTime)
					defer cancel()
					answers <- w.Ping(ctx)
				})
			}
			found := d.look(w.Status(), server)
			w.mu.Lock()
			w.found = found
			w.mu.Unlock()
		}
	}
}
