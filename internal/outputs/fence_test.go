package outputs

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters"
)

// TestEverySinkHasTheFence: no kind of output is forgotten. Those that write to the API server have
// that of its writer.
func TestEverySinkHasTheFence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	kinds := map[string]string{
		"stdout": `{}`, "file": `{path: ` + path + `}`,
		"webhook": `{url: "http://127.0.0.1:1"}`, "slack": `{url: "http://127.0.0.1:1"}`,
		"alertmanager": `{url: "http://127.0.0.1:1"}`,
		"nats":         `{servers: ["nats://127.0.0.1:1"], subject: '"k8s"'}`,
		"kafka":        `{brokers: ["127.0.0.1:1"], topic: k8s}`,
	}
	api := []string{"kubernetesEvent", "patch"}
	there := 0
	for _, field := range reflect.VisibleFields(reflect.TypeFor[config.Output]()) {
		if strings.Contains(field.Tag.Get("jsonschema"), "oneof_required=kind") {
			there++
		}
	}
	if there != len(kinds)+len(api) {
		t.Errorf("there are %d kinds of outputs", there)
	}
	subject, err := filters.Compile(filters.Expression{Kind: filters.KindText, Text: `"k8s"`})
	if err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("another one leads")
	var stdout bytes.Buffer
	m := Maker{Stdout: &stdout, Fence: sink.NewFence(func() error { return wrong })}
	for kind, text := range kinds {
		cfg, err := config.Parse("informerd.yaml", []byte(`apiVersion: informerd.dev/v1alpha1
kind: Config
listeners: {all: {informer: {resource: pods}, outputs: [o], rules: [{name: r, deny: "true"}]}}
outputs: {o: {`+kind+`: `+text+"}}\n"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := m.New(cfg, cfg.Outputs["o"], Expressions{Subject: subject})
		if err != nil {
			t.Fatal(err)
		}
		report := sinktest.Message(t, "web", 1)
		report.Body, report.Report = sink.BodyReport, &sink.Report{Rule: "r"}
		errs := s.Write(t.Context(), []sink.Message{report})
		if len(errs) != 1 || !errors.Is(errs[0], wrong) || !errors.Is(errs[0], sink.ErrFenced) {
			t.Errorf("%s: %v", kind, errs)
		}
		if err := s.Close(context.Background()); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if stdout.Len() > 0 {
		t.Errorf("stdout has %s", stdout.String())
	}
}
