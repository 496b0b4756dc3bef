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

// Control calls the endpoints of the benchmark's server.
type Control struct {
	URL string // of the server, without path
}

// State returns the server's state.
func (c Control) State(ctx context.Context) (s apiserver.State, err error) {
	return s, c.ask(ctx, http.MethodGet, "/bench/state", &s)
}

// Reset withdraws all changes.
func (c Control) Reset(ctx context.Context) error {
	var s apiserver.State
	return c.ask(ctx, http.MethodPost, "/bench/reset", &s)
}

// Burst releases n changes at once; parts is the number of parts of the watches, 0 for none.
func (c Control) Burst(ctx context.Context, n, parts int) (r apiserver.Release, err error) {
	return r, c.ask(ctx, http.MethodPost, fmt.Sprintf("/bench/burst?n=%d&parts=%d", n, parts), &r)
}

// Paced releases n changes, one per interval.
func (c Control) Paced(ctx context.Context, n int, every time.Duration) (r apiserver.Release,
	err error) {
	return r, c.ask(ctx, http.MethodPost,
		fmt.Sprintf("/bench/paced?n=%d&rate=%g", n, float64(time.Second)/float64(every)), &r)
}

// Written returns when changes were written, in Unix nanoseconds.
func (c Control) Written(ctx context.Context, r apiserver.Release) (times []int64, err error) {
	return times, c.ask(ctx, http.MethodGet, fmt.Sprintf("/bench/written?from=%d&n=%d", r.First,
		r.Count), &times)
}

// Until polls every 20 ms, until the state is as wished or wished returns an error.
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

// ask uses a separate connection, so that none stays open during the contender's work.
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
