package conformance

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"
)

// shown is what a side shows once it rests after a step.
type shown struct {
	// sights of this step, by listener and object: "first" was there from the start, "late" joined
	// later.
	sights  map[string]map[string][]sight
	store   map[string]any
	version string
	synced  bool
}

// result is how one side went through a script.
type result struct {
	steps  []shown
	faults map[string]int
	log    []string
	asked  []string
	err    error // it never came to rest
}

// restLimit is how long a client may take to rest. Without a limit of ours, client-go waits for the
// end of a streamed list as long as the watch lives: up to ten minutes; and backs off up to a
// minute for each of a step's faults.
const restLimit = time.Hour

// follow runs one side through a script.
func follow(t *testing.T, s script, newSide func(*rest.Config) (side, error)) (res result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv := newServer(s)
		var serving sync.WaitGroup
		serving.Go(srv.run)
		client := srv.net.transport()
		// No limit of queries: it would only take time.
		sd, err := newSide(&rest.Config{Host: "http://api.test", QPS: -1, Transport: client})
		if err != nil {
			t.Fatal(err)
		}
		rec := recorder{sights: map[string]map[string][]sight{}}
		sd.join(0, rec.see("first"))
		ctx, stop := context.WithCancel(t.Context())
		var stopped <-chan struct{}
		for i, st := range s.steps {
			if st.join {
				sd.join(0, rec.see("late"))
				synctest.Wait()
			}
			srv.begin(st)
			if i == 0 {
				stopped = sd.start(ctx)
			}
			if err := srv.awaitRest(); err != nil {
				res.err = fmt.Errorf("step %d: %w", i, err)
				break
			}
			res.steps = append(res.steps,
				shown{sights: rec.take(), store: sd.store(), version: sd.version(),
					synced: sd.synced()})
		}
		stop()
		<-stopped
		srv.close()
		serving.Wait()
		client.CloseIdleConnections()
		res.faults, res.log, res.asked = srv.faults, srv.log, srv.asked
	})
	return res
}

// settled is how long a watch must have run before the next step: whether it then ends as one that
// was too short must not depend on how long the client happened to back off before it.
const settled = 2 * time.Second

// awaitRest waits until the client has nothing left to ask and the server nothing left to say.
func (s *server) awaitRest() error {
	for begun := time.Now(); time.Since(begun) < restLimit; {
		synctest.Wait()
		rested := s.rested()
		time.Sleep(settled)
		synctest.Wait()
		if rested && s.rested() {
			return nil
		}
	}
	return fmt.Errorf("the client did not come to rest within %v", restLimit)
}

// recorder collects what handlers see.
type recorder struct {
	mu     sync.Mutex
	sights map[string]map[string][]sight
}

func (r *recorder) see(listener string) func(sight) {
	return func(s sight) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.sights[listener] == nil {
			r.sights[listener] = map[string][]sight{}
		}
		r.sights[listener][s.name] = append(r.sights[listener][s.name], s)
	}
}

func (r *recorder) take() map[string]map[string][]sight {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.sights
	r.sights = map[string]map[string][]sight{}
	return taken
}

func logText(res result) string { return "  " + strings.Join(res.log, "\n  ") }
