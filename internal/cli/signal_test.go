package cli

import (
	"io"
	"log/slog"
	"strings"
	"syscall"
	"testing"
)

// logLines sends each line that is written.
type logLines chan string

func (l logLines) Write(p []byte) (int, error) {
	l <- string(p)
	return len(p), nil
}

// SIGHUP does not end informerd, and says in the log that nothing is read again; SIGTERM does end
// it.
func TestSIGHUPIsLoggedAndIgnored(t *testing.T) {
	lines := make(logLines, 1)
	ctx, stop := stopOnSignal(t.Context(), io.Discard, slog.New(slog.NewTextHandler(lines, nil)))
	defer stop()
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if line := <-lines; !strings.Contains(line,
		"SIGHUP ignored: a changed configuration takes effect when informerd is restarted") {
		t.Error(line)
	}
	if ctx.Err() != nil {
		t.Fatal("SIGHUP ended the context")
	}
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
}
