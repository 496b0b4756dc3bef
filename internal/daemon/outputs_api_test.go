package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/patch"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// The outputs that write to the API server work once it is connected, and share what they know: an
// object that they patch too often is paused for all, with an Event.
func TestOutputsOfTheAPIServer(t *testing.T) {
	a, err := sinks.NewAPI(quiet)
	if err != nil {
		t.Fatal(err)
	}
	m := &sinks.Maker{API: a}
	changes, err := filters.Compile(filters.Expression{Kind: filters.KindData,
		Text: `{"spec": {"version": object.metadata.resourceVersion}}`})
	if err != nil {
		t.Fatal(err)
	}
	var outputs []sink.Sink
	for _, typ := range []string{"merge", "apply"} {
		o := &config.Output{Name: "fix", Patch: &config.Patch{Type: typ}}
		s, err := m.New(nil, o, sinks.Expressions{Patch: changes})
		if err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, s)
	}
	note, err := m.New(nil, &config.Output{KubernetesEvent: &config.KubernetesEvent{}},
		sinks.Expressions{})
	if err != nil {
		t.Fatal(err)
	}
	write := func(s sink.Sink, m sink.Message) error {
		return errors.Join(s.Write(t.Context(), []sink.Message{m})...)
	}
	for _, s := range append(outputs, note) {
		if err := write(s, sinktest.Message(t, "web", 1)); !errors.Is(err, sinks.ErrNotConnected) ||
			sink.IsPermanent(err) {
			t.Errorf("not connected: %v", err)
		}
	}

	k := kubernetesWith(t, nil)
	var mu sync.Mutex
	version := 1
	var reasons []string
	k.refuse = func(r *http.Request) (int, string) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/events") {
			var e struct{ Reason string }
			if err := json.Unmarshal(body, &e); err != nil {
				t.Error(err)
			}
			reasons = append(reasons, e.Reason)
			return http.StatusCreated, string(body)
		}
		version++
		return http.StatusOK, fmt.Sprintf(
			`{"metadata":{"name":"web","uid":"uid-web","resourceVersion":"%d"}}`, version)
	}
	w, err := kube.NewWriter(&rest.Config{Host: k.url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.Connect("prod", w)
	defer w.CloseIdleConnections()
	if err := write(note, sinktest.Message(t, "web", 1)); err != nil {
		t.Error(err)
	}
	for n := range 10 {
		if err := write(outputs[n%2], sinktest.Message(t, "web", n+1)); err != nil {
			t.Fatal(err)
		}
	}
	last := event.Event{Op: event.Update, Object: sinktest.Message(t, "web", 11).Object,
		Old: sinktest.Message(t, "web", 10).Object}
	if !a.Own("prod", "all").Own(t.Context(), &last) ||
		a.Own("prod", "another").Own(t.Context(), &last) {
		t.Error("own writes are not known, or another listener's")
	}
	for _, s := range outputs {
		if err := write(s, sinktest.Message(t, "web", 11)); !errors.Is(err, patch.ErrPaused) {
			t.Errorf("got %v", err)
		}
	}
	if want := []string{"ObjectUpdated", "PatchLoop"}; !slices.Equal(reasons, want) {
		t.Errorf("Events %v, want %v", reasons, want)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := a.Close(ctx); err != nil {
		t.Error(err)
	}
}
