package endpoints

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// someClusters has two clusters, and nothing in them.
func someClusters() *Server {
	return &Server{Cluster: "home", Clusters: func() []status.Cluster {
		return []status.Cluster{{Name: "us", From: "Secret informerd/us"},
			{Name: "eu", Labels: map[string]string{"region": "eu"}, From: "clusters.eu",
				Server: "https://eu:6443", Since: noon}}
	}}
}

func pods(cluster string, in informer.Status) Informer {
	in.Resource = informer.Resource{GroupVersionResource: schema.GroupVersionResource{Version: "v1",
		Resource: "pods"}}
	return Informer{Status: in, Cluster: cluster}
}

// failing is the state of a listener with a reason why it fails, or none.
func failing(reasons ...string) func() State {
	return func() State { return State{Failing: slices.Clone(reasons)} }
}

func starting() State { return State{Starting: []string{"the first list is not complete"}} }

// Informers and listeners of a cluster are told apart from those of others, and added up in it.
func TestStatusOfClusters(t *testing.T) {
	s := someClusters()
	named := s.Clusters
	s.Clusters = func() []status.Cluster {
		all := named()
		all[1].Error = strings.Repeat("é\xff", 200)
		return all
	}
	s.Informers = func() []Informer {
		return []Informer{pods("us", informer.Status{Objects: 1}), pods("eu", informer.Status{Objects: 20}),
			pods("eu", informer.Status{Objects: 3}),
			pods("", informer.Status{Objects: 400})}
	}
	buffer := func(n int, age time.Duration) func() informer.SubscriptionStats {
		return func() informer.SubscriptionStats {
			return informer.SubscriptionStats{Held: n, Oldest: event.Now() - event.Instant(age)}
		}
	}
	s.Listeners = []Listener{{Name: "a", Cluster: "us", Buffer: buffer(5, time.Minute)},
		{Name: "a", Cluster: "eu", Buffer: buffer(7, time.Hour), State: failing("not there", strings.Repeat("é", 200))},
		{Name: "b", Cluster: "eu", Buffer: buffer(8, time.Minute)}, {Name: "c", Cluster: "gone"}}
	got := s.Status()
	eu, us := &got.Clusters[0], &got.Clusters[1]
	if eu.Name != "eu" || eu.Objects != 23 || eu.Waiting != 15 || int(eu.OldestSeconds) != 3600 ||
		len(eu.Error) > maxStatusText || !strings.HasPrefix(eu.Error, "é\uFFFD") || eu.Server != "https://eu:6443" || us.Objects != 1 ||
		us.Waiting != 5 || us.Error != "" {
		t.Errorf("%+v", got.Clusters)
	}
	keys := map[string]bool{}
	for _, in := range got.Informers {
		keys[in.Cluster+" "+in.Key()] = true
	}
	if len(keys) != 3 {
		t.Errorf("%v", keys)
	}
	a := got.Listeners[0]
	if a.State != status.Failing || a.Buffer.Events != 12 || a.Due != 5 || len(a.Reasons) != 2 ||
		a.Reasons[0] != "cluster eu: not there" || len(a.Reasons[1]) > maxStatusText || !got.Ready {
		t.Errorf("%+v", a)
	}
}

// A cluster in trouble has a line and is not up. What runs elsewhere is ready, and so is what is
// nowhere else.
func TestAClusterInTroubleMakesNothingUnready(t *testing.T) {
	good, bad := failing(), failing("forbidden\n")
	const line = "\nlistener \"a\" in cluster \"eu\": \"forbidden\\n\""
	for name, c := range map[string]struct {
		a, b          func() State // in eu and in us
		away          string       // clusters with an error
		ready, health string       // before the lines of clusters
	}{
		"all is well":                   {good, good, "", "ok", "ok"},
		"forbidden in one":              {bad, good, "", "ok", "ok"},
		"starting in one":               {starting, good, "", "ok", "ok"},
		"away in one":                   {bad, good, "eu", "ok", "ok"},
		"only in one, which is away":    {bad, nil, "eu", "ok", "ok"},
		"only in one, which is there":   {bad, nil, "us", "not ready: 1 of 1 listeners" + line, "failing: 1 of 1 listeners" + line},
		"in one, of which all are away": {bad, nil, "eu us", "not ready: 1 of 1 listeners" + line, "failing: 1 of 1 listeners" + line},
		"starting in all": {starting, starting, "", "not ready: 1 of 1 listeners" +
			"\nlistener \"a\" in cluster \"eu\": \"the first list is not complete\"" +
			"\nlistener \"a\" in cluster \"us\": \"the first list is not complete\"", "ok"},
		"forbidden here, starting there": {bad, starting, "", "not ready: 1 of 1 listeners" + line +
			"\nlistener \"a\" in cluster \"us\": \"the first list is not complete\"", "ok"},
		"forbidden here, away there": {bad, bad, "us", "not ready: 1 of 1 listeners" + line +
			strings.Replace(line, "eu", "us", 1), "failing: 1 of 1 listeners" + line + strings.Replace(line, "eu", "us", 1)},
		"it runs where something else is wrong": {bad, good, "us", "ok", "ok"},
	} {
		t.Run(name, func(t *testing.T) {
			s := someClusters()
			s.Listeners = []Listener{{Name: "a", Cluster: "eu", State: c.a}}
			if c.b != nil {
				s.Listeners = append(s.Listeners, Listener{Name: "a", Cluster: "us", State: c.b})
			}
			lines := ""
			for _, name := range strings.Fields(c.away) {
				lines += "\ncluster \"" + name + "\": \"no\\nroute\""
			}
			named := s.Clusters
			s.Clusters = func() []status.Cluster {
				all := named()
				for i := range all {
					if strings.Contains(c.away, all[i].Name) {
						all[i].Error = "no\nroute"
					}
				}
				return all
			}
			r := serve(t, s)
			probes := serve(t, &Server{Probes: true, Listeners: s.Listeners, Clusters: s.Clusters})
			for path, want := range map[string]string{"/readyz": c.ready, "/healthz": c.health} {
				code := http.StatusOK
				if want != "ok" {
					code = http.StatusServiceUnavailable
				}
				if res, body := r.get(path); res.StatusCode != code || body != want+lines {
					t.Errorf("%s: %s\ngot  %s\nwant %s", path, res.Status, body, want+lines)
				}
			}
			first, _, _ := strings.Cut(c.ready, "\n")
			if _, body := probes.get("/readyz"); body != first {
				t.Errorf("a probe gets %s, want %s", body, first)
			}
			if s.Status().Ready != (c.ready == "ok") {
				t.Errorf("the status has %t", s.Status().Ready)
			}
		})
	}
}

// A listener of a shard is ready if it gets the shard's events in one cluster; another shard does
// not help.
func TestReadinessOfShardsInClusters(t *testing.T) {
	s := someClusters()
	s.Shards = someShards().Shards
	s.Listeners = []Listener{{Name: "a", Shard: "0", Cluster: "eu"}, {Name: "a", Shard: "0", Cluster: "us", State: starting},
		{Name: "a", Shard: "1", Cluster: "eu", State: starting}, {Name: "a", Shard: "1", Cluster: "us", State: starting}}
	_, body := serve(t, s).get("/readyz")
	want := `not ready: 1 of 2 listeners
listener "a" in shard 1 in cluster "eu": "the first list is not complete"
listener "a" in shard 1 in cluster "us": "the first list is not complete"`
	if body != want || s.Status().Ready {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
}

func TestHealthNamesTheClusterOfAPause(t *testing.T) {
	s := someClusters()
	s.Listeners = []Listener{{Name: "a", Cluster: "eu", Route: func() route.Stats {
		return route.Stats{Paused: backoff.Pause{Begin: noon, End: noon, Since: noon, Failures: 5, Cause: errors.New("x")}}
	}}}
	if _, body := serve(t, s).get("/healthz"); !strings.HasPrefix(body, "ok\nlistener \"a\" in cluster \"eu\": paused since ") {
		t.Error(body)
	}
}

// Series have the cluster of what they are of. Those of a cluster that has left end, and begin at 0
// if it comes back.
func TestMetricsOfClusters(t *testing.T) {
	s := someClusters()
	names := []string{"eu", "us"}
	s.Clusters = func() (all []status.Cluster) {
		for _, name := range names {
			all = append(all, status.Cluster{Name: name})
		}
		all[0].Error = "it does not answer"
		return all
	}
	events := uint64(8)
	s.Informers = func() (all []Informer) {
		for _, name := range names {
			all = append(all, pods(name, informer.Status{Events: events, Relists: map[string]uint64{"expired": events}}))
		}
		return all
	}
	s.Current = func() (all []Listener) {
		for _, name := range names {
			all = append(all, Listener{Name: "a", Cluster: name, Route: func() route.Stats { return route.Stats{Written: 3} }})
		}
		return all
	}
	r := serve(t, s)
	expect := func(there string, want ...string) {
		t.Helper()
		_, body := r.get("/metrics")
		for _, line := range want {
			if !strings.Contains(body, line+"\n") {
				t.Errorf("there is no %s in\n%s", line, lines(body, "informerd_"))
			}
		}
		if strings.Contains(body, `cluster="us"`) != (there == "us") {
			t.Errorf("%s", lines(body, `cluster="us"`))
		}
	}
	both := []string{"informerd_clusters 2", `informerd_cluster_up{cluster="eu"} 0`, `informerd_cluster_up{cluster="us"} 1`,
		`informerd_cluster_info{cluster="home"} 1`,
		`informerd_messages_written_total{cluster="us",listener="a"} 3`,
		`informerd_informer_events_total{cluster="us",namespace="",resource="pods"} 8`,
		`informerd_informer_relists_total{cluster="us",namespace="",reason="expired",resource="pods"} 8`}
	expect("us", both...)
	names = names[:1]
	expect("", "informerd_clusters 1")
	names, events = names[:2], 5
	expect("us", `informerd_informer_events_total{cluster="us",namespace="",resource="pods"} 5`,
		`informerd_informer_events_total{cluster="eu",namespace="",resource="pods"} 8`)
}

// Violations in two clusters are told apart.
func TestViolationsHaveTheirCluster(t *testing.T) {
	open := func() []rules.Violation { return []rules.Violation{{Rule: "r", Name: "x", UID: "u", Since: noon}} }
	_, body := serve(t, &Server{Listeners: []Listener{{Name: "a", Cluster: "us", Violations: open},
		{Name: "a", Cluster: "eu", Violations: open}}}).get("/violations")
	eu, us := strings.Index(body, `{"listener":"a","cluster":"eu",`), strings.Index(body, `{"listener":"a","cluster":"us",`)
	if eu < 0 || us < eu || !strings.HasSuffix(body, "\"total\":2}\n") {
		t.Error(body)
	}
}

// The stall of an informer is that of its cluster, whose API server nobody else asks.
func TestStallsOfClusters(t *testing.T) {
	w := newStallWorld()
	w.Informers[0].Cluster = "eu"
	w.Informers = append(w.Informers, w.Informers[0])
	w.Informers[1].Cluster = "us"
	w.pass(10*time.Minute, func(w *stallWorld) { w.Informers[0].Synced = false })
	if len(w.found) != 1 || w.found[0].Cluster != "eu" {
		t.Fatalf("%+v", w.found)
	}
	s := someClusters()
	s.Stalled = func() []status.Stall {
		return append(w.found, status.Stall{Kind: stalledInformer, Text: "it stands", Cluster: "gone"})
	}
	const want = "informer pods in shop: its first list is not complete, and nothing more of it comes"
	if got := s.Status(); !got.Ready || len(got.Stalled) > 0 || got.Clusters[0].Error != want || got.Clusters[1].Error != "" {
		t.Errorf("%+v", got)
	}
	r := serve(t, s)
	if _, body := r.get("/readyz"); body != "ok\ncluster \"eu\": \""+want+"\"" {
		t.Error(body)
	}
	if _, body := r.get("/metrics"); !strings.Contains(body, `informerd_stalls{kind="informer"} 0`) ||
		!strings.Contains(body, `informerd_cluster_up{cluster="eu"} 0`) {
		t.Error(lines(body, "informerd_"))
	}
}

// What waits where a listener does not run is no stall of its buffer, and hides none elsewhere.
func TestDueEvents(t *testing.T) {
	stats := func() informer.SubscriptionStats {
		return informer.SubscriptionStats{Held: 5, Parked: 3, Backlog: 10, OnDisk: 100}
	}
	pausing := func() route.Stats {
		return route.Stats{Handler: &route.HandlerStats{}, Paused: backoff.Pause{Begin: noon, End: noon}}
	}
	s := &Server{Listeners: []Listener{{Name: "a", Cluster: "eu", Buffer: stats, State: starting},
		{Name: "a", Cluster: "us", Buffer: stats}, {Name: "b", Buffer: stats, Route: pausing}}}
	if got := s.Status().Listeners; got[0].Due != 112 || got[1].Due != 0 || got[0].State != status.Starting {
		t.Errorf("%+v", got)
	}
}

// A replica is ready once it works on the shards that it has, or there is no cluster to work in.
func TestReadinessOfShardsThatAreTakenOver(t *testing.T) {
	for _, c := range []struct {
		shards   status.Sharding
		clusters []status.Cluster
		want     string
	}{
		{status.Sharding{}, nil, "not ready: shards\nit is starting"},
		{status.Sharding{Error: "it waits"}, nil, "not ready: shards\nit waits"},
		{status.Sharding{Shards: []status.Shard{{Own: true, Works: true}, {Shard: 1, Own: true}}}, nil,
			"not ready: shards\nit has shard 1, and has not begun with it"},
		{status.Sharding{Shards: []status.Shard{{Own: true, Works: true}, {Shard: 1}}}, nil, "ok"},
		{status.Sharding{Shards: []status.Shard{{Own: true}}}, []status.Cluster{}, "ok"},
	} {
		s := &Server{Shards: func() status.Sharding { return c.shards }}
		if c.clusters != nil {
			s.Clusters = func() []status.Cluster { return c.clusters }
		}
		if _, body := serve(t, s).get("/readyz"); body != c.want || s.Status().Ready != (c.want == "ok") {
			t.Errorf("got %q, want %q", body, c.want)
		}
	}
}
