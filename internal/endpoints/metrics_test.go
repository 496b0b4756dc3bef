package endpoints

import (
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/filters/rules"
)

var update = flag.Bool("update", false, "write testdata again")

func TestMetrics(t *testing.T) {
	r := serve(t, someServer())
	res, body := r.get("/metrics")
	if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK ||
		got != "text/plain; version=0.0.4; charset=utf-8" {
		t.Errorf("%s, content type %q", res.Status, got)
	}
	const golden = "testdata/metrics.txt"
	got := lines(body, "informerd_")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the metrics are not those of %s, where go test -update would put these:\n%s",
			golden, got)
	}
	if !strings.Contains(body, "\ngo_goroutines ") {
		t.Error("Go's own metrics are missing")
	}
}

func TestTheNamesOfMetricsAreAsPrometheusWantsThem(t *testing.T) {
	c := &collector{Server: someServer(), log: slog.New(slog.DiscardHandler)}
	problems, err := testutil.CollectAndLint(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestAServerOfNothingHasMetrics(t *testing.T) {
	_, body := serve(t, &Server{}).get("/metrics")
	want := "informerd_build_info{version=\"unknown\"} 1\ninformerd_cluster_info{cluster=\"\"} 1\n"
	if got := lines(lines(body, "informerd_"), "{"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMetricsAreReadWhenAskedFor(t *testing.T) {
	asked := uint64(0)
	r := serve(t, &Server{Listeners: []Listener{{Name: "l", Route: func() route.Stats {
		asked++
		return route.Stats{Written: asked}
	}}}})
	for want := 1; want <= 3; want++ {
		_, body := r.get("/metrics")
		if line := fmt.Sprintf("informerd_messages_written_total{listener=\"l\"} %d\n",
			want); !strings.Contains(body, line) {
			t.Errorf("no %s", line)
		}
	}
}

func TestOnlyOpenViolationsHaveASeries(t *testing.T) {
	got := bounded(map[rules.Count]int{{Rule: "r", Severity: "low", Namespace: "a"}: 0, {
		Rule: "r", Severity: "low", Namespace: "b"}: 2, {Rule: "r", Severity: "low",
		Namespace: ""}: 1})
	if len(got) != 2 || got[rules.Count{Rule: "r", Severity: "low", Namespace: "b"}] != 2 ||
		got[rules.Count{Rule: "r", Severity: "low", Namespace: ""}] != 1 {
		t.Error(got)
	}
}

func TestTheNamespacesOfARuleAreBounded(t *testing.T) {
	counts := map[rules.Count]int{}
	for i := range maxNamespaces {
		counts[rules.Count{Rule: "few", Severity: "low", Namespace: fmt.Sprintf("ns-%04d", i)}] = 1
	}
	for i := range maxNamespaces + 3 {
		counts[rules.Count{Rule: "many", Severity: "high", Namespace: fmt.Sprintf("ns-%04d", i)}] = i
	}
	counts[rules.Count{Rule: "many", Severity: "high", Namespace: "ns-0000"}] = 1
	got := bounded(counts)
	if n := len(got); n != 2*maxNamespaces+1 {
		t.Errorf("%d series, want %d", n, 2*maxNamespaces+1)
	}
	for count, want := range map[rules.Count]int{
		{Rule: "few", Severity: "low", Namespace: "ns-0999"}: 1, {
			Rule: "few", Severity: "low", Namespace: others}: 0, {Rule: "many", Severity: "high",
			Namespace: "ns-0000"}: 1, {Rule: "many", Severity: "high", Namespace: "ns-0999"}: 999,
		{Rule: "many", Severity: "high", Namespace: "ns-1000"}: 0, {
			Rule: "many", Severity: "high", Namespace: others}: 1000 + 1001 + 1002,
	} {
		if got[count] != want {
			t.Errorf("%v: %d, want %d", count, got[count], want)
		}
	}
}

// One name that is not UTF-8 would cost all metrics, and two of them could look alike.
func TestLabelsAreMadeValid(t *testing.T) {
	r := serve(t, &Server{Cluster: "\xff",
		Listeners: []Listener{{Name: "l", Counts: func() map[rules.Count]int {
			return map[rules.Count]int{{Rule: "r", Severity: "low", Namespace: "a\xff"}: 1, {
				Rule: "r", Severity: "low", Namespace: "a\xfe"}: 2, {Rule: "r", Severity: "low",
				Namespace: "\"\\\n"}: 3}
		}}}})
	res, body := r.get("/metrics")
	want := `informerd_listener_violations{listener="l"} 6
informerd_rule_violations{listener="l",namespace="\"\\\n",rule="r",severity="low"} 3
informerd_rule_violations{listener="l",namespace="a` + "\uFFFD" + `",rule="r",severity="low"} 3
`
	if got := lines(body, "violations{"); res.StatusCode != http.StatusOK || got != want {
		t.Errorf("%s\ngot\n%s\nwant\n%s", res.Status, got, want)
	}
}

// Half of the metrics would be taken for all of them.
func TestMetricsThatCannotAllBeReadAreAnError(t *testing.T) {
	twice := someListeners()[:1]
	r := serve(t, &Server{Listeners: append(twice, twice...)})
	res, body := r.get("/metrics")
	want := `{"error":"the metrics cannot be read: informerd's log has the error"}` + "\n"
	if res.StatusCode != http.StatusInternalServerError || body != want {
		t.Errorf("%s: %s", res.Status, body)
	}
}
