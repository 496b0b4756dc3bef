package replicas

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
)

// childFolder is the variable with which a child learns the folder of its configuration.
const childFolder = "REPLICAS_FOLDER"

// child runs the daemon as the command run does, until the parent has ended.
func child() int {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(9)
	}()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	folder := os.Getenv(childFolder)
	cfg, err := config.Loading{More: plan.Mistakes(nil, false), Regular: true}.Load(
		filepath.Join(folder, "c.yaml"))
	if err == nil {
		err = daemon.Run(ctx, cfg, daemon.Options{Kubeconfig: filepath.Join(folder, "kubeconfig"),
			Version: "test", Stdout: io.Discard,
			Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the daemon failed:", err)
		return 1
	}
	return 0
}

// leaseDuration is that of the children's Lease. Their renewDeadline is shorter by a second.
const leaseDuration = 4 * time.Second

// replica is a place for a child, with its own way to the API server.
type replica struct {
	number int
	folder string
	link   *link
	health string // the address of its endpoint
	procs  string // of the group that the child is put into; "": none

	mu      sync.Mutex
	process *exec.Cmd
	ended   chan struct{} // closed when the process has
}

const configuration = `apiVersion: informerd.dev/v1alpha1
kind: Config
leaderElection: {namespace: default, name: stress, leaseDuration: %ds, renewDeadline: %ds, retryPeriod: 1s}
health: {address: %q}%[6]s
informers:
  maps: {resource: configmaps, labelSelector: stress=yes}
listeners:
  all: {informer: maps, outputs: [all], workers: 4}
  selected: {informer: maps, select: 'object.data.bad == "no"', outputs: [selected]}
  judged:
    informer: maps
    rules: [{name: bad, deny: 'object.data.bad == "yes"'}]
    outputs: [judged]
outputs:
  all: {webhook: {url: "%[4]s/all/%[5]d", mode: batch, batch: {events: 50, wait: 5ms}}}
  selected: {webhook: {url: "%[4]s/selected/%[5]d"}}
  judged: {webhook: {url: "%[4]s/judged/%[5]d"}}
`

// newReplica writes the configuration of a child.
func newReplica(t *testing.T, number int, c *cluster, receiver string, s size) *replica {
	t.Helper()
	r := &replica{number: number, folder: filepath.Join(c.dir, "replica"+strconv.Itoa(number)),
		health: freeAddress(t)}
	if err := os.Mkdir(r.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	r.link = newLink(t, c.address())
	sharding := ""
	if s.by != "" {
		sharding = fmt.Sprintf("\nsharding: {shards: %d, by: %s}", shards, s.by)
	}
	text := fmt.Sprintf(configuration, leaseDuration/time.Second,
		(leaseDuration-time.Second)/time.Second, r.health, receiver, number, sharding)
	if err := os.WriteFile(filepath.Join(r.folder, "c.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c.writeKubeconfig(t, filepath.Join(r.folder, "kubeconfig"), r.link.address())
	return r
}

// start starts the child, unless it runs.
func (r *replica) start(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.process != nil {
		select {
		case <-r.ended:
		default:
			return
		}
	}
	log, err := os.OpenFile(r.log(), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childFolder+"="+r.folder)
	cmd.Stderr = log
	if _, err := cmd.StdinPipe(); err != nil { // which ends with the parent
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if r.procs != "" {
		if err := os.WriteFile(r.procs, []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		_ = log.Close()
		close(ended)
	}()
	r.process, r.ended = cmd, ended
}

func (r *replica) log() string { return filepath.Join(r.folder, "log") }

// signal sends the child a signal.
func (r *replica) signal(s syscall.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.process.Process.Signal(s)
}

// stop ends the child, and waits for that.
func (r *replica) stop() {
	r.mu.Lock()
	process, ended := r.process, r.ended
	r.mu.Unlock()
	if process != nil {
		_ = process.Process.Signal(syscall.SIGCONT)
		_ = process.Process.Kill()
		<-ended
	}
}
