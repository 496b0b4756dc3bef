package daemon

import (
	"errors"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
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
