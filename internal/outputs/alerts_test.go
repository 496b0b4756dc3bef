package outputs

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters"
)

// TestAlertsOverAReload: the alert that fires is the one that ends, also if the labels of the
// output are others by then.
func TestAlertsOverAReload(t *testing.T) {
	var teams []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var alerts []struct{ Labels map[string]string }
		if err := json.NewDecoder(r.Body).Decode(&alerts); err != nil || len(alerts) != 1 {
			t.Errorf("got %+v, %v", alerts, err)
			return
		}
		teams = append(teams, alerts[0].Labels["team"])
	}))
	t.Cleanup(server.Close)
	var m Maker
	for i, team := range []string{`"shop"`, `"platform"`} {
		cfg, err := config.Parse("informerd.yaml", []byte(`apiVersion: informerd.dev/v1alpha1
kind: Config
listeners: {all: {informer: {resource: pods}, outputs: [pager], rules: [{name: r, deny: "true"}]}}
outputs: {pager: {alertmanager: {url: "`+server.URL+`"}}}
`))
		if err != nil {
			t.Fatal(err)
		}
		label, err := filters.Compile(filters.Expression{Kind: filters.KindText, Text: team})
		if err != nil {
			t.Fatal(err)
		}
		s, err := m.New(cfg, cfg.Outputs["pager"],
			Expressions{Labels: map[string]*filters.Filter{"team": label}})
		if err != nil {
			t.Fatal(err)
		}
		report := sinktest.Message(t, "web", 1)
		report.Body, report.Report = sink.BodyReport, &sink.Report{Rule: "r", Violated: i == 0,
			Since: time.Unix(1_700_000_000, 0)}
		if errs := s.Write(t.Context(), []sink.Message{report}); errs != nil {
			t.Fatal(errs)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if len(teams) != 2 || teams[0] != "shop" || teams[1] != "shop" {
		t.Errorf("teams %q, want shop twice", teams)
	}
}
