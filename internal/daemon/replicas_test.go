package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/kube/lease/leasetest"
	"github.com/informerd/informerd/internal/replica"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/informer"
)

const withElection = "apiVersion: informerd.dev/v1alpha1\nkind: Config\n" +
	"leaderElection: {namespace: ha, name: ours}\noutputs: {out: {stdout: {}}}\nlisteners:\n" +
	"  maps: {informer: {resource: configmaps}, outputs: [out]}\n" +
	"  some: {informer: {resource: configmaps, fieldSelector: metadata.name!=x}, outputs: [out]}\n"

// Two processes on one machine are two candidates.
func TestElectionOfProcesses(t *testing.T) {
	cfg := parse(t, withElection)
	a, err := election(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b, err := election(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if a.Identity == b.Identity {
		t.Errorf("both are %s", a.Identity)
	}
	if b.Identity = a.Identity; !reflect.DeepEqual(a, b) || a.Namespace != "ha" || a.Name != "ours" {
		t.Errorf("%+v, %+v", a, b)
	}
	cfg.LeaderElection.Namespace = ""
	var mistakes config.Errors
	if _, err = election(cfg); !errors.As(err, &mistakes) || mistakes.Error() != cfg.File()+
		":3:17: leaderElection.namespace is not set, and informerd does not run in a pod; name the namespace of the Lease" {
		t.Errorf("without a namespace: %v", err)
	}
	cfg.LeaderElection = nil
	if none, err := election(cfg); none != nil || err != nil {
		t.Errorf("%+v, %v", none, err)
	}
}

// What the leader writes down for its successor is in no event.
func TestTheRecordOfReplicasIsNotWatched(t *testing.T) {
	cfg := parse(t, withElection)
	for name, want := range map[string]string{"maps": "metadata.name!=ours-progress",
		"some": "metadata.name!=x,metadata.name!=ours-progress"} {
		inf := cfg.Listeners[name].Informer()
		s := &setup{whole: cfg}
		got := s.targets(kube.ConfigMaps, inf, informer.Shape{})
		if len(got) != 1 || got[0].Scope.FieldSelector != want {
			t.Errorf("%s: %+v", name, got)
		}
		sharded := *cfg
		sharded.Sharding = &config.Sharding{}
		got = (&setup{whole: &sharded}).targets(kube.ConfigMaps, inf, informer.Shape{})
		if len(got) != 1 || got[0].Scope.FieldSelector != inf.FieldSelector ||
			got[0].Scope.LabelSelector != "!informerd.dev/lease" {
			t.Errorf("%s, with shards: %+v", name, got)
		}
		if got = s.targets(kube.Events, inf, informer.Shape{}); got[0].Scope.FieldSelector !=
			inf.FieldSelector {
			t.Errorf("another resource: %+v", got)
		}
	}
}

// candidate has a replica take part in an election.
func candidate(line *leasetest.Line) *replica.Replica {
	return replica.Begin(replica.Config{Log: quiet, Client: line.Client(),
		Targets: func(context.Context) ([]informer.Target, error) { return nil, nil },
		Lease: lease.Config{Namespace: "ha", Name: "ours", Identity: "a", Log: quiet,
			Duration: time.Minute, RenewDeadline: time.Second,
			RetryPeriod: 100 * time.Millisecond}})
}

// A replica that may not deliver tries again, until it may or is stopped.
func TestOnlyLeadersWrite(t *testing.T) {
	var out bytes.Buffer
	r, err := build(t.Context(), parse(t, withElection),
		Options{Log: quiet, Stdout: &out, running: true})
	if err != nil {
		t.Fatal(err)
	}
	line := leasetest.New().NewLine()
	line.Cut()
	other := candidate(line)
	messages := []sink.Message{sinktest.Message(t, "web", 1)}
	r.replica.Store(other)
	errs := r.outputs["out"].sink.Write(t.Context(), messages)
	if len(errs) != 1 || !errors.Is(errs[0], sink.ErrFenced) || sink.IsPermanent(errs[0]) ||
		out.Len() > 0 {
		t.Errorf("%v; %s was written", errs, out.String())
	}
	r.replica.Store(nil)
	if errs = r.outputs["out"].sink.Write(t.Context(), messages); errs != nil || out.Len() == 0 {
		t.Errorf("without a replica: %v", errs)
	}
	if err := errors.Join(other.Close(), r.close(t.Context())); err != nil {
		t.Error(err)
	}
}

// A request that nobody answers ends at renewDeadline, and not when informerd ends.
func TestRequestsEndWithTheLease(t *testing.T) {
	came := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		close(came)
		<-q.Context().Done()
	}))
	t.Cleanup(server.Close)
	r, err := build(t.Context(), parse(t, strings.Replace(withElection, "stdout: {}",
		`webhook: {url: "`+server.URL+`"}`, 1)), Options{Log: quiet, running: true})
	if err != nil {
		t.Fatal(err)
	}
	line := leasetest.New().NewLine()
	election := candidate(line)
	r.replica.Store(election)
	s := &shard{supervisor: &supervisor{runtime: r}, cluster: &cluster{}, log: quiet}
	ctx, err := s.lead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-came
		line.Cut()
	}()
	begun := time.Now()
	errs := r.outputs["out"].sink.Write(context.WithoutCancel(ctx),
		[]sink.Message{sinktest.Message(t, "web", 1)})
	// The webhook would wait for ten seconds.
	if took := time.Since(begun); len(errs) != 1 || !errors.Is(errs[0], sink.ErrFenced) ||
		took > 8*time.Second {
		t.Errorf("the request has ended after %v with %v", took, errs)
	}
	<-ctx.Done()
	if !errors.Is(context.Cause(ctx), lease.ErrLost) {
		t.Error(context.Cause(ctx))
	}
	if err := election.Close(); !errors.Is(err, lease.ErrLost) {
		t.Error(err)
	}
	if err := r.close(context.WithoutCancel(ctx)); err != nil {
		t.Error(err)
	}
}
