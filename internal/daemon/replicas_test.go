package daemon

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/kube/lease/leasetest"
	"github.com/informerd/informerd/internal/replica"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/fence"
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
	if b.Identity = a.Identity; *a != *b || a.Namespace != "ha" || a.Name != "ours" {
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
		if got = s.targets(kube.Events, inf, informer.Shape{}); got[0].Scope.FieldSelector !=
			inf.FieldSelector {
			t.Errorf("another resource: %+v", got)
		}
	}
}

// A replica that may not deliver tries again, until it may or is stopped.
func TestOnlyLeadersWrite(t *testing.T) {
	var out bytes.Buffer
	r, err := build(t.Context(), parse(t, withElection),
		BuildOptions{Log: quiet, Stdout: &out, running: true})
	if err != nil {
		t.Fatal(err)
	}
	election := leasetest.New()
	line := election.NewLine()
	line.Cut()
	other := replica.Begin(replica.Config{Log: quiet, Clients: line.Clients(), Lease: lease.Config{
		Namespace: "ha", Name: "ours", Identity: "a", Duration: 15 * time.Second,
		RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second, Log: quiet}})
	messages := []sink.Message{sinktest.Message(t, "web", 1)}
	r.replica.Store(other)
	errs := r.outputs["out"].sink.Write(t.Context(), messages)
	if len(errs) != 1 || !errors.Is(errs[0], fence.ErrRefused) || sink.IsPermanent(errs[0]) ||
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
