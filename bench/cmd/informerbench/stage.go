package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/trial"
)

// stage is a server process for contenders, each of which runs as a separate process.
type stage struct {
	name     string // of the scene and protocol, for profiles
	program  string // this program
	dir      string
	endpoint apiserver.Endpoints
	spec     stageSpec
	server   *exec.Cmd
	hold     io.Closer // closing it ends the server
	profiles string
	rest     time.Duration
	log      io.Writer
}

// stageSpec is what a stage serves.
type stageSpec struct {
	kind                  string // its ID
	objects, size, events int
	protobuf, churn       bool
}

// openStage starts a server and waits until it listens.
func openStage(ctx context.Context, spec stageSpec, stderr io.Writer) (*stage, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "informerbench-")
	if err != nil {
		return nil, err
	}
	s := &stage{program: program, dir: dir, spec: spec, log: stderr}
	s.server = s.command(ctx, "serve", "-until-stdin-ends", "-dir", dir, "-kind", spec.kind,
		"-objects", fmt.Sprint(spec.objects),
		"-size", fmt.Sprint(spec.size), "-events", fmt.Sprint(spec.events),
		fmt.Sprintf("-protobuf=%t", spec.protobuf), fmt.Sprintf("-churn=%t", spec.churn))
	hold, err := s.server.StdinPipe()
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s.hold = hold
	out, err := s.server.StdoutPipe()
	if err == nil {
		err = s.server.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := json.NewDecoder(out).Decode(&s.endpoint); err != nil {
		return nil, errors.Join(fmt.Errorf("the server did not start: %w", err), s.close())
	}
	return s, nil
}

func (s *stage) close() error {
	err := s.hold.Close()
	if exit := s.server.Wait(); exit != nil {
		err = errors.Join(err, fmt.Errorf("server: %w", exit))
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// command returns a command that runs this program with other arguments. Variables that would
// change how the Go runtime or client-go works are removed from its environment.
func (s *stage) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 15 * time.Second
	cmd.Stderr = s.log
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if name != "GOGC" && name != "GOMEMLIMIT" && name != "GODEBUG" &&
			!strings.HasPrefix(name, "KUBE_FEATURE_") {
			cmd.Env = append(cmd.Env, setting)
		}
	}
	return cmd
}

// trialLimit is the time limit of a trial. None takes half of it on two cores.
const trialLimit = 4 * time.Minute

// act is one trial.
type act struct {
	contender      string
	protocol       string
	label          string // for the log, and the results; default: the contender
	burst          int
	paced, singles int
	cool           time.Duration // 0: no such phase
	asConfigured   bool          // objects do not become cold any sooner for this phase
	others         int
	othersFilter   string
	informers      int
	program        string
	once           bool // in the first round only
	// checkpoint is whether the contender has one, a new one unless this is a restart.
	checkpoint, restart bool
}

// missed are the changes before a restart.
const missed = 1

// coldShare is the part of the phase after which an unchanged object is cold. It may take twice as
// long until it is compressed, and compressing thousands takes some seconds.
const coldShare = 5

// perform runs a trial on the server after a reset or, if it is a restart, after changes that the
// trial before has missed.
func (s *stage) perform(ctx context.Context, a act) (r trial.Result, err error) {
	if a.label == "" {
		a.label = a.contender
	}
	control, checkpoint := trial.Control{URL: s.endpoint.URL}, ""
	if a.checkpoint {
		checkpoint = filepath.Join(s.dir, "checkpoint")
	}
	if a.restart {
		_, err = control.Burst(ctx, missed, 0)
	} else if err = control.Reset(ctx); err == nil && a.checkpoint {
		err = os.RemoveAll(checkpoint)
	}
	if err != nil {
		return r, err
	}
	kubeconfig := s.endpoint.Plain
	if a.protocol == "h2" {
		kubeconfig = s.endpoint.TLS
	}
	args := []string{
		"client", "-contender", a.contender, "-kubeconfig", kubeconfig, "-control", s.endpoint.URL,
		"-kind", s.spec.kind,
		"-objects", fmt.Sprint(s.spec.objects), "-burst", fmt.Sprint(a.burst), "-paced",
		fmt.Sprint(a.paced), "-paced-every", pacedEvery.String(),
		"-singles", fmt.Sprint(a.singles), "-single-gap", singleGap.String(), "-others",
		fmt.Sprint(a.others), "-rest", s.rest.String(),
		"-informers", fmt.Sprint(a.informers), "-limit", trialLimit.String(),
		"-program", a.program, "-dir", s.dir,
	}
	if a.checkpoint {
		args = append(args, "-checkpoint", checkpoint)
	}
	if a.restart {
		args = append(args, "-missed", fmt.Sprint(missed))
	}
	if a.cool > 0 {
		args = append(args, "-cool", a.cool.String())
		if !a.asConfigured {
			args = append(args, "-cold-after", (a.cool / coldShare).String())
		}
	}
	if a.othersFilter != "" {
		args = append(args, "-others-filter", a.othersFilter)
	}
	if s.profiles != "" {
		dir := filepath.Join(s.profiles, strings.ReplaceAll(s.name, "/", "-")+"-"+a.protocol+"-"+
			a.label)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return r, err
		}
		args = append(args, "-cpuprofile", dir)
	}
	var out, said bytes.Buffer
	// it normally ends before that
	limited, cancel := context.WithTimeout(ctx, trialLimit+time.Minute)
	defer cancel()
	cmd := s.command(limited, args...)
	cmd.Stdout, cmd.Stderr = &out, io.MultiWriter(s.log, &said)
	if err := cmd.Run(); err != nil {
		state, _ := control.State(ctx)
		return r, fmt.Errorf("%s over %s: %w: %s (the server: %+v)", a.label, a.protocol, err,
			bytes.TrimSpace(said.Bytes()), state)
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("%s over %s: cannot read its result: %w", a.label, a.protocol, err)
	}
	r.Contender = a.label
	fmt.Fprintf(s.log, "%-24s %-2s %-18s list %8.1f us/object, event %8.1f us, %6.1f s\n", s.name,
		a.protocol, a.label,
		float64(r.List.CPU.Microseconds())/float64(r.Objects),
		float64(r.Burst.CPU.Microseconds())/float64(max(1, r.Changes)),
		(r.List.Wall + r.Burst.Wall).Seconds())
	return r, nil
}
