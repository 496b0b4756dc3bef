package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/cli/pipeline"
	"github.com/informerd/informerd/internal/status"
)

const (
	defaultInterval  = 2 * time.Second
	shortestInterval = 100 * time.Millisecond
)

func newTop(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	file := configuration{stdin: stdin}
	var output outputFlag
	var view view
	every, times := defaultInterval, 0
	cmd := &cobra.Command{
		Use:   "top [FILE] [LISTENER]",
		Short: "Watch the pipeline of a running informerd",
		Long: "Watch the pipeline of the informerd that runs with the configuration, or one listener in depth. Keys: up and\n" +
			"down select a listener, enter shows it in depth and escape goes back, s changes the order and r reverses it,\n" +
			"/ filters, q ends. Where stdout is no terminal, each interval is a table of its own, without keys.",
		Args: atMostOneListener,
		RunE: func(cmd *cobra.Command, args []string) error {
			asJSON, err := output.json()
			if err == nil {
				err = view.check()
			}
			switch {
			case err != nil:
				return err
			case every < shortestInterval:
				return usage(fmt.Errorf("--interval %s: it must be at least %s", every,
					shortestInterval))
			case times < 0:
				return usage(fmt.Errorf("--count %d: it must not be negative", times))
			}
			ctx, stop := stopOnSignal(cmd.Context(), stderr, nil)
			defer stop()
			client, err := file.dial(ctx)
			if err != nil {
				return err
			}
			defer client.Close()
			view.Color = colored(stdout)
			w := &watching{client: client, every: every, times: times, out: stdout,
				json: asJSON, screen: pipeline.Screen{View: view.View}}
			if len(args) > 0 {
				w.screen.Depth, w.screen.Selected = true, args[0]
			}
			if in, is := stdin.(*os.File); is && !asJSON && isTerminal(stdout) && isTerminal(in) {
				return w.full(ctx, in, stdout.(*os.File))
			}
			return w.plain(ctx)
		},
	}
	file.add(cmd)
	file.before(cmd)
	output.add(cmd)
	view.add(cmd)
	cmd.Flags().DurationVar(&every, "interval", every, "how often it is shown")
	cmd.Flags().IntVar(&times, "count", 0,
		"how often it is shown before the command ends; 0: without end")
	return cmd
}

// watching shows a daemon again and again.
type watching struct {
	client *admin.Client
	every  time.Duration
	times  int // 0: without end
	out    io.Writer
	json   bool
	screen pipeline.Screen

	last *status.Status
}

// look asks the daemon.
func (w *watching) look(ctx context.Context) error {
	s, err := w.client.Status(ctx)
	if err != nil {
		return err
	}
	if w.screen.Rates = (status.Rates{}); w.last != nil {
		w.screen.Rates = status.RatesOf(w.last, s)
	}
	w.last, w.screen.Status = s, s
	return nil
}

// plain writes a table, or a line of JSON, at each interval. The first one has no rates, so there
// is none of it, unless there will be no other.
func (w *watching) plain(ctx context.Context) error {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for n := 0; ; {
		if err := w.look(ctx); err != nil {
			return err
		}
		if w.screen.Rates.Over > 0 || w.json {
			if err := w.writePlain(n); err != nil {
				return err
			}
			if n++; n == w.times {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (w *watching) writePlain(n int) error {
	s := w.screen.Status
	if w.json {
		return writeLine(w.out, s)
	}
	if n > 0 {
		fmt.Fprintln(w.out)
	}
	fmt.Fprintln(w.out, s.Time.UTC().Format(time.RFC3339))
	if w.screen.Depth {
		return showOne(w.out, s, w.screen.Rates, w.screen.Selected, false, &w.screen.View)
	}
	return w.screen.View.Write(w.out, s, w.screen.Rates)
}

// What is written to a terminal: https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
const (
	// and no cursor; what is wider than it seems ends at the edge
	otherScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l"
	firstScreen = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	topLeft     = "\x1b[H"
	restOfLine  = "\x1b[K"
	restBelow   = "\x1b[J"
)

// full fills the terminal until q is pressed or ctx is done.
func (w *watching) full(ctx context.Context, in, out *os.File) error {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return fmt.Errorf("the terminal cannot be read key by key: %w", err)
	}
	defer func() { _ = term.Restore(int(in.Fd()), before) }()
	if _, err := io.WriteString(out, otherScreen); err != nil {
		return err
	}
	defer func() { _, _ = io.WriteString(out, firstScreen) }()
	keys := make(chan pipeline.Key)
	// It ends with the process: a terminal cannot be read with a deadline.
	go pipeline.ReadKeys(ctx, in, keys)
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for n := 0; ; {
		err := w.look(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && w.last == nil:
			return err
		case err != nil && errors.Is(err, admin.ErrNotRunning):
			w.screen.Note = "informerd has ended"
		case err != nil:
			w.screen.Note = err.Error()
		default:
			w.screen.Note = ""
		}
		if n++; w.times > 0 && n > w.times {
			return nil
		}
		for ticked := false; !ticked; {
			width, height, err := term.GetSize(int(out.Fd()))
			if err != nil {
				width, height = 80, 24
			}
			if err := draw(out, w.screen.Lines(width, height)); err != nil {
				return err
			}
			select {
			case k := <-keys:
				if w.screen.Press(k) {
					return nil
				}
			case <-tick.C:
				ticked = true
			case <-ctx.Done():
				return nil
			}
		}
	}
}

// draw shows lines from the top left on.
func draw(w io.Writer, lines []string) error {
	var b bytes.Buffer
	b.WriteString(topLeft)
	for i, line := range lines {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(line + restOfLine)
	}
	b.WriteString(restBelow)
	_, err := w.Write(b.Bytes())
	return err
}
