package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/status"
)

// shortestInterval is how often top may ask the daemon.
const shortestInterval = 100 * time.Millisecond

// clearScreen is what a terminal takes for an empty page:
// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
const clearScreen = "\x1b[H\x1b[2J"

func newTop(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	every, times := 2*time.Second, 0
	cmd := &cobra.Command{
		Use:   "top [FILE] [LISTENER]",
		Short: "Show the pipeline of a running informerd again and again",
		Long: "Show what informerd status shows at each interval, in a terminal in place of the last one, until it is stopped.\n" +
			"Listeners in trouble come first.",
		Example: "  informerd top informerd.yaml --interval 5s",
		Args:    atMostOne("listener"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if every < shortestInterval {
				return usage(fmt.Errorf("--interval %s: it must be at least %s", every,
					shortestInterval))
			}
			return file.withDaemon(cmd, stderr, func(ctx context.Context, client *admin.Client) error {
				tick := time.NewTicker(every)
				defer tick.Stop()
				last, err := client.Status(ctx)
				for n := 1; err == nil; n++ {
					select {
					case <-tick.C:
					case <-ctx.Done():
						return nil
					}
					var s *status.Status
					if s, err = client.Status(ctx); err != nil {
						break
					}
					if err = writeTop(stdout, s, status.RatesOf(last, s), args); err != nil || n == times {
						break
					}
					last = s
				}
				if ctx.Err() != nil {
					return nil
				}
				return err
			})
		},
	}
	file.addBefore(cmd)
	cmd.Flags().DurationVar(&every, "interval", every, "how often it is shown")
	cmd.Flags().IntVar(&times, "count", 0, "how often it is shown before the command ends; 0: without end")
	return cmd
}

// writeTop writes a status with its time: a page of a terminal, or lines.
func writeTop(w io.Writer, s *status.Status, rates status.Rates, listener []string) error {
	var b bytes.Buffer
	if isTerminal(w) {
		b.WriteString(clearScreen)
	}
	fmt.Fprintln(&b, s.Time.UTC().Format(time.RFC3339))
	err := writeStatus(&b, s, rates, listener, false)
	if err != nil {
		return err
	}
	b.WriteString("\n")
	_, err = w.Write(b.Bytes())
	return err
}
