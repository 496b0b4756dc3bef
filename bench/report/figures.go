package report

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/informerd/informerd/bench/trial"
)

// Figures are the medians of one contender's trials. Unknown ones are zero.
type Figures struct {
	Contender string
	Objects   int

	ListCPU, EventCPU       float64 // microseconds, per object and per event
	ListWall, EventWall     time.Duration
	ListAllocs, EventAllocs float64 // per object and per event
	Heap                    float64 // bytes per object, live after the list
	PeakRSS, SteadyRSS      float64 // bytes
	LoadedRSS               float64 // bytes, after the burst
	ColdRSS                 float64 // bytes, once unused objects are cold
	CoolCPU                 float64 // microseconds per object, for that
	Resident                float64 // bytes per object: steady above idle
	P50, P99                time.Duration

	First           time.Duration // from the start to the first event
	Disk, EventDisk float64       // bytes of the checkpoint, and bytes that an event adds

	// microseconds per event, without the idle usage of the process
	SingleCPU            float64
	IdleCPU              float64 // microseconds per second
	SingleP50, SingleP99 time.Duration
}

// Summarize returns the medians of one contender's trials.
func Summarize(trials []trial.Result) Figures {
	if len(trials) == 0 {
		return Figures{}
	}
	first := trials[0]
	f := Figures{Contender: first.Contender, Objects: first.Objects}
	by := func(of func(trial.Result) float64) float64 { return median(trials, of) }
	micros := func(d time.Duration, n int) float64 {
		if n == 0 {
			return 0
		}
		return float64(d.Nanoseconds()) / 1e3 / float64(n)
	}
	f.ListCPU = by(func(r trial.Result) float64 { return micros(r.List.CPU, r.Objects) })
	f.EventCPU = by(func(r trial.Result) float64 { return micros(r.Burst.CPU, r.Changes) })
	f.ListWall = time.Duration(by(func(r trial.Result) float64 { return float64(r.List.Wall) }))
	f.EventWall = time.Duration(by(func(r trial.Result) float64 { return float64(r.Burst.Wall) }))
	f.ListAllocs = by(func(r trial.Result) float64 {
		return float64(r.List.Allocs) / float64(r.Objects)
	})
	f.EventAllocs = by(func(r trial.Result) float64 {
		return float64(r.Burst.Allocs) / float64(max(1, r.Changes))
	})
	if !first.Blind { // a contender that keeps nothing has no size per object
		f.Heap = by(func(r trial.Result) float64 { return float64(r.Heap) / float64(r.Objects) })
	}
	if !first.Blind && first.IdleRSS > 0 {
		f.Resident = by(func(r trial.Result) float64 {
			return float64(r.SteadyRSS-r.IdleRSS) / float64(r.Objects)
		})
	}
	f.PeakRSS = by(func(r trial.Result) float64 { return float64(r.PeakRSS) })
	f.LoadedRSS = by(func(r trial.Result) float64 { return float64(r.LoadedRSS) })
	cooled := only(trials, func(r trial.Result) bool { return r.ColdRSS > 0 })
	f.ColdRSS = median(cooled, func(r trial.Result) float64 { return float64(r.ColdRSS) })
	f.CoolCPU = median(cooled, func(r trial.Result) float64 {
		return micros(r.Cool.CPU, r.Objects)
	})
	f.SteadyRSS = by(func(r trial.Result) float64 { return float64(r.SteadyRSS) })
	f.First = time.Duration(by(func(r trial.Result) float64 { return float64(r.First) }))
	f.Disk = by(func(r trial.Result) float64 { return float64(r.Disk) })
	// Not every trial has all phases.
	logged := only(trials, func(r trial.Result) bool { return r.BurstDisk > 0 })
	f.EventDisk = median(logged, func(r trial.Result) float64 {
		return float64(r.BurstDisk) / float64(r.Changes)
	})
	paced := only(trials, func(r trial.Result) bool { return len(r.Latencies) > 0 })
	f.P50 = time.Duration(median(paced, func(r trial.Result) float64 {
		return float64(Percentile(r.Latencies, 50))
	}))
	f.P99 = time.Duration(median(paced, func(r trial.Result) float64 {
		return float64(Percentile(r.Latencies, 99))
	}))
	single := only(trials, func(r trial.Result) bool { return r.Singles > 0 })
	f.SingleCPU = median(single, func(r trial.Result) float64 {
		idle := float64(r.IdleCPU) * r.SingleWall.Seconds()
		return micros(r.SingleCPU-time.Duration(idle), r.Singles)
	})
	f.IdleCPU = median(single, func(r trial.Result) float64 { return micros(r.IdleCPU, 1) })
	f.SingleP50 = time.Duration(median(single, func(r trial.Result) float64 {
		return float64(Percentile(r.SingleLatencies, 50))
	}))
	f.SingleP99 = time.Duration(median(single, func(r trial.Result) float64 {
		return float64(Percentile(r.SingleLatencies, 99))
	}))
	return f
}

func median(trials []trial.Result, of func(trial.Result) float64) float64 {
	var values []float64
	for _, r := range trials {
		values = append(values, of(r))
	}
	return Median(values)
}

func only(trials []trial.Result, has func(trial.Result) bool) []trial.Result {
	return slices.DeleteFunc(slices.Clone(trials), func(r trial.Result) bool { return !has(r) })
}

// Agree checks that all trials of one server have seen the same matches; otherwise they have not
// done the same work and their figures cannot be compared. One that takes the list alone has other
// changes.
func Agree(trials []trial.Result) error {
	var errs []error
	var reference *trial.Result
	for _, r := range trials {
		switch {
		case r.Blind:
		case reference == nil:
			reference = &r
		case r.MatchedListed != reference.MatchedListed ||
			r.Changes == reference.Changes && r.MatchedChanges != reference.MatchedChanges:
			errs = append(errs,
				fmt.Errorf("%s matched %d objects and %d changes, %s %d and %d: the figures cannot be compared",
					r.Contender, r.MatchedListed, r.MatchedChanges, reference.Contender,
					reference.MatchedListed, reference.MatchedChanges))
		}
	}
	if reference != nil && reference.MatchedListed == 0 {
		errs = append(errs, fmt.Errorf(
			"%s matched no object: the filter does not fit these objects",
			reference.Contender))
	}
	return errors.Join(errs...)
}
