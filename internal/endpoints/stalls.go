package endpoints

import (
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/internal/status"
)

// collectStalls sends a series for each kind, whether there is a stall of it or not.
func (c *collector) collectStalls(ch chan<- prometheus.Metric, found []status.Stall) {
	counts := map[string]int{}
	for _, s := range found {
		counts[s.Kind]++
	}
	for _, kind := range stallKinds {
		c.send(ch, []string{"kind"}, []metric{gauge("stalls",
			"Parts that have come to a halt: work to do, and no progress for 40 s.",
			counts[kind])}, kind)
	}
}

// stalled returns what has come to a halt, and apart from that, what is of one of several clusters.
func (s *Server) stalled() (all, ofClusters []status.Stall) {
	if s.Stalled == nil {
		return nil, nil
	}
	for _, found := range s.Stalled() {
		if found.Cluster == "" {
			all = append(all, found)
		} else {
			ofClusters = append(ofClusters, found)
		}
	}
	return all, ofClusters
}

// withStalls adds what has come to a halt to a verdict of readiness, a line each.
func (s *Server) withStalls(code int, text string) (int, string) {
	all, _ := s.stalled()
	for i, found := range all {
		if code == http.StatusOK && i == 0 {
			code, text = http.StatusServiceUnavailable, "not ready: something has come to a halt"
		}
		text += "\n" + found.Kind
		if found.What != "" {
			text += fmt.Sprintf(" %+q", found.What)
		}
		text += fmt.Sprintf(": stalled since %s: %+.500q", found.Since.UTC().Format(time.RFC3339),
			found.Text)
	}
	return code, text
}
