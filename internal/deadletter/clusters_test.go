package deadletter

import (
	"errors"
	"strings"
	"testing"
)

// at returns a letter of pod default/a of a cluster.
func at(cluster string, version int) Letter {
	l := letter("a", version)
	l.Cluster = cluster
	return l
}

// What is delivered of an object says nothing of the one of the same names in another cluster, nor
// after a restart. In a store of one cluster that has another name by now, it does.
func TestObjectsOfClusters(t *testing.T) {
	for clusters, want := range map[bool]string{true: "a@2hook", false: "a@1hook a@2hook"} {
		both(t, func(t *testing.T, cfg Config) {
			cfg.Clusters = clusters
			s := open(t, cfg)
			put(t, s, at("eu", 1), at("us", 2))
			if cfg.Path != "" {
				s = restart(t, s, cfg)
			}
			s.Listener("pods").Delivered(Delivery{Output: "hook", Cluster: "us", Resource: "pods",
				Namespace: "default", Name: "a", ResourceVersion: "9"})
			if got := superseded(t, s); got != want {
				t.Errorf("clusters %t: superseded %q, want %q", clusters, got, want)
			}
			for _, q := range []Query{{Cluster: "us"}, {Cluster: "us", Listener: "pods"}} {
				if got := names(t, s, q); got != "a@2 " {
					t.Errorf("%+v selects %s", q, got)
				}
			}
			if got := names(t, s, Query{Cluster: "asia"}); got != "" {
				t.Errorf("another cluster: %s", got)
			}
		})
	}
}

// A namespace of one cluster takes no room from that of the same name in another, and a letter
// replaces none of an object there.
func TestNamespacesOfClusters(t *testing.T) {
	both(t, func(t *testing.T, cfg Config) {
		one := sizeOf(t, at("eu", 1))
		cfg.Clusters, cfg.Limits = true, Limits{MaxBytes: 8 * one, NamespaceBytes: 2 * one}
		s := open(t, cfg)
		other := letter("b", 2)
		other.Cluster = "eu"
		put(t, s, at("eu", 1), other, at("us", 3), at("us", 4))
		another := letter("c", 5)
		another.Cluster = "eu"
		if err := putOne(t.Context(), s, another); !errors.Is(err, errShare) ||
			!strings.HasSuffix(err.Error(), `: namespace "default" of cluster "eu"`) {
			t.Errorf("got %v", err)
		}
		put(t, s, at("eu", 6))
		if got := names(t, s, Query{}); got != "b@2 a@3 a@4 a@6 " {
			t.Errorf("got %s", got)
		}
	})
}
