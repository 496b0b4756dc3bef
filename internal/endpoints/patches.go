package endpoints

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/informerd/informerd/internal/sink/patch"
)

// patchSeries are of all outputs that patch objects.
var patchSeries = []series[patch.Stats]{
	counter(nil, "patches_changed_total",
		"Patches that changed an object. Worry if it rises faster than the objects' own changes.",
		func(s patch.Stats) uint64 { return s.Changed }),
	counter(nil, "patches_unchanged_total",
		"Patches that found the object as they wanted it, and dry runs. No reason to worry.",
		func(s patch.Stats) uint64 { return s.Unchanged }),
	counter(nil, "patches_skipped_total",
		"Messages for a patch output that had no patch, or were about a deleted object. No reason to worry.",
		func(s patch.Stats) uint64 { return s.Skipped }),
	counter(nil, "patch_pauses_total",
		"Times that an object's patches were paused because they had changed it 10 times within a minute, as in a loop or when two listeners "+
			"fight. Alert on any increase: the log and a Kubernetes Event name the object.",
		func(s patch.Stats) uint64 { return s.Pauses }),
}

func collectPatches(ch chan<- prometheus.Metric, s patch.Stats) { sendAll(ch, patchSeries, s) }
