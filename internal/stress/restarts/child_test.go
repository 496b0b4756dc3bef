package restarts

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
)

// What the parent passes to a child.
const (
	childFolder = "RESTARTS_FOLDER" // of the configuration
	childLife   = "RESTARTS_LIFE"   // the number of the life
	childEnds   = "RESTARTS_ENDS"   // the message of the log at which it kills itself
	childSince  = "RESTARTS_SINCE"  // another one that comes before that
	childAfter  = "RESTARTS_AFTER"  // so many of the former come between
	childBeats  = "RESTARTS_BEATS"  // the URL to which its heart beats
)

const ready = "the child takes signals"

// beatInterval is the time between two beats of a child's heart, if the machine has the time. A
// commit interval is beatLag of them.
const (
	beatInterval = 20 * time.Millisecond
	beatLag      = 10
)

// child is the process that is killed: it runs the daemon as the command run does.
func child() int {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // until the parent has ended
		os.Exit(9)
	}()
	folder := os.Getenv(childFolder)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	signals, hangup := make(chan os.Signal, 1), make(chan struct{}, 1)
	signal.Notify(signals, syscall.SIGHUP)
	go func() {
		for range signals {
			select {
			case hangup <- struct{}{}:
			default:
			}
		}
	}()
	after, _ := strconv.Atoi(os.Getenv(childAfter))
	out := &childLog{file: filepath.Join(folder, ledgerFile), ends: os.Getenv(childEnds),
		since: os.Getenv(childSince), after: after}
	log := slog.New(out)
	log.Info(ready)
	go out.beat(os.Getenv(childBeats), os.Getenv(childLife))
	load := func() (*config.Config, error) {
		return config.Loading{More: plan.Mistakes(nil, false), Regular: true}.Load(
			filepath.Join(folder, "c.yaml"))
	}
	cfg, err := load()
	if err == nil {
		err = daemon.Run(ctx, cfg, daemon.Options{Kubeconfig: filepath.Join(folder, "kubeconfig"),
			Version: os.Getenv(childLife), Stdout: io.Discard, Log: log, Hangup: hangup,
			Load: load})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the daemon failed:", err)
		return 1
	}
	return 0
}

// line is a line of a child's log.
type line struct {
	At      int64 // in nanoseconds
	Level   string
	Message string
	More    string
	File    int64 // so long was the file of an output
	Beats   int   // so many were answered
}

func (l line) time() time.Time { return time.Unix(0, l.At) }

func (l line) String() string {
	return fmt.Sprintf("%s %s %s%s", l.time().Format("05.000"), l.Level, l.Message, l.More)
}

// childLog writes the log for the parent, and kills its process at a message.
type childLog struct {
	file, ends string
	beats      atomic.Int64

	mu    sync.Mutex
	since string // "" when it has come
	after int
}

// beat sends requests to the receivers, one after the other: what they have answered some beats
// ago, the daemon has dealt with, however slow the machine is.
func (c *childLog) beat(url, life string) {
	for range time.Tick(beatInterval) {
		q, err := http.NewRequest(http.MethodPost, url, nil)
		if err != nil {
			panic(err)
		}
		q.Header.Set("X-Life", life)
		if a, err := http.DefaultClient.Do(q); err == nil {
			_, _ = io.Copy(io.Discard, a.Body)
			_ = a.Body.Close()
			c.beats.Add(1)
		}
	}
}

func (*childLog) Enabled(context.Context, slog.Level) bool { return true }
func (c *childLog) WithAttrs([]slog.Attr) slog.Handler     { return c }
func (c *childLog) WithGroup(string) slog.Handler          { return c }

func (c *childLog) Handle(_ context.Context, r slog.Record) error {
	l := line{At: time.Now().UnixNano(), Level: r.Level.String(), Message: r.Message,
		Beats: int(c.beats.Load())}
	r.Attrs(func(a slog.Attr) bool {
		l.More += " " + a.String()
		return true
	})
	if info, err := os.Stat(c.file); err == nil {
		l.File = info.Size()
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = os.Stderr.Write(append(text, '\n'))
	switch {
	case c.since != "":
		if r.Message == c.since {
			c.since = ""
		}
		return nil
	case r.Message != c.ends:
		return nil
	}
	if c.after--; c.after < 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	return nil
}
