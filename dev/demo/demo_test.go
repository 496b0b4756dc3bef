package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"
)

var errAct = errors.New("the act failed")

// sees starts informerd, awaits its first line and then calls a function.
func sees(then func() error) func(context.Context, *stage) error {
	return func(ctx context.Context, s *stage) error {
		if err := s.StartInformerd(); err != nil {
			return err
		}
		first := effect{"a first line", func(e cloudEvent) bool {
			return e.Subject == "deployments.apps/default/db"
		}}
		if err := s.Do(ctx, act{title: "look", effects: []effect{first}}); err != nil {
			return err
		}
		return then()
	}
}

func TestPlayStopsWhatItStarted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	tests := []struct {
		name, mode string
		story      func(context.Context, *stage) error
		err        string // LOG stands for the log's path
		record     string
	}{
		{
			"an act fails", "",
			sees(func() error { return errAct }),
			"the act failed",
			"up, informerd starts, informerd stops, down",
		},
		{
			"an act fails before informerd is running", "",
			func(context.Context, *stage) error { return errAct },
			"the act failed",
			"up, down",
		},
		{
			"an effect does not occur", "",
			func(ctx context.Context, s *stage) error {
				return sees(func() error {
					// the first line came before the act
					second := effect{"a second line", func(cloudEvent) bool { return true }}
					return s.Do(ctx,
						act{title: "poke", effects: []effect{second}, patience: time.Millisecond})
				})(ctx, s)
			},
			"poke: informerd did not print a second line: not within 1ms",
			"up, informerd starts, informerd stops, down",
		},
		{
			"an act cannot be done", "",
			func(ctx context.Context, s *stage) error {
				return s.Do(ctx, act{title: "poke", do: func(context.Context) error {
					return errAct
				}})
			},
			"poke: the act failed",
			"up, down",
		},
		{
			"an act hangs", "",
			func(ctx context.Context, s *stage) error {
				return s.Do(ctx,
					act{title: "poke", patience: time.Millisecond,
						do: func(ctx context.Context) error {
							<-ctx.Done()
							return ctx.Err()
						}})
			},
			"poke: not within 1ms: context deadline exceeded",
			"up, down",
		},
		{
			"an act fails while informerd starts", "starting",
			func(_ context.Context, s *stage) error {
				return errors.Join(s.StartInformerd(), errAct)
			},
			"the act failed",
			"up, down",
		},
		{
			"informerd ends by itself", "dies",
			sees(func() error { return nil }),
			"look: informerd did not print a first line: informerd has ended with exit status 3, its log is in LOG",
			"up, informerd starts, down",
		},
		{
			"the last line is not an event", "garbage",
			sees(func() error { return nil }),
			"line 2 of informerd's output, see OUTPUT: not JSON: invalid character 'h' looking for beginning of value",
			"up, informerd starts, informerd stops, down",
		},
		{
			"informerd counts wrong", "miscounts",
			sees(func() error { return nil }),
			"informerd reports 2 printed lines, but there were 1",
			"up, informerd starts, informerd stops, down",
		},
		{
			"not all was seen", "",
			sees(func() error { return nil }),
			"informerd did not print an add\ninformerd did not print an update\ninformerd did not print a delete\n" +
				"informerd did not print a resync\ninformerd did not print an event that the WASM handler emitted",
			"up, informerd starts, informerd stops, down",
		},
		{ // the last, since ctx is done after it
			"a signal", "",
			func(_ context.Context, s *stage) error {
				return sees(func() error {
					cancel(errors.New("interrupt"))
					return s.Do(ctx,
						act{title: "wait", effects: []effect{{"more", func(cloudEvent) bool {
							return false
						}}}})
				})(ctx, s)
			},
			"interrupt",
			"up, informerd starts, informerd stops, down",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, shown, record := newFake(t, tt.mode)
			_, err := d.play(ctx, tt.story)
			want := strings.NewReplacer("LOG", d.log(), "OUTPUT", d.output()).Replace(tt.err)
			if err == nil || err.Error() != want {
				t.Errorf("error\n got %v\nwant %s", err, want)
			}
			if got := record(); got != tt.record {
				t.Errorf("record\n got %s\nwant %s", got, tt.record)
			}
			if _, err := os.Stat(d.pidFile()); !os.IsNotExist(err) {
				t.Errorf("the pid file remains: %v", err)
			}
			if t.Failed() {
				t.Log(shown)
			}
		})
	}
}

func TestPlayShowsWhatInformerdPrints(t *testing.T) {
	d, shown, _ := newFake(t, "")
	_, _ = d.play(t.Context(), sees(func() error { return nil }))
	for _, want := range []string{
		"   etcd is ready\n",
		"\n" + addedLine + "\n",
		"\n   rollouts     added     deployments.apps/default/db        replicas 1, image , initial\n",
		"\n   informerd warn: slow listener=\"rollouts\"\n",
		"\nrollouts    1       0       0       0             0              0              0              0        1\n",
	} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("%q is not shown", want)
		}
	}
	if strings.Contains(shown.String(), "listening") {
		t.Error("a log line of level info is shown")
	}
	if t.Failed() {
		t.Log(shown)
	}
	for path, want := range map[string]string{d.output(): addedLine + "\n",
		d.log(): `"msg":"listening"`} {
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has %q, %v", path, text, err)
		}
	}
}

func TestPlayLeavesARunningControlPlaneAlone(t *testing.T) {
	d, _, record := newFake(t, "")
	if err := d.clusterUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := d.play(t.Context(), sees(func() error { return nil }))
	want := "a control plane is already running in " + d.Dir + ": stop it first with make demo-down"
	if err == nil || err.Error() != want {
		t.Errorf("error\n got %v\nwant %s", err, want)
	}
	if got := record(); got != "up" {
		t.Errorf("record %q", got)
	}
}

func TestOneDemoAtATime(t *testing.T) {
	d, _, record := newFake(t, "")
	release, err := d.claim()
	if err != nil {
		t.Fatal(err)
	}
	want := "another demo is running in " + d.Dir +
		" (resource temporarily unavailable): wait for it to end, or stop it with Ctrl-C"
	_, playErr := d.play(t.Context(), sees(func() error { return nil }))
	for _, err := range []error{playErr, d.Up(t.Context()), d.Down(t.Context())} {
		if err == nil || err.Error() != want {
			t.Errorf("error\n got %v\nwant %s", err, want)
		}
	}
	if got := record(); got != "" {
		t.Errorf("record %q", got)
	}
	release()
	if err := d.Down(t.Context()); err != nil {
		t.Errorf("after release: %v", err)
	}
}

func TestMissingPrograms(t *testing.T) {
	d, _, record := newFake(t, "")
	d.Informerd = "bin/none"
	want := "stat bin/none: no such file or directory: run make demo in the root of the repository, which builds what is missing"
	if err := d.Up(t.Context()); err == nil || err.Error() != want {
		t.Errorf("error\n got %v\nwant %s", err, want)
	}
	if got := record(); got != "" {
		t.Errorf("record %q", got)
	}
}
