package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer"
)

// A shard that goes on with another configuration ends the alerts of listeners that are gone as the
// ones that fire, whose labels it has by its own name.
func TestAShardEndsTheAlertsOfListenersThatAreGone(t *testing.T) {
	server := newScopedServer(t)
	to := &pager{ends: map[string]time.Time{}}
	alertmanager := httptest.NewServer(to)
	t.Cleanup(alertmanager.Close)
	const pods = 3
	put := func(team string) {
		for i := range pods {
			server.put(scopedPod{namespace: "shop", name: fmt.Sprint("web-", i), team: team})
		}
	}
	head := fmt.Sprintf(`state: {dir: %s}
outputs: {pager: {alertmanager: {url: "%s", labels: {team: 'object.metadata.labels.team + "!"'}}},
  out: {stdout: {}}}
listeners:
  stays: {informer: {resource: pods}, outputs: [out], checkpoint: true}`,
		filepath.Join(t.TempDir(), "state"), alertmanager.URL)
	put("a")
	d := startReloadable(t, head+`
  goes: {informer: {resource: pods}, outputs: [pager], checkpoint: true,
    rules: [{name: r, deny: 'label("team") in ["a", "c"]'}]}`, server.kubernetes)
	to.until(t, pods, pods, &d.log)
	put("c")
	d.out.waitForLines(t, 2*pods, "/listeners/stays")
	d.stop(t)

	d = reloadableFrom(t, head)
	var printed lockedBuffer
	log := slog.New(slog.NewTextHandler(&printed, nil))
	o := Options{Kubeconfig: kubeconfig(t, server.url), Log: log, running: true}
	r, err := build(t.Context(), d.config(t), o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := connect(r.plan.Config, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	s := &supervisor{runtime: r, home: c}
	one := s.newShard(c, informer.Shard{By: informer.ByNamespace, Count: 1}, nil)
	one.listeners = r.listeners
	if err := one.adopt(r.keeper); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	working, kept := one.keep(ctx)
	one.begin(working)
	to.until(t, pods, 0, &printed)
	stop()
	one.end(working)
	if err := errors.Join(kept(), r.close(t.Context())); err != nil {
		t.Error(err)
	}
}
