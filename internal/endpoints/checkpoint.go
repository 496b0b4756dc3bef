package endpoints

import (
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/keeper"
)

func checkpointMetrics(s keeper.Stats) []metric {
	return []metric{
		gauge("checkpoint_failed",
			"1 if the checkpoint was given up because its disk failed.", oneIf(s.Failed != nil)),
		gauge("checkpoint_current_timestamp_seconds",
			"Unix time up to which the checkpoint is complete; 0 before the first commit.",
			unix(s.Current)),
		gauge("checkpoint_commit_seconds",
			"Duration of the last commit.", s.Took.Seconds()),
		counter("checkpoint_commits_total",
			"Commits of the checkpoint.", s.Commits),
	}
}

// unix returns a time in Unix seconds, 0 for none.
func unix(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return float64(at.UnixMilli()) / 1000
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
