//go:build !linux

package code

import (
	"os"
	"runtime/metrics"
	"time"
)

func lowerPriority() {}

func limitProcess(compileJob) error { return nil }

var began = time.Now()

// used is what the Go runtime knows, and the time on the clock.
func used() jobUsage {
	all := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {
		Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(all)
	return jobUsage{Time: time.Since(began),
		Memory: int64(all[0].Value.Uint64() - all[1].Value.Uint64())}
}

func residentMemory(string) int64 { return 0 }

func usedBy(*os.ProcessState) jobUsage { return jobUsage{} }

// peak is the most memory that the process has had, 0 if that is unknown.
func peak() int64 { return 0 }
