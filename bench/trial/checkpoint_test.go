package trial

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/informerd/informerd/bench/contender"
)

// The second trial begins where the first one has ended: without a list, with what it has missed.
func TestATrialGoesOnWithACheckpoint(t *testing.T) {
	_, o := listen(t)
	o.Contender, o.Paced, o.PacedEvery = contender.Listeners, paced, time.Millisecond
	o.Setup.Others, o.Setup.Checkpoint = 2, t.TempDir()
	first, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if first.First <= 0 || first.First > first.List.Wall || first.Pages == 0 ||
		first.MatchedListed != stored || first.MatchedChanges != burst ||
		len(first.Latencies) != paced || first.PacedCPU <= 0 {
		t.Errorf("%+v", first)
	}
	for name, size := range map[string]int64{"list": first.Disk / stored,
		"burst": first.BurstDisk / burst, "paced": first.PacedDisk / paced} {
		if size < 50 || size > 10_000 {
			t.Errorf("%s: %d bytes for each", name, size)
		}
	}
	if _, err := o.Control.Burst(t.Context(), 2, 0); err != nil {
		t.Fatal(err)
	}
	o.Burst, o.Paced, o.Missed = 0, 0, 2
	second, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	// One more page has one object: it says whether the server went back meanwhile.
	if second.Pages != first.Pages+1 || second.First <= 0 || second.MatchedListed != 0 {
		t.Errorf("%+v, after %d pages", second, first.Pages)
	}
}

func TestListenersWithoutACheckpointWriteNothing(t *testing.T) {
	_, o := listen(t)
	o.Contender = contender.Listeners
	r, err := Run(t.Context(), o)
	if err != nil || r.Disk != 0 || r.BurstDisk != 0 || r.MatchedListed != stored ||
		r.MatchedChanges != burst {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAFolderIsCompleteWithoutUnfinishedFiles(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name     string
		bytes    int64
		complete bool
	}{{"log", 3, true}, {"snapshot.tmp", 6, false}} {
		if err := os.WriteFile(filepath.Join(dir, c.name), []byte("abc"), 0o600); err != nil {
			t.Fatal(err)
		}
		bytes, complete, err := folderSize(dir)
		if bytes != c.bytes || complete != c.complete || err != nil {
			t.Errorf("%s: %d, %t, %v", c.name, bytes, complete, err)
		}
	}
}
