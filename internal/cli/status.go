package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/wording"
)

// statusSpan is over how long status measures rates.
const statusSpan = time.Second

func newStatus(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	output := textOrJSON()
	cmd := &cobra.Command{
		Use:   "status [FILE] [LISTENER]",
		Short: "Show the pipeline of a running informerd, with rates, depths, ages and errors",
		Long: "Show the pipeline of the informerd that runs with the configuration: its informers, listeners and outputs, with\n" +
			"what they do per second, what waits and for how long, and what is wrong. With the name of a listener, show that\n" +
			"one in depth. The exit code is 1 if something is not ready.",
		Example: "  informerd status informerd.yaml",
		Args:    atMostOne("listener"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return file.withDaemon(cmd, stderr, func(ctx context.Context, client *admin.Client) error {
				before, err := client.Status(ctx)
				if err != nil {
					return err
				}
				s, rates := before, status.Rates{}
				if !output.json() {
					if s, rates, err = measured(ctx, client, before); err != nil {
						return err
					}
				}
				if err := writeStatus(stdout, s, rates, args, output.json()); err != nil {
					return err
				}
				if !s.Ready {
					return errNotReady
				}
				return nil
			})
		},
	}
	file.addBefore(cmd)
	return withFlags(cmd, &output)
}

// errNotReady ends a command that has shown what is not ready.
var errNotReady = fmt.Errorf("%w: not everything is ready", errFound)

// measured returns how things are some time later, and what happened until then.
func measured(ctx context.Context, client *admin.Client, before *status.Status) (*status.Status,
	status.Rates, error) {
	select {
	case <-time.After(statusSpan):
	case <-ctx.Done():
		return nil, status.Rates{}, ctx.Err()
	}
	after, err := client.Status(ctx)
	if err != nil {
		return nil, status.Rates{}, err
	}
	return after, status.RatesOf(before, after), nil
}

// writeStatus writes everything, or the listener that is named.
func writeStatus(w io.Writer, s *status.Status, rates status.Rates, listener []string,
	asJSON bool) error {
	if len(listener) == 0 {
		if asJSON {
			return wording.WriteJSON(w, s, "")
		}
		return writeWhole(w, s, rates)
	}
	l, err := findListener(s, listener[0])
	if err != nil {
		return err
	}
	if asJSON {
		return wording.WriteJSON(w, l, "")
	}
	return writeListener(w, l, rates.Listeners[l.Name])
}
