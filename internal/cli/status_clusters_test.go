package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/status"
)

// Fifty clusters are shown a line each, those in trouble first, and informers as often as one
// cluster has them. Names, labels and servers are others' texts.
func TestStatusOfManyClusters(t *testing.T) {
	now := time.Date(2026, 3, 1, 17, 0, 0, 0, time.UTC)
	s := &status.Status{Time: now, Started: now, Version: "v1", Cluster: "home", Ready: true}
	rates := status.Rates{Over: time.Second, Informers: map[string]float64{}}
	for i := range 50 {
		c := status.Cluster{Name: fmt.Sprintf("c%02d", i), Objects: i, Waiting: 2 * i, Server: "https://10.0.0.1:6443",
			Since: now.Add(-time.Hour), OldestSeconds: 3, Labels: map[string]string{"tier": "1", "region": "eu"}}
		in := status.Informer{Resource: "pods", Cluster: c.Name, Objects: 2, Synced: true, Lists: 1, MemoryBytes: 1 << 20,
			Heard: now.Add(time.Duration(-i) * time.Second)}
		if i >= 38 {
			c.Error, c.Since = "no \x1b[31mroute\n"+strings.Repeat("é", 100), time.Time{}
			c.Labels, c.Server = nil, "https://"+strings.Repeat("x", 50)+"\x1b"
			in.Error, in.Heard = "refused\x1b", time.Time{}
		}
		rates.Informers[in.Key()] = 1
		s.Clusters, s.Informers = append(s.Clusters, c), append(s.Informers, in)
	}
	s.Clusters[49].Name = "c49\u202e"
	s.Informers = append(s.Informers, status.Informer{Resource: "secrets", Namespace: "informerd", Synced: true, Objects: 50})
	var b bytes.Buffer
	if err := writeWhole(&b, s, rates); err != nil {
		t.Fatal(err)
	}
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	var got []string
	for line := range strings.Lines(b.String()) {
		got = append(got, words(line))
		if n := len([]rune(line)); n > 220 {
			t.Errorf("a line has %d characters: %s", n, line)
		}
	}
	for _, want := range []string{
		"clusters: 50, of which 12 in trouble: c38, c39, c40, c41, c42, c43, c44, c45, c46, c47 and 2 more",
		`pods 100 50.0 MiB 50 37s 50 cluster c38: refused\x1b`,
		"secrets in informerd 50 0 B - - 0",
		"CLUSTER LABELS SERVER SINCE OBJECTS WAITING OLDEST TROUBLE",
		"c00 region=eu,tier=1 https://10.0.0.1:6443 60m 0 0 3s",
		`c49\u202e - https://` + strings.Repeat("x", 32) + `… - 49 98 3s no \x1b[31mroute\n` + strings.Repeat("é", 66) + "…",
	} {
		found := 0
		for _, line := range got {
			if line == want {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%d lines are %s in\n%s", found, want, b.String())
		}
	}
	if at := strings.Index(b.String(), "\nc38 "); at < 0 || at > strings.Index(b.String(), "\nc00 ") {
		t.Errorf("those in trouble are not first in\n%s", b.String())
	}
}

func TestStatusOfClustersThatAreWell(t *testing.T) {
	if got := clustersText([]status.Cluster{{Name: "a"}, {Name: "b"}}); got != "clusters: 2\n" {
		t.Error(got)
	}
	// a scope of several clusters is as its worst one
	sums, _ := inAllClusters([]status.Informer{{Resource: "pods", Cluster: "a", Synced: true},
		{Resource: "pods", Cluster: "b"}, {Resource: "pods", Cluster: "c", Error: "x"}}, nil)
	if len(sums) != 1 || sums[0].Error != "cluster b: the first list is not complete" {
		t.Errorf("%+v", sums[0])
	}
}
