package main

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary acts as devcluster and informerd if this variable is set to a folder, where it
// keeps a record.
const fakeVariable = "DEMO_TEST_FAKE"

// fakeMode makes the fake informerd misbehave.
const fakeMode = "DEMO_TEST_FAKE_MODE"

func TestMain(m *testing.M) {
	if folder := os.Getenv(fakeVariable); folder != "" {
		os.Exit(fake(folder, os.Args[1], os.Args))
	}
	goleak.VerifyTestMain(m)
}

const (
	addedLine = `{"specversion":"1.0","id":"1","source":"/clusters/quickstart/listeners/rollouts","type":"dev.informerd.object.added",` +
		`"subject":"deployments.apps/default/db","initial":true,"data":{"object":{"kind":"Deployment","spec":{"replicas":1}}}}`
	stoppedLine = `{"time":"2026-01-01T00:00:00Z","level":"INFO","msg":"listener stopped","listener":"rollouts",` +
		`"events":{"add":1,"update":0,"delete":0,"resync":0,"filtered":0,"handlerCalls":0,"emitted":0,"written":%d},"coalesced":0}`
)

func fake(folder, command string, args []string) int {
	record := func(what string) {
		f, err := os.OpenFile(filepath.Join(folder, "record"), os.O_CREATE|os.O_APPEND|os.O_WRONLY,
			0o600)
		if err == nil {
			_, err = fmt.Fprintln(f, what)
		}
		if err != nil {
			panic(err)
		}
	}
	running := filepath.Join(folder, "running")
	switch command {
	case "status":
		if _, err := os.Stat(running); err == nil {
			fmt.Println("COMPONENT  STATE  PID\netcd  running  7")
			return 0
		}
		fmt.Fprintln(os.Stderr, "devcluster: no cluster is running in", args[3])
		return 1
	case "up":
		if err := os.WriteFile(running, nil, 0o600); err != nil {
			panic(err)
		}
		fmt.Fprintln(os.Stderr, "etcd is ready")
		record("up")
	case "down":
		if err := os.Remove(running); err == nil {
			record("down")
		}
	case "run":
		return fakeInformerd(record)
	}
	return 0
}

func fakeInformerd(record func(string)) int {
	mode := os.Getenv(fakeMode)
	if mode == "starting" { // before it handles signals
		time.Sleep(time.Hour)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	record("informerd starts")
	if mode == "dies" {
		fmt.Fprintln(os.Stderr, "informerd: no good")
		return 3
	}
	fmt.Fprintln(os.Stderr, `{"level":"INFO","msg":"started","listeners":1}`)
	fmt.Fprintln(os.Stderr, `{"level":"INFO","msg":"listening","listener":"rollouts"}`)
	fmt.Fprintln(os.Stderr, `{"level":"WARN","msg":"slow","listener":"rollouts"}`)
	fmt.Println(addedLine)
	<-stop
	record("informerd stops")
	written := 1
	switch mode {
	case "garbage":
		fmt.Println("hello")
	case "miscounts":
		written = 2
	}
	fmt.Fprintf(os.Stderr, stoppedLine+"\n", written)
	return 0
}

// newFake makes a demo whose programs are fakes. The record is what has been started and stopped so
// far.
func newFake(t *testing.T, mode string) (d demo, shown *bytes.Buffer, record func() string) {
	t.Helper()
	folder := t.TempDir()
	t.Setenv(fakeVariable, folder)
	t.Setenv(fakeMode, mode)
	// otherwise each fake takes a second to end under the race detector
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shown = &bytes.Buffer{}
	d = demo{
		Devcluster: program, Informerd: program, Config: program,
		Dir: filepath.Join(folder, "dir"), Screen: newScreen(shown),
	}
	return d, shown, func() string {
		text, err := os.ReadFile(filepath.Join(folder, "record"))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.Join(strings.Split(strings.TrimSpace(string(text)), "\n"), ", ")
	}
}
