package endpoints

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/internal/keeper"
)

// checkpointSeries are of the checkpoint as a whole.
var checkpointSeries = []series[keeper.Stats]{
	gauge(nil, "checkpoint_failed",
		"1 if the checkpoint was given up because its disk failed (state.onDiskError: continue), 0 if not. Alert on 1: what happens from then on "+
			"comes again after a restart.",
		func(s keeper.Stats) int { return oneIf(s.Failed != nil) }),
	{describe("checkpoint_current_timestamp_seconds",
		"Up to when everything is in the checkpoint, in seconds since 1970; 0 before the first cut. Alert if time() minus this exceeds a minute: the "+
			"disk is slow, and reports of rules wait for it."),
		prometheus.GaugeValue, func(s keeper.Stats) float64 {
			if s.Current.IsZero() {
				return 0
			}
			return float64(s.Current.UnixMilli()) / 1000
		}},
	{describe("checkpoint_commit_seconds",
		"How long the last commit took, from its cut until it was on disk. Worry if it comes near a second: the disk is slow."),
		prometheus.GaugeValue, func(s keeper.Stats) float64 { return s.Took.Seconds() }},
	counter(nil, "checkpoint_commits_total",
		"Commits of what had changed: one each 200 ms at most, and one for each report of a rule that nobody else asked for.",
		func(s keeper.Stats) uint64 { return s.Commits }),
	counter(nil, "checkpoint_written_bytes_total",
		"Bytes that were written to the checkpoint, snapshots included.",
		func(s keeper.Stats) uint64 { return uint64(s.Written) }),
	counter(nil, "checkpoint_snapshot_failures_total",
		"Snapshots of the checkpoint that could not be written. Nothing is lost, and each is tried again; worry if it goes on rising, since the "+
			"checkpoint grows meanwhile. The log has the error.",
		func(s keeper.Stats) uint64 { return s.SnapshotFailures }),
}

// checkpointLine returns a line about a checkpoint that was given up, and nothing about others.
func (s *Server) checkpointLine() string {
	if s.Checkpoint == nil {
		return ""
	}
	stats := s.Checkpoint()
	if stats.Failed == nil {
		return ""
	}
	return fmt.Sprintf("\ncheckpoint: given up, and current only up to %s: %+.500q",
		stats.Current.UTC().Format(time.RFC3339), stats.Failed.Error())
}
