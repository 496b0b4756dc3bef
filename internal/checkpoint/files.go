package checkpoint

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// lockName is the file that a process locks while it uses the folder. It is never removed.
const lockName = "lock"

// unfinished is the end of the names of files that are not complete.
const unfinished = ".tmp"

// path returns the path of a file of a generation.
func (k kind) path(dir string, generation uint64) string {
	name := "log"
	if k == snapshotFile {
		name = "snapshot"
	}
	return filepath.Join(dir, fmt.Sprintf("%s-%016x", name, generation))
}

// parseName returns what a file is, and false if it does not belong to a checkpoint.
func parseName(name string) (k kind, generation uint64, complete, ok bool) {
	name, tmp := strings.CutSuffix(name, unfinished)
	word, number, _ := strings.Cut(name, "-")
	switch word {
	case "log":
		k = logFile
	case "snapshot":
		k = snapshotFile
	default:
		return 0, 0, false, false
	}
	generation, err := strconv.ParseUint(number, 16, 64)
	return k, generation, !tmp, err == nil && k.path("", generation) == name
}

// chain is what loads: a snapshot and the logs after it.
type chain struct {
	snapshot uint64   // its generation, 0 if there is none
	logs     []uint64 // their generations, without a gap
}

// findChain returns the files to load, and the paths of those that are not needed any more.
func findChain(d disk, dir string) (c chain, rest []string, err error) {
	entries, err := d.List(dir)
	if err != nil {
		return c, nil, err
	}
	logs := map[uint64]bool{}
	for _, e := range entries {
		k, g, complete, ok := parseName(e.name)
		if ok && complete && k == snapshotFile {
			c.snapshot = max(c.snapshot, g)
		}
		if ok && complete && k == logFile {
			logs[g] = true
		}
	}
	first := max(1, c.snapshot)
	for _, e := range entries {
		_, g, complete, ok := parseName(e.name)
		if !ok || complete && g >= first {
			continue
		}
		rest = append(rest, filepath.Join(dir, e.name))
		if complete {
			delete(logs, g)
		}
	}
	for g := first; logs[g]; g++ {
		c.logs = append(c.logs, g)
		delete(logs, g)
	}
	if len(logs) > 0 || c.snapshot > 0 && len(c.logs) == 0 {
		return c, nil, fmt.Errorf("%s: %w: the file is missing; %s",
			logFile.path(dir, first+uint64(len(c.logs))), ErrDamaged, advice)
	}
	return c, rest, nil
}
