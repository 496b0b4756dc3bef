package endpoints

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/wording"
)

// clusters returns those that are watched, by name; nil if there is only one. What has come to a
// halt in one without an error is its error.
func (s *Server) clusters() []status.Cluster {
	if s.Clusters == nil {
		return nil
	}
	found := map[string]string{}
	_, stalls := s.stalled()
	for _, stall := range stalls {
		found[stall.Cluster] = cmp.Or(found[stall.Cluster], stall.String())
	}
	all := slices.Clone(s.Clusters())
	for i := range all {
		c := &all[i]
		c.Error = wording.Cut(cmp.Or(c.Error, found[c.Name]), maxStatusText)
	}
	slices.SortFunc(all, func(a, b status.Cluster) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// share is what a listener does with a shard, in all clusters.
type share struct{ listener, shard string }

// unserved returns the listeners that do not get their events anywhere, and how many listeners
// there are. Bad are those that do not get them where they are. Clusters with an error do not
// count, unless all have one.
func unserved(all []Listener, bad []bool, clusters []status.Cluster) (found map[share]bool, of int) {
	away := map[string]bool{}
	for i := range clusters {
		if c := &clusters[i]; c.Error != "" {
			away[c.Name] = true
		}
	}
	if len(away) == len(clusters) {
		clear(away)
	}
	counts, served := map[share]bool{}, map[share]bool{}
	for i := range all {
		l := &all[i]
		one := share{l.Name, l.Shard}
		counts[one] = counts[one] || !away[l.Cluster]
		served[one] = served[one] || !bad[i]
	}
	found = map[share]bool{}
	for one := range served {
		if counts[one] && !served[one] {
			found[one] = true
		}
	}
	return found, len(served)
}

// clusterLines returns a line for each cluster with an error.
func clusterLines(all []status.Cluster) string {
	var b strings.Builder
	for i := range all {
		if c := &all[i]; c.Error != "" {
			fmt.Fprintf(&b, "\ncluster %+q: %+.500q", c.Name, c.Error)
		}
	}
	return b.String()
}

// collectClusters sends which clusters there are, and whether something is wrong with them.
func (c *collector) collectClusters(ch chan<- prometheus.Metric, all []status.Cluster) {
	c.send(ch, nil, []metric{gauge("clusters",
		"Clusters that are watched. Absent without several.", len(all))})
	for i := range all {
		c.send(ch, []string{"cluster"}, []metric{gauge("cluster_up",
			"1 if the cluster is watched, and nothing is wrong with that.", oneIf(all[i].Error == ""))},
			all[i].Name)
	}
}
