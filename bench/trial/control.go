package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/informerd/informerd/bench/apiserver"
)

// Control speaks to the handles of the benchmark's server.
type Control struct {
	URL string // of the server, without path
}

// State asks how far the server is.
func (c Control) State(ctx context.Context) (s apiserver.State, err error) {
	return s, c.ask(ctx, http.MethodGet, "/bench/state", &s)
}

// Reset takes all changes back.
func (c Control) Reset(ctx context.Context) error {
	var s apiserver.State
	return c.ask(ctx, http.MethodPost, "/bench/reset", &s)
}

// Burst lets out n changes at once, to watches of so many parts (0: of all).
func (c Control) Burst(ctx context.Context, n, parts int) (r apiserver.Release, err error) {
	return r, c.ask(ctx, http.MethodPost, fmt.Sprintf("/bench/burst?n=%d&parts=%d", n, parts), &r)
}

// Paced lets out n changes, one every so often.
func (c Control) Paced(ctx context.Context, n int, every time.Duration) (r apiserver.Release,
	err error) {
	return r, c.ask(ctx, http.MethodPost,
		fmt.Sprintf("/bench/paced?n=%d&rate=%g", n, float64(time.Second)/float64(every)), &r)
}

// Written gives when changes were written, in Unix nanoseconds.
func (c Control) Written(ctx context.Context, r apiserver.Release) (times []int64, err error) {
	return times, c.ask(ctx, http.MethodGet, fmt.Sprintf("/bench/written?from=%d&n=%d", r.First,
		r.Count), &times)
}

// Until asks every 20 ms, until the state is as wished or wished returns an error.
func (c Control) Until(ctx context.Context, what string,
	wished func(apiserver.State) (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := c.State(ctx)
		if err != nil {
			return err
		}
		if done, err := wished(s); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s: %w", what, ctx.Err())
		}
	}
}

// ask uses a connection of its own, so that none is left open beside the contender's.
func (c Control) ask(ctx context.Context, method, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, nil)
	if err != nil {
		return err
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}
