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

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/sink/patch"
	"github.com/informerd/informerd/internal/status"
)

// pageHead is the page up to the table's rows.
//
//go:embed testdata/metrics-head.md
var pageHead string

// The page has each metric there is, with what # HELP says of it.
func TestMetricsPage(t *testing.T) {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(&collector{Server: someServer(), log: slog.New(slog.DiscardHandler)})
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
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

// someServer has every metric.
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
