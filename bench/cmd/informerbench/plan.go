package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/bench/contender"
	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/bench/report"
)

// plan is the configuration of a run, from its flags.
type plan struct {
	quick      bool
	rounds     int
	repeats    int
	rest, cool time.Duration
	objects    int
	size       int
	events     int
	contenders []string
	protocols  []string
	scenes     []string
	programs   map[string]string // of contenders, their paths
	out, raw   string
	known      string
	profiles   string
	others     int
	noMatch    string
	paced      int
	singles    int

	restarts int // objects around a restart

	kinds       []string
	kindObjects int
}

// The scenes of a run.
const (
	sceneMain      = "main"      // the contenders side by side, and the core's single events
	sceneListeners = "listeners" // the core with one listener and with many
	sceneGrowth    = "growth"    // the core with few and with many objects, workloads, informers
	// parts of informerd alone: matching events, costly input
	sceneParts = "parts"
	// listeners without and with a checkpoint, and restarts
	sceneCheckpoints = "checkpoints"
	sceneKinds       = "kinds" // drop, dynamic and core on collections of all kinds
)

var (
	scenes = []string{sceneMain, sceneListeners, sceneGrowth, sceneParts,
		sceneCheckpoints, sceneKinds}
	protocols = []string{"h1", "h2"}
)

// pacedEvery makes 200 events a second. After a singleGap all caches are cold: see package trial.
const (
	pacedEvery = 5 * time.Millisecond
	singleGap  = 200 * time.Millisecond
)

func parsePlan(args []string, stderr io.Writer) (*plan, error) {
	p := &plan{}
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.BoolVar(&p.quick, "quick", false,
		"small numbers, one round, few contenders; fails if a ratio is off by more than a factor of two: see -known")
	flags.IntVar(&p.rounds, "rounds", 3,
		"number of rounds; the tables show medians")
	flags.IntVar(&p.repeats, "repeats", 3,
		"how often drop and core list and take the burst in each round")
	flags.DurationVar(&p.cool, "cool", 10*time.Second,
		"rest in which informerd compresses what nobody changes, before the memory is read once more, in the scene of kinds")
	flags.DurationVar(&p.rest, "rest", 2*time.Second, "rest before the steady memory is read")
	flags.IntVar(&p.objects, "objects", 20_000, "objects in the list")
	flags.IntVar(&p.size, "size", objects.Medium, "bytes of an object, about")
	flags.IntVar(&p.events, "events", 20_000, "changes in the burst")
	flags.IntVar(&p.paced, "paced", 1_000, "changes at 200 a second, for the latency")
	flags.IntVar(&p.singles, "singles", 100, "changes 200 ms apart")
	flags.IntVar(&p.others, "others", 100, "further listeners in the scene of that name")
	flags.StringVar(&p.noMatch, "others-filter", contender.NoMatch, "their filter")
	informerd := flags.String("informerd", "../bin/informerd", "the program, for the daemon")
	shellOperator := flags.String("shell-operator", "../bin/shell-operator",
		"the program, for the contender of that name, which is left out without it")
	flags.StringVar(&p.out, "o", "", "write the results to this Markdown file, too")
	flags.StringVar(&p.known, "known", "",
		"a Markdown file of an earlier run: a quick run may fall short where that did, by twice as much")
	flags.StringVar(&p.raw, "json", "", "write what each trial measured to this file")
	flags.StringVar(&p.profiles, "cpuprofile", "",
		"folder for CPU profiles of each contender's list and burst")
	names := flags.String("contenders", strings.Join(contender.Names, ","), "which to compare")
	proto := flags.String("proto", strings.Join(protocols, ","),
		"h1 (plain HTTP/1.1), h2 (HTTP/2 over TLS) or both")
	which := flags.String("scenes", strings.Join(scenes, ","), "which parts to run")
	kinds := flags.String("kinds", strings.Join(kindIDs(), ","),
		"which collections the scene of kinds has")
	flags.IntVar(&p.kindObjects, "kind-objects", 5_000,
		"objects, and changes, of each; of small ones there are more, of large ones fewer")
	flags.IntVar(&p.restarts, "restart-objects", 100_000,
		"objects in the scene of checkpoints, for a restart")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if p.quick {
		set := map[string]bool{}
		flags.Visit(func(f *flag.Flag) { set[f.Name] = true })
		for name, value := range quickValues {
			if !set[name] {
				if err := flags.Set(name, value); err != nil {
					return nil, err
				}
			}
		}
	}
	p.programs = map[string]string{contender.Daemon: *informerd,
		contender.ShellOperator: *shellOperator}
	var err error
	if p.contenders, err = choose("contenders", *names, contender.Names); err != nil {
		return nil, err
	}
	if p.protocols, err = choose("proto", *proto, protocols); err != nil {
		return nil, err
	}
	if p.scenes, err = choose("scenes", *which, scenes); err != nil {
		return nil, err
	}
	if p.kinds, err = choose("kinds", *kinds, kindIDs()); err != nil {
		return nil, err
	}
	if p.rounds < 1 || p.kindObjects < 1 || p.repeats < 1 || p.objects < 1 || p.size < 1 ||
		p.events < 1 || p.restarts < 1 || p.others < 1 || p.paced < 0 || p.singles < 0 {
		return nil, fmt.Errorf(
			"-rounds, -repeats, -objects, -kind-objects, -restart-objects, -size, -events and -others must be positive, -paced and -singles not negative")
	}
	return p, nil
}

// quickValues are what -quick makes of flags that are not given. With fewer events, what a process
// does at its beginning shows.
var quickValues = map[string]string{
	"rounds": "1", "objects": "5000", "events": "10000", "paced": "0", "singles": "0",
	"contenders": "drop,dynamic,core", "proto": "h1", "scenes": "main,parts,checkpoints,kinds",
	"kinds": quickKinds, "restart-objects": "5000", "cool": "4s",
}

// choose returns the values of a list in the order of all.
func choose(flag, list string, all []string) ([]string, error) {
	given := strings.Split(list, ",")
	for _, name := range given {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("-%s %q: it is a list of %s", flag, name,
				strings.Join(all, ", "))
		}
	}
	var chosen []string
	for _, name := range all {
		if slices.Contains(given, name) {
			chosen = append(chosen, name)
		}
	}
	return chosen, nil
}

// checkPrograms checks early whether programs can be run. The other program that informerd is
// compared with may be missing, since not every machine can build it.
func (p *plan) checkPrograms(log io.Writer) error {
	if !p.has(sceneMain) {
		return nil
	}
	if _, err := os.Stat(p.programs[contender.Daemon]); err != nil &&
		slices.Contains(p.contenders, contender.Daemon) {
		return fmt.Errorf("the daemon cannot be measured: %w: build it, set its path with -informerd, or leave it out of -contenders", err)
	}
	if i := slices.Index(p.contenders, contender.ShellOperator); i >= 0 {
		if _, err := os.Stat(p.programs[contender.ShellOperator]); err != nil {
			fmt.Fprintf(log, "without shell-operator: %v\n", err)
			p.contenders = slices.Delete(p.contenders, i, i+1)
		}
	}
	return nil
}

// readKnown reads the figures of an earlier run.
func (p *plan) readKnown() (report.Known, error) {
	if p.known == "" {
		return nil, nil
	}
	text, err := os.ReadFile(p.known)
	if err != nil {
		return nil, fmt.Errorf("-known: %w", err)
	}
	known, err := report.ReadKnown(string(text))
	if err != nil {
		return nil, fmt.Errorf("-known %s: %w", p.known, err)
	}
	return known, nil
}

func (p *plan) has(scene string) bool { return slices.Contains(p.scenes, scene) }
