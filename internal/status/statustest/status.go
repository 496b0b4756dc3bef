// Package statustest has a status for tests of what shows one.
package statustest

import (
	"strings"
	"time"

	"github.com/informerd/informerd/internal/status"
)

var five = time.Date(2026, 3, 1, 17, 0, 0, 0, time.UTC)

// Some is one of three listeners, the n-th of a daemon.
func Some(n int) *status.Status {
	k, three := uint64(n), 3
	second := func(n int) time.Time { return five.Add(time.Duration(n) * time.Second) }
	return &status.Status{Time: second(n), Started: five.Add(-time.Hour),
		Version: "v1", Cluster: "prod\x1b[2J",
		Informers: []status.Informer{
			{Resource: "pods", Namespace: "shop", LabelSelector: "a=b", Synced: true, Objects: 12,
				MemoryBytes: 3 << 20, Events: 20 * k, Heard: second(n - 5), Lists: 1},
			{Resource: "nodes", Error: "forbidden\nby \x1b[31mRBAC"}},
		Listeners: []status.Listener{
			{Name: "hooks", Resource: "pods", State: status.Running, Written: 4 * k, Letters: 2,
				Events: map[string]uint64{"add": 8 * k, "update": 4 * k}, Refused: 6, Filtered: 7,
				Buffer: status.Buffer{Events: 5, OldestSeconds: 90},
				Outputs: []status.Output{{Name: "hook", Waiting: 7, Written: 4 * k, LagSeconds: 0.25,
					OldestSeconds: 61, Retried: 9}}},
			{Name: "judged", Resource: "pods", State: status.Running, Violations: &three,
				Outputs: []status.Output{{Name: "chat", Error: "503 \x1b[5m" + strings.Repeat("é", 100)}}},
			{Name: "nodes", Resource: "nodes", State: status.Failing,
				Reasons: []string{"may not list nodes"}}},
		DeadLetters: &status.DeadLetters{Letters: 2, Bytes: 2048, LimitBytes: 64 << 20},
		Stalled: []status.Stall{{Kind: "output", What: "hook\x1b[1m", Text: "it takes\u202e none",
			Since: second(n - 61)}, {Kind: "API server", Text: "it does not answer",
			Since: second(n - 61)}},
		Process: status.Process{MemoryBytes: 41 << 20, CPUSeconds: 0.1 * float64(n)}}
}
