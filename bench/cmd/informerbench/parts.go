package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/informerd/informerd/bench/brokers"
	"github.com/informerd/informerd/bench/matched"
	"github.com/informerd/informerd/bench/report"
	"github.com/informerd/informerd/bench/starts"
	"github.com/informerd/informerd/bench/throughput"
)

// performParts measures parts of informerd separately. A part that cannot be measured is a problem,
// not an error.
func (r *runner) performParts(ctx context.Context) {
	batches := 20
	if r.quick {
		batches = 5
	}
	for _, to := range []matched.Destination{matched.File, matched.Pipe} {
		result, err := matched.Measure(ctx, to, "", batches)
		if err != nil {
			r.problem("scene %s: %v", sceneParts, err)
			continue
		}
		m := report.Matched{To: string(to), Bytes: result.Bytes,
			Event: result.Event.Seconds() * 1e6, Write: result.Write.Seconds() * 1e6}
		if to == matched.File {
			m.Most = matched.Limit
		}
		r.matched = append(r.matched, m)
		fmt.Fprintf(r.log, "%-24s matched event to a %v: %v, writing %v\n", sceneParts, to,
			result.Event, result.Write)
	}
	r.performThroughput(ctx)
	r.performStarts(ctx)
	r.performBrokers(ctx)
	var err error
	if r.hostile, err = searchHostile(ctx); err != nil {
		r.problem("scene %s: the search for costly input: %v", sceneParts, err)
	}
	for _, found := range r.hostile {
		fmt.Fprintf(r.log, "%-24s hostile input: %.2fx %s\n", sceneParts, found.Ratio, found.Name)
	}
}

// performThroughput measures listeners with full buffers.
func (r *runner) performThroughput(ctx context.Context) {
	events, rounds := 100_000, 5
	if r.quick {
		events, rounds = 20_000, 3
	}
	for _, way := range throughput.Ways() {
		result, err := throughput.Measure(ctx, way, events, rounds)
		if err != nil {
			r.problem("scene %s: %v", sceneParts, err)
			continue
		}
		r.passed = append(r.passed, report.Passed{Way: way.Name, Rate: result.Rate,
			Bound: result.Bound, CPU: float64(result.CPU) / 1e3, Least: way.Least})
		fmt.Fprintf(r.log, "%-24s full buffer, %s: %.0f events/s\n", sceneParts, way.Name,
			result.Rate)
	}
}

// performStarts measures starts with many listeners.
func (r *runner) performStarts(ctx context.Context) {
	for _, listeners := range []int{1_000, 10_000} {
		if r.quick && listeners > 1_000 {
			continue
		}
		result, err := starts.Measure(ctx, listeners)
		if err != nil {
			r.problem("scene %s: a start with %d listeners: %v", sceneParts, listeners, err)
			continue
		}
		r.starts = append(r.starts, report.Start{Listeners: listeners, Most: starts.Limit,
			Run: result.Run.Seconds(), Validate: result.Validate.Seconds()})
		fmt.Fprintf(r.log, "%-24s start with %d listeners: %v, validate %v\n", sceneParts, listeners,
			result.Run, result.Validate)
	}
}

// performBrokers measures the outputs to brokers.
func (r *runner) performBrokers(ctx context.Context) {
	messages, rounds := 30_000, 7
	if r.quick {
		messages, rounds = 5_000, 3
	}
	for _, to := range []brokers.Broker{brokers.JetStream, brokers.Kafka} {
		result, err := brokers.Measure(ctx, to, messages, rounds)
		if err != nil {
			r.problem("scene %s: %v", sceneParts, err)
			continue
		}
		r.delivered = append(r.delivered, report.Delivered{To: string(to), Bytes: result.Bytes,
			Ours: result.Ours, Client: result.Client, Ready: result.Ready, Ratio: result.Ratio,
			Lowest: result.Lowest, Highest: result.Highest,
			CPU: float64(result.OursCPU) / float64(result.ClientCPU), Least: brokers.Least})
		fmt.Fprintf(r.log, "%-24s output to %s: %.2fx its client\n", sceneParts, to, result.Ratio)
	}
}

// The search is a test of the parser, run as a separate process, so that its targets are defined in
// one place only. It logs a line for each sort of input.
const (
	searchPackage = "github.com/informerd/informerd/pkg/informer/object"
	searchTest    = "TestNoInputCostsMuchMoreThanStrictReading"
)

var searchLine = regexp.MustCompile(`(?m)^ *cost_test\.go:\d+: (\d+\.\d+) (.+)$`)

func searchHostile(ctx context.Context) ([]report.Input, error) {
	// The test fails if a figure is above its limit; here the figures report that.
	out, failed := exec.CommandContext(ctx, "go", "test", "-count=1", "-v", "-run",
		"^"+searchTest+"$", searchPackage).CombinedOutput()
	found, err := readSearch(out)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("go test -run %s %s: no figures: %v: %s", searchTest, searchPackage,
			failed, out[:min(len(out), 1000)])
	}
	return found, err
}

func readSearch(out []byte) (found []report.Input, err error) {
	for _, line := range searchLine.FindAllSubmatch(out, -1) {
		ratio, err := strconv.ParseFloat(string(line[1]), 64)
		if err != nil {
			return nil, err
		}
		found = append(found, report.Input{Name: string(line[2]), Ratio: ratio})
	}
	return found, nil
}
