package cli

import (
	"context"
	"io"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// SIGHUP does not end informerd, and is reported; SIGTERM does end it.
func TestSIGHUPIsReported(t *testing.T) {
	hangup := make(chan struct{}, 1)
	ctx, stop := stopOnSignal(t.Context(), io.Discard, hangup)
	defer stop()
	for range 2 {
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		<-hangup
	}
	if ctx.Err() != nil {
		t.Fatal("SIGHUP ended the context")
	}
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
}

// A signal that comes with the first one is the same: timeout(1) sends two. A later one ends
// informerd at once.
func TestSignalsOfOneMomentAreOne(t *testing.T) {
	for after, want := range map[time.Duration]bool{
		0: false, sameSignal - time.Millisecond: false, sameSignal: true, time.Hour: true,
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			signals := make(chan os.Signal)
			second := make(chan bool, 1)
			go func() { second <- heed(ctx, cancel, signals, nil) }()
			signals <- syscall.SIGTERM
			<-ctx.Done()
			time.Sleep(after) // in the bubble's time
			signals <- os.Interrupt
			synctest.Wait()
			if !want {
				close(signals)
			}
			if got := <-second; got != want {
				t.Errorf("%v after the first one: %t, want %t", after, got, want)
			}
		})
	}
}
