package daemon

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// pager is an Alertmanager, which knows alerts by their labels.
type pager struct {
	mu   sync.Mutex
	ends map[string]time.Time
}

func (p *pager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var alerts []struct {
		Labels map[string]string
		EndsAt time.Time
	}
	if err := json.NewDecoder(r.Body).Decode(&alerts); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range alerts {
		p.ends[fmt.Sprint(a.Labels)] = a.EndsAt
	}
}

// until waits until of all alerts so many fire.
func (p *pager) until(t *testing.T, all, firing int, log fmt.Stringer) {
	t.Helper()
	eventually(t, func() error {
		p.mu.Lock()
		defer p.mu.Unlock()
		got := 0
		for _, end := range p.ends {
			if end.After(time.Now()) {
				got++
			}
		}
		if got != firing || len(p.ends) != all {
			return fmt.Errorf("%d of %v fire, want %d of %d\n%s", got, p.ends, firing, all, log)
		}
		return nil
	})
}

// An alert that fires is the one that ends, whatever became of the object, its labels, the listener
// and informerd meanwhile.
func TestAlertsOverARestart(t *testing.T) {
	server := newScopedServer(t)
	to := &pager{ends: map[string]time.Time{}}
	alertmanager := httptest.NewServer(to)
	t.Cleanup(alertmanager.Close)
	const pods = 10
	put := func(from int, team string) {
		for i := from; i < pods; i++ {
			server.put(scopedPod{namespace: "shop", name: fmt.Sprint("web-", i), team: team})
		}
	}
	head := fmt.Sprintf(`state: {dir: %s}
outputs: {pager: {alertmanager: {url: "%s", labels: {team: 'object.metadata.labels.team + "!"'}}}}
listeners:`, filepath.Join(t.TempDir(), "state"), alertmanager.URL)
	listener := func(name string) string {
		return "\n  " + name + `: {informer: {resource: pods}, outputs: [pager], checkpoint: true,
    rules: [{name: r, deny: 'label("team") in ["a", "c"]'}]}`
	}
	put(0, "a")
	d := startReloadable(t, head+listener("goes")+listener("stays"), server.kubernetes)
	to.until(t, 2*pods, 2*pods, &d.log)
	d.stop(t)
	put(3, "c")
	put(5, "b")
	server.remove("shop/web-0")
	d = startReloadable(t, head+listener("stays"), server.kubernetes)
	to.until(t, 2*pods, 4, &d.log)
	d.stop(t)
	put(0, "b")
	d = startReloadable(t, head+listener("stays"), server.kubernetes)
	to.until(t, 2*pods, 0, &d.log)
	d.stop(t)
}
