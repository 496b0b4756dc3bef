package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/informerd/informerd/bench/contender"
	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/bench/report"
	"github.com/informerd/informerd/bench/trial"
)

// run runs the scenes of a plan and reports the results.
func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	p, err := parsePlan(args, stderr)
	if err != nil {
		return err
	}
	if err := p.checkPrograms(stderr); err != nil {
		return err
	}
	known, err := p.readKnown()
	if err != nil {
		return err
	}
	r := &runner{plan: p, log: stderr, trials: map[string][]trial.Result{}}
	// the commit may be a different one when the run has ended
	started, machine := time.Now(), report.ThisMachine()
	if err := r.perform(ctx); err != nil {
		return err
	}
	doc := r.document(started, machine)
	if _, err := io.WriteString(stdout, doc.Text()); err != nil {
		return err
	}
	if err := r.save(doc); err != nil {
		return err
	}
	if len(doc.Problems) > 0 {
		return errProblems
	}
	if !p.quick {
		return nil
	}
	return judge(stdout, doc, known)
}

// judge shows which figures of a quick run are off, and returns an error if one of them counts.
func judge(stdout io.Writer, doc report.Document, known report.Known) error {
	failed, uncounted := doc.Off(known)
	show := func(off string, v report.Verdict) {
		fmt.Fprintf(stdout, "\noff by more than a factor of two%s: %s: %s, required: %s\n", off,
			v.What, v.Reached, v.Required)
	}
	for _, v := range uncounted {
		show(", but absolute, so it does not count", v)
	}
	for _, v := range failed {
		show("", v)
	}
	if len(failed) > 0 {
		return errFallsShort
	}
	return nil
}

// runner collects the trials of all scenes, by scene and protocol.
type runner struct {
	*plan
	log    io.Writer
	trials map[string][]trial.Result
	// problems are failures that do not end the run.
	problems []string

	matched   []report.Matched
	passed    []report.Passed
	starts    []report.Start
	delivered []report.Delivered
	hostile   []report.Input
}

func (r *runner) perform(ctx context.Context) error {
	if r.has(sceneParts) {
		r.performParts(ctx) // first, while this process has nothing else to do
	}
	for _, scene := range []struct {
		name string
		spec stageSpec
		acts func() []act
		// the filter matches none of the objects: small pods look as if just created
		matchless bool
	}{
		{sceneMain, r.spec("pods", r.objects, r.size), r.mainActs, false},
		{sceneListeners, r.spec("pods", r.objects, r.size), r.listenerActs, false},
		{sceneGrowth, r.spec("pods", fewObjects, smallSize), r.growthActs, true},
		{sceneGrowth, r.spec("pods", manyObjects, smallSize), r.growthActs, true},
		{sceneGrowth, r.spec(objects.ManyWorkloadPods.ID, r.objects, r.size), r.workloadActs,
			false},
		{sceneGrowth, r.spec("pods", r.objects, r.size), r.informerActs, false},
	} {
		if !r.has(scene.name) {
			continue
		}
		if err := r.scene(ctx, scene.name, scene.spec, scene.acts(), r.rounds,
			scene.matchless); err != nil {
			return err
		}
	}
	if r.has(sceneCheckpoints) {
		if err := r.performCheckpoints(ctx); err != nil {
			return err
		}
	}
	if r.has(sceneKinds) {
		return r.performKinds(ctx)
	}
	return nil
}

func (r *runner) spec(kind string, count, size int) stageSpec {
	return stageSpec{kind: kind, objects: count, size: size, events: r.events + r.paced + r.singles}
}

// mainActs returns the acts of the main scene. Drop and core, on which the ratios depend, do so
// little that the machine's noise shows, so they list and take the burst several times in each
// round. Of those that take long, few run more than once.
func (r *runner) mainActs() (acts []act) {
	for _, protocol := range r.protocols {
		first := protocol == r.protocols[0]
		for again := range r.repeats {
			for _, name := range r.contenders {
				cheap := name == contender.Drop || name == contender.Core
				variant := name == contender.DynamicLean || name == contender.TypedJSON ||
					name == contender.ShellOperator
				if again > 0 && !cheap || !first && variant {
					continue // the first table shows the variants
				}
				a := act{contender: name, protocol: protocol, burst: r.events,
					program: r.programs[name]}
				a.once = name == contender.ShellOperator || name == contender.DynamicLean ||
					name == contender.Dynamic && !first
				if again == 0 {
					a.paced = r.paced
				}
				if again == 0 && first && (cheap || name == contender.TypedProtobuf) {
					a.singles = r.singles
				}
				acts = append(acts, a)
			}
		}
	}
	return acts
}

// listenerActs are the core with one listener, and with further ones of each kind.
func (r *runner) listenerActs() []act {
	acts := []act{{contender: contender.Core, protocol: "h1", burst: r.events}}
	for _, kind := range r.furtherKinds() {
		acts = append(acts, act{contender: contender.Core, protocol: "h1", burst: r.events,
			others: r.others, othersFilter: kind.filter, label: "core+" + kind.label})
	}
	return acts
}

// furtherKind is a kind of further listeners.
type furtherKind struct {
	label, asking, filter string
	most                  float64 // us of CPU for each of them and each event
}

func (r *runner) furtherKinds() []furtherKind {
	return []furtherKind{
		{"listeners", "a namespace", r.noMatch, 0.5},
		{"costly listeners", "a name and the items of a list", contender.NoMatchCostly, 0.5},
		{"reading listeners", "fields that others read", contender.NoMatchFields, 0.1},
	}
}

// scene runs the acts, all of them in each round.
func (r *runner) scene(ctx context.Context, name string, spec stageSpec, acts []act, rounds int,
	matchless bool) (err error) {
	for _, a := range acts {
		spec.protobuf = spec.protobuf || a.contender == contender.TypedProtobuf
	}
	s, err := openStage(ctx, spec, r.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	s.name, s.profiles, s.rest = name, r.profiles, r.rest
	if strings.HasPrefix(name, sceneKinds) || name == sceneCheckpoints {
		s.rest = min(s.rest, kindRest)
	}
	var all []trial.Result
	for round := range rounds {
		for _, a := range acts {
			if round > 0 && a.once {
				continue
			}
			result, err := r.attempt(ctx, s, a)
			if err != nil {
				return err
			}
			if result == nil {
				continue
			}
			key := name + "/" + a.protocol
			r.trials[key] = append(r.trials[key], *result)
			all = append(all, *result)
		}
	}
	if matchless {
		return nil
	}
	if err := report.Agree(all); err != nil {
		r.problem("scene %s: %v", name, err)
	}
	return nil
}

const maxAttempts = 2

// attempt runs a trial, and again if it fails. A trial that fails twice is missing in the results,
// which is better than losing half an hour. It returns nil without an error if the trial is
// missing.
func (r *runner) attempt(ctx context.Context, s *stage, a act) (*trial.Result, error) {
	var errs []error
	for len(errs) < maxAttempts {
		result, err := s.perform(ctx, a)
		if err == nil {
			return &result, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		errs = append(errs, err)
		fmt.Fprintf(r.log, "%-24s %-2s %-18s failed (attempt %d of %d)\n", s.name, a.protocol,
			cmp.Or(a.label, a.contender), len(errs), maxAttempts)
	}
	r.problem("scene %s: a trial is missing: %v", s.name, errs[len(errs)-1])
	return nil, nil
}

func (r *runner) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

func (r *runner) save(doc report.Document) error {
	var errs []error
	if r.out != "" {
		errs = append(errs, os.WriteFile(r.out, []byte(doc.Markdown()), 0o644))
	}
	if r.raw != "" {
		raw, err := json.MarshalIndent(r.trials, "", " ")
		errs = append(errs, err, os.WriteFile(r.raw, append(raw, '\n'), 0o644))
	}
	return errors.Join(errs...)
}
