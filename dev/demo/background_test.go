package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestUpThenDown(t *testing.T) {
	d, shown, record := newFake(t, "")
	for range 2 { // the second changes nothing
		if err := d.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	p := d.recorded()
	if p == nil {
		t.Fatal("informerd is not running")
	}
	defer p.Release()
	if again := fmt.Sprintf("informerd is already running (pid %d)", p.Pid); !strings.Contains(
		shown.String(), again) {
		t.Errorf("%q is not shown in\n%s", again, shown)
	}
	if _, err := d.play(t.Context(), story); err == nil {
		t.Error("play continued although up had started informerd")
	}
	if got, want := record(), "up, informerd starts, up"; got != want {
		t.Errorf("record\n got %s\nwant %s", got, want)
	}
	if err := d.Down(t.Context()); err != nil {
		t.Error(err)
	}
	if got, want := record(), "up, informerd starts, up, informerd stops, down"; got != want {
		t.Errorf("record\n got %s\nwant %s", got, want)
	}
	if d.recorded() != nil {
		t.Error("informerd is still running")
	}
	if text, err := os.ReadFile(d.output()); err != nil || string(text) != addedLine+"\n" {
		t.Errorf("the output has %q, %v", text, err)
	}
	if err := d.Down(t.Context()); err != nil {
		t.Errorf("a second down: %v", err)
	}
}

func TestUpThatFailsStopsOnlyWhatItStarted(t *testing.T) {
	for _, running := range []bool{false, true} {
		d, shown, record := newFake(t, "dies")
		wantRecord := "up, informerd starts, down"
		if running {
			if err := d.clusterUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantRecord = "up, up, informerd starts"
		}
		err := d.Up(t.Context())
		want := "informerd ended immediately, its log is in " + d.log()
		if err == nil || err.Error() != want {
			t.Errorf("running %v: error\n got %v\nwant %s", running, err, want)
		}
		if want := "\n   informerd error: informerd: no good\n"; !strings.Contains(shown.String(),
			want) {
			t.Errorf("%q is not shown in\n%s", want, shown)
		}
		if got := record(); got != wantRecord {
			t.Errorf("running %v: record\n got %s\nwant %s", running, got, wantRecord)
		}
	}
}

// The recorded pid may belong to another process by now: here to this one, which must survive.
func TestDownLeavesOtherProcessesAlone(t *testing.T) {
	d, _, _ := newFake(t, "")
	if err := os.Mkdir(d.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprintln(os.Getpid()), "0\n", "-1\n", "nonsense", ""} {
		if err := os.WriteFile(d.pidFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p := d.recorded(); p != nil {
			t.Errorf("%q is taken for informerd", text)
		}
		if err := d.Down(t.Context()); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := os.Stat(d.pidFile()); !os.IsNotExist(err) {
			t.Errorf("%q: the pid file remains: %v", text, err)
		}
	}
}

func TestAllListen(t *testing.T) {
	const started = `{"level":"INFO","msg":"started","listeners":2}` + "\n"
	const listening = `{"level":"INFO","msg":"listening"}` + "\n"
	tests := []struct {
		log  string
		want bool
	}{
		{"", false},
		{started, false},
		{started + listening, false},
		{started + listening + `{"level":"WARN","msg":"slow"}` + "\n", false},
		{started + listening + listening, true},
		{started + listening + `{"level":"INFO","msg":"list`, false}, // half written
	}
	for _, tt := range tests {
		if got := allListen([]byte(tt.log)); got != tt.want {
			t.Errorf("%q: %v", tt.log, got)
		}
	}
}
