package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/objects"
)

// serve serves one kind until a signal or, if requested, until stdin ends.
func serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	id := flags.String("kind", objects.Pods.ID, "what to serve: "+strings.Join(allKinds(), ", "))
	count := flags.Int("objects", 20_000, "how many objects")
	size := flags.Int("size", objects.Medium, "bytes of each, about")
	events := flags.Int("events", 20_000, "how many changes to make ahead of time")
	protobuf := flags.Bool("protobuf", false, "serve protobuf, too (pods only)")
	churn := flags.Bool("churn", false, "let no object come twice: changes add and delete")
	watchList := flags.Bool("watchlist", false,
		"allow sendInitialEvents, as servers with streamed lists do")
	dir := flags.String("dir", "", "where to write the kubeconfigs (default: a new folder)")
	attached := flags.Bool("until-stdin-ends", false, "end when stdin does")
	if err := flags.Parse(args); err != nil {
		return err
	}
	kind, err := kindOf(*id)
	if err != nil {
		return err
	}
	if *dir == "" {
		if *dir, err = os.MkdirTemp("", "informerbench-"); err != nil {
			return err
		}
		defer os.RemoveAll(*dir)
	}
	s, err := apiserver.New(apiserver.Config{WatchList: *watchList,
		Collections: []apiserver.Collection{
			{Kind: kind, Count: *count, Size: *size, Events: *events, Protobuf: *protobuf,
				Churn: *churn},
		}})
	if err != nil {
		return err
	}
	l, err := apiserver.Listen(s, *dir)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := json.NewEncoder(stdout).Encode(l.Endpoints); err != nil {
		return err
	}
	if *attached {
		ended, cancel := context.WithCancel(ctx)
		go func() { // ends with the process: a read of stdin cannot be interrupted
			_, _ = io.Copy(io.Discard, stdin)
			cancel()
		}()
		ctx = ended
	}
	<-ctx.Done()
	return nil
}

func kindOf(id string) (*objects.Kind, error) {
	for _, k := range objects.Kinds {
		if k.ID == id {
			return k, nil
		}
	}
	return nil, fmt.Errorf("-kind %q: it is one of %s", id, strings.Join(allKinds(), ", "))
}

func allKinds() (ids []string) {
	for _, k := range objects.Kinds {
		ids = append(ids, k.ID)
	}
	return ids
}
