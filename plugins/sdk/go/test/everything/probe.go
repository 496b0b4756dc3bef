package main

import (
	"runtime"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

var (
	started, ran bool
	kept         *[4000]byte
	live         int // by earlier guests
)

// probe runs one check and returns its outcome as a verdict.
func probe(e *informerd.Event, do string) informerd.Verdict {
	good := false
	switch do {
	case "read ahead", "read with calls":
		good = e.Object.String(name) == "web-1" && e.Object.Int(restarts) == 5
	case "goroutine":
		if !started {
			started = true
			go func() { ran = true }()
		}
		good = ran
	case "cleanups":
		for range 10 {
			kept = new([4000]byte)
			live++
			runtime.AddCleanup(kept, func(int) { live-- }, 0)
		}
		good = live < 4000
	}
	if good {
		return informerd.Done
	}
	return informerd.Fail
}
