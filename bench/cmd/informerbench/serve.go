package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/objects"
)

// serve serves one kind until a signal, or until stdin ends if asked for.
func serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	resource := flags.String("resource", "pods", "what to serve: pods, configmaps or widgets")
	count := flags.Int("objects", 20_000, "how many objects")
	size := flags.Int("size", objects.Medium, "bytes of each, about")
	events := flags.Int("events", 20_000, "how many changes to make ahead of time")
	protobuf := flags.Bool("protobuf", false, "serve protobuf, too (pods only)")
	watchList := flags.Bool("watchlist", false, "allow sendInitialEvents, as servers with streamed lists do")
	dir := flags.String("dir", "", "where to write the kubeconfigs (default: a new folder)")
	attached := flags.Bool("until-stdin-ends", false, "end when stdin does")
	if err := flags.Parse(args); err != nil {
		return err
	}
	kind, err := kindOf(*resource)
	if err != nil {
		return err
	}
	if *dir == "" {
		if *dir, err = os.MkdirTemp("", "informerbench-"); err != nil {
			return err
		}
		defer os.RemoveAll(*dir)
	}
	s, err := apiserver.New(apiserver.Config{WatchList: *watchList, Collections: []apiserver.Collection{
		{Kind: kind, Count: *count, Size: *size, Events: *events, Protobuf: *protobuf},
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

func kindOf(resource string) (*objects.Kind, error) {
	for _, k := range objects.Kinds {
		if k.Resource == resource {
			return k, nil
		}
	}
	return nil, fmt.Errorf("-resource %q: it is pods, configmaps or widgets", resource)
}
