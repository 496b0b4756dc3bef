package cli

import (
	"io"
	"syscall"
	"testing"
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
