package endpoints

import (
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/sink/patch"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/pkg/informer"
)

// pageHead is the page up to the table's rows.
//
//go:embed testdata/metrics-head.md
var pageHead string

// The page has each metric there is, with what # HELP says of it.
func TestMetricsPage(t *testing.T) {
	families := slices.Concat(gather(t, someServer()), slices.DeleteFunc(slices.Concat(gather(t, someShards()),
		gather(t, someClusters())),
		func(f *dto.MetricFamily) bool { return strings.HasSuffix(f.GetName(), "_info") }))
	slices.SortFunc(families, func(a, b *dto.MetricFamily) int {
		return strings.Compare(a.GetName(), b.GetName())
	})
	var b strings.Builder
	b.WriteString(pageHead)
	for _, f := range families {
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, "`"+l.GetName()+"`")
		}
		slices.Sort(labels)
		help := strings.ReplaceAll(f.GetHelp(), "|", `\|`)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.GetName(),
			strings.ToLower(f.GetType().String()), strings.Join(labels, ", "), help)
	}
	const page = "../../docs/metrics.md"
	if *update {
		if err := os.WriteFile(page, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != b.String() {
		t.Errorf("%s is not what make docs writes (%v)", page, err)
	}
}

func gather(t *testing.T, s *Server) []*dto.MetricFamily {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(&collector{Server: s, log: slog.New(slog.DiscardHandler)})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// someShards has what there is of shards only, and two listeners of one name.
func someShards() *Server {
	return &Server{Shards: func() status.Sharding {
		return status.Sharding{Replicas: 2, Shards: []status.Shard{{Shard: 0, Owned: true, Own: true, Works: true, Epoch: 3},
			{Shard: 1}}}
	}}
}

// Listeners of one name are told apart by their shards.
func TestMetricsOfShards(t *testing.T) {
	s := someShards()
	stats := func() informer.SubscriptionStats { return informer.SubscriptionStats{Refused: 7, Held: 3} }
	s.Informers = func() []Informer {
		return informersOf(informer.Status{Objects: 40}, informer.Status{Objects: 5,
			Scope: informer.Scope{Shard: informer.Shard{By: "object", Index: 1, Count: 2}}})
	}
	s.Listeners = []Listener{{Name: "a", Shard: "0", Buffer: stats}, {Name: "a", Shard: "1", Buffer: stats}}
	_, body := serve(t, s).get("/metrics")
	for _, want := range []string{`informerd_events_refused_total{listener="a",shard="1"} 7`, "informerd_replicas 2",
		"informerd_shards 2", `informerd_shard_owned{shard="1"} 0`, `informerd_shard_held{shard="0"} 1`,
		`informerd_shard_epoch{shard="0"} 3`} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("there is no %s in\n%s", want, lines(body, "informerd_"))
		}
	}
	all := s.Status()
	if len(all.Listeners) != 1 || all.Listeners[0].Refused != 14 || all.Sharding.Replicas != 2 {
		t.Errorf("%+v", all)
	}
	if got := all.Sharding.Shards; got[0].Waiting != 3 || got[1].Waiting != 3 || got[0].Objects != 0 ||
		got[1].Objects != 5 {
		t.Errorf("%+v", got)
	}
}

// someServer has every metric but those of shards and of clusters.
func someServer() *Server {
	return &Server{Stalled: func() []status.Stall { return nil },
		Cluster: "prod", Version: "v1.2.3", Listeners: someListeners(),
		Informers: someInformers, Leads: func() bool { return true },
		Reload: func() status.Reload {
			return status.Reload{Successful: true, Last: time.Unix(1700000000, 0), Successes: 5,
				Failures: 6}
		},
		Instances: func() int64 { return 50 },
		Requests: func() map[kube.Result]uint64 {
			return map[kube.Result]uint64{{Method: "GET", Code: "200"}: 55}
		},
		Letters: func() deadletter.Stats {
			return deadletter.Stats{Letters: 61, Bytes: 62, MaxBytes: 63, Waiting: 64,
				Listeners: map[string]deadletter.ListenerStats{
					"gone": {Expired: 65},
					"pods": {Letters: 61, Dropped: 69, Expired: 70},
				}}
		},
		Patches: func() patch.Stats {
			return patch.Stats{Changed: 81, Unchanged: 82, Skipped: 83, Pauses: 84}
		},
		Checkpoint: func() keeper.Stats {
			return keeper.Stats{Current: time.Unix(1700000000, 5e8), Took: 91 * time.Millisecond,
				Commits: 92, Written: 93, SnapshotFailures: 94, Failed: errors.New("no space")}
		}}
}
