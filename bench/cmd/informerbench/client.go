package main

import (
	"context"
	"encoding/json"
	"flag"
	"io"
	"strings"
	"time"

	"github.com/informerd/informerd/bench/contender"
	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/bench/trial"
)

// client runs one trial in this process.
func client(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("client", flag.ContinueOnError)
	flags.SetOutput(stderr)
	o, limit, id := clientFlags(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	kind, err := kindOf(*id)
	if err != nil {
		return err
	}
	o.Setup.Kind = kind
	if o.Setup.Filter == "" {
		o.Setup.Filter = contender.Filters[kind.ID]
	}
	ctx, cancel := context.WithTimeout(ctx, *limit)
	defer cancel()
	result, err := trial.Run(ctx, *o)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(result)
}

// clientFlags defines the flags; run writes them with clientArgs.
func clientFlags(flags *flag.FlagSet) (o *trial.Options, limit *time.Duration, id *string) {
	o = &trial.Options{}
	flags.StringVar(&o.Contender, "contender", contender.Core,
		"one of "+strings.Join(append(contender.Names, contender.Listeners), ", "))
	flags.StringVar(&o.Setup.Kubeconfig, "kubeconfig", "", "of the server to list and watch")
	flags.StringVar(&o.Control.URL, "control", "", "URL of the server's plain port")
	id = flags.String("kind", objects.Pods.ID, "what the server serves")
	flags.IntVar(&o.Setup.Objects, "objects", 20_000, "how many objects the server has")
	flags.StringVar(&o.Setup.Filter, "filter", "",
		"the filter (default: one for the resource)")
	flags.IntVar(&o.Setup.Others, "others", 0, "further listeners: of core they match nothing, of listeners everything")
	flags.StringVar(&o.Setup.OthersFilter, "others-filter", contender.NoMatch, "their filter")
	flags.StringVar(&o.Setup.Checkpoint, "checkpoint", "",
		"folder of a checkpoint (listeners only)")
	flags.IntVar(&o.Missed, "missed", 0,
		"changes since the checkpoint was written, which the trial begins with instead of a list")
	flags.IntVar(&o.Setup.Informers, "informers", 0,
		"divide the collection among this many informers (core and drop only)")
	flags.StringVar(&o.Setup.Program, "program", "",
		"path of the program (daemon and shell-operator only)")
	flags.StringVar(&o.Setup.Dir, "dir", "",
		"folder for its configuration (daemon and shell-operator only)")
	flags.IntVar(&o.Burst, "burst", 20_000, "changes at once")
	flags.IntVar(&o.Paced, "paced", 0, "changes at an even rate")
	flags.DurationVar(&o.PacedEvery, "paced-every", 5*time.Millisecond, "time between them")
	flags.IntVar(&o.Singles, "singles", 0, "changes far apart")
	flags.DurationVar(&o.SingleGap, "single-gap", singleGap, "time between them")
	flags.DurationVar(&o.IdleSample, "idle", 5*time.Second,
		"time for which the process is watched with nothing to do, before those")
	flags.DurationVar(&o.Cool, "cool", 0,
		"time for which the process is left alone after the burst, before its memory is read once more")
	flags.DurationVar(&o.Setup.ColdAfter, "cold-after", 0,
		"after how long informerd compresses an object; 0 is as it does (core only)")
	flags.DurationVar(&o.Rest, "rest", 2*time.Second, "rest before the steady memory is read")
	flags.StringVar(&o.ProfileDir, "cpuprofile", "",
		"folder for CPU profiles of the list and the burst")
	return o, flags.Duration("limit", 5*time.Minute, "give up after"), id
}
