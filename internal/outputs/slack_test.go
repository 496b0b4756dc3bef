package outputs

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters"
)

// TestWhoNotifiesAChannel: the configuration may, and an object may not.
func TestWhoNotifiesAChannel(t *testing.T) {
	var body struct{ Text string }
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	for text, want := range map[string]string{
		`message`:                             "&lt;!channel> down",
		`violated ? "<!here> " + name : name`: "<!here> web",
		"":                                    "[violated] r: &lt;!channel&gt; down (Pod shop/web, prod)",
	} {
		cfg, err := config.Parse("informerd.yaml", []byte(`apiVersion: informerd.dev/v1alpha1
kind: Config
listeners: {all: {informer: {resource: pods}, outputs: [chat]}}
outputs: {chat: {slack: {url: "`+server.URL+`"}}}
`))
		if err != nil {
			t.Fatal(err)
		}
		var x Expressions
		if text != "" {
			cfg.Outputs["chat"].Slack.Text.Text = text
			x.Text, err = filters.Compile(filters.Expression{Kind: filters.KindText, Text: text})
			if err != nil {
				t.Fatal(err)
			}
		}
		s, err := (&Maker{}).New(cfg, cfg.Outputs["chat"], x)
		if err != nil {
			t.Fatal(err)
		}
		m := sinktest.Message(t, "web", 1)
		m.Body, m.Report = sink.BodyReport, &sink.Report{Rule: "r", Violated: true,
			Message: "<!channel> down"}
		if errs := s.Write(t.Context(), []sink.Message{m}); errs != nil {
			t.Fatal(errs)
		}
		if strings.TrimSpace(body.Text) != want {
			t.Errorf("%s: got %q, want %q", text, body.Text, want)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
