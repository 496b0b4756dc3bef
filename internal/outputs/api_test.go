package outputs

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// asked is the API of a cluster, which notes what it is asked.
type asked []sink.KubeRequest

func (a *asked) Do(_ context.Context, r sink.KubeRequest) ([]byte, error) {
	*a = append(*a, r)
	return []byte(`{"metadata":{"name":"web","uid":"uid-web","resourceVersion":"2"}}`), nil
}

// A write goes to the cluster of the message's object, and to no other one: not while that is not
// connected yet, and not when it has left.
func TestWritesGoToTheClusterOfTheObject(t *testing.T) {
	a, err := NewAPI(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	m := &Maker{API: a}
	for _, o := range []*config.Output{{Patch: &config.Patch{Type: "merge"}},
		{KubernetesEvent: &config.KubernetesEvent{}}} {
		s, err := m.New(nil, o, Expressions{})
		if err != nil {
			t.Fatal(err)
		}
		write := func(cluster string) error {
			message := sinktest.MessageIn(t, cluster, "web", 1)
			message.Body, message.Data = sink.BodyData, `{"spec":1}`
			return errors.Join(s.Write(t.Context(), []sink.Message{message})...)
		}
		refused := func(cluster string) {
			t.Helper()
			if err := write(cluster); !errors.Is(err, ErrNotConnected) || sink.IsPermanent(err) ||
				!strings.HasSuffix(err.Error(), `not connected to the API server of cluster "us"`) {
				t.Errorf("got %v", err)
			}
		}
		var eu, us, again asked
		a.Connect("eu", &eu)
		refused("us")
		a.Connect("us", &us)
		for _, cluster := range []string{"eu", "us"} {
			if err := write(cluster); err != nil {
				t.Errorf("%s: %v", cluster, err)
			}
		}
		a.Connect("eu", &again)
		a.Disconnect("us")
		if err := write("eu"); err != nil {
			t.Error(err)
		}
		refused("us")
		for i, to := range []asked{eu, us, again} {
			if len(to) != 1 || to[0].Cluster != []string{"eu", "us", "eu"}[i] {
				t.Errorf("API %d was asked %+v", i, to)
			}
		}
	}
}

// Own writes are those of a cluster, until it leaves.
func TestOwnWritesAreOfACluster(t *testing.T) {
	a, err := NewAPI(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	eu, us := a.Own("eu", "all"), a.Own("us", "all")
	a.Disconnect("us")
	if eu == us || a.Own("eu", "all") != eu || a.Own("us", "all") == us {
		t.Error("clusters share what is own, or it is not forgotten with its cluster")
	}
}
