package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/route"
)

// stateDir returns the folder for state of the configuration, and notes whether that has several
// clusters.
func (c *configuration) stateDir() (dir string, err error) {
	if err := c.given(); err != nil {
		return "", err
	}
	dir, c.fleet, err = config.Loading{Stdin: c.stdin}.StateDir(c.paths...)
	if err == nil && dir == "" {
		err = fmt.Errorf("%s has no state.dir, by which commands find a running informerd", c.shown())
	}
	return dir, err
}

// withState calls do with the folder for state of the configuration, until a signal comes.
func (c *configuration) withState(cmd *cobra.Command, stderr io.Writer,
	do func(ctx context.Context, dir string) error) error {
	dir, err := c.stateDir()
	if err != nil {
		return err
	}
	ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
	defer stop()
	return do(ctx, dir)
}

// withDaemon calls do with a connection to the daemon that runs with the configuration.
func (c *configuration) withDaemon(cmd *cobra.Command, stderr io.Writer,
	do func(ctx context.Context, client *admin.Client) error) error {
	return c.withState(cmd, stderr, func(ctx context.Context, dir string) error {
		client, err := admin.Dial(ctx, dir)
		if err != nil {
			return err
		}
		defer client.Close()
		return do(ctx, client)
	})
}

// lettersIn returns the dead letters of the daemon that runs with the folder or, if none does, those
// that the last one has left. Call release at the end.
func lettersIn(ctx context.Context, dir string) (all admin.DeadLetters, release func() error,
	err error) {
	client, err := admin.Dial(ctx, dir)
	if err == nil {
		return client, func() error { client.Close(); return nil }, nil
	}
	if !errors.Is(err, admin.ErrNotRunning) {
		return nil, nil, err
	}
	// Nothing expires while nobody looks at the configuration's limits.
	opened := deadletter.Config{Path: filepath.Join(dir, deadletter.FileName)}
	if _, err := os.Stat(opened.Path); errors.Is(err, fs.ErrNotExist) {
		opened.Path = "" // there are none; looking makes no file
	}
	store, err := deadletter.Open(opened)
	if err != nil {
		return nil, nil, err
	}
	return &admin.Local{Store: store, Filter: route.LetterFilter}, store.Close, nil
}
