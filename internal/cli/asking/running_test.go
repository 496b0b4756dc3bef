package asking

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/memory"
)

const withState = `apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: state}
outputs: {out: {stdout: {}}}
listeners:
  pods: {informer: {resource: pods}, outputs: [out]}
`

// A running informerd is asked about an object of the cluster. Where none can be asked, that is
// said at most once, and only if there is one.
func TestTheRunningInformerdIsAsked(t *testing.T) {
	const asked, cannot = "pods shop web", "informerd: what the running informerd remembers is not known: this informerd cannot do that\n"
	remembers := func(of admin.ObjectOf) memory.Object {
		return memory.Object{Has: true, UID: fmt.Sprint(of.Listener, " ", of.Namespace, " ", of.Name)}
	}
	for name, c := range map[string]struct {
		text         string // of the configuration
		of           Options
		serves       *admin.Functions // nil: nothing runs
		knows, notes string
	}{
		"one that runs":      {withState, Options{}, &admin.Functions{Remembers: remembers}, asked, ""},
		"none":               {withState, Options{}, nil, "", ""},
		"an older one":       {withState, Options{}, &admin.Functions{}, "", cannot},
		"none, about a file": {withState, Options{Object: "pod.yaml"}, nil, "", ""},
		"without a folder": {strings.Replace(withState, "state: {dir: state}\n", "", 1), Options{},
			&admin.Functions{Remembers: remembers}, "", ""},
		"about a first list": {withState, Options{Initial: true},
			&admin.Functions{Remembers: remembers}, "", ""},
		"about a file": {withState, Options{Object: "pod.yaml"},
			&admin.Functions{Remembers: remembers}, "", ""},
		"about the text of an object of the cluster": {withState, Options{Object: "uid.yaml"},
			&admin.Functions{Remembers: remembers}, asked, ""},
		"about its delete": {withState, Options{Object: "uid.yaml", Op: "delete"},
			&admin.Functions{Remembers: remembers}, asked, ""},
		"about an update of it": {withState, Options{Object: "uid.yaml", Old: "old.yaml"},
			&admin.Functions{Remembers: remembers}, asked, ""},
		"about an apply": {withState, Options{Object: "pod.yaml", Apply: true},
			&admin.Functions{Remembers: remembers}, "", ""}, // of what is not there
	} {
		cfg, err := config.Parse(filepath.Join(t.TempDir(), "c.yaml"), []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		if c.serves != nil {
			serve(t, filepath.Join(filepath.Dir(cfg.File()), "state"), *c.serves)
		}
		if c.of.Object == "" {
			c.of.live = &kube.Reference{Resource: "pod", Namespace: "shop", Name: "web"}
		}
		var notes bytes.Buffer
		text := `{"metadata":{"name":"web","namespace":"shop"}}`
		if c.of.Object == "uid.yaml" {
			text = `{"metadata":{"name":"web","namespace":"shop","uid":"u1"}}`
		}
		q := plan.Question{Object: plan.ObjectFile{JSON: []byte(text)}}
		x := Asking{Options: c.of, cfg: cfg, Streams: Streams{Stderr: &notes},
			questions: []plan.Question{q}}
		release := x.findRunning(t.Context())
		knows := ""
		for range 2 {
			key, ok := x.remembersBy(q)
			if !ok {
				continue
			}
			if known := x.remembered(t.Context(), cfg.Listeners["pods"], key); known != nil {
				knows = known.UID
			}
		}
		release()
		unasked := map[string]string{
			"none":             "no informerd runs with the state in " + cfg.Path("state"),
			"without a folder": "the configuration has no folder for state, by which a running informerd is asked",
		}[name]
		if x.unasked != unasked {
			t.Errorf("%s: unasked: %q, want %q", name, x.unasked, unasked)
		}
		if knows != c.knows || notes.String() != c.notes {
			t.Errorf("%s: %q, %q; want %q, %q", name, knows, &notes, c.knows, c.notes)
		}
	}
}

// serve serves functions in a folder until the test ends.
func serve(t *testing.T, dir string, f admin.Functions) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := admin.Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, f, slog.New(slog.DiscardHandler)) }()
	t.Cleanup(func() {
		cancel()
		if err := errors.Join(<-ended, s.Close()); err != nil {
			t.Error(err)
		}
	})
}

// Texts of a cluster are looked up for in the cluster that the configuration names.
func TestTextsOfACluster(t *testing.T) {
	for _, c := range []struct {
		cluster, object string
		want            bool
	}{
		{"cluster: {kubeconfig: k}\n", `{"metadata":{"name":"web","uid":"u1"}}`, true},
		{"cluster: {kubeconfig: k}\n", `{"metadata":{"name":"web"}}`, false},
		{"cluster: {name: k}\n", `{"metadata":{"name":"web","uid":"u1"}}`, false},
	} {
		cfg, err := config.Parse(filepath.Join(t.TempDir(), "c.yaml"), []byte(withState+c.cluster))
		if err != nil {
			t.Fatal(err)
		}
		q := plan.Question{Object: plan.ObjectFile{JSON: []byte(c.object)}}
		x := Asking{cfg: cfg, questions: []plan.Question{q}}
		if got := x.textsOfCluster(); got != c.want {
			t.Errorf("%s%s: %t", c.cluster, c.object, got)
		}
	}
}
