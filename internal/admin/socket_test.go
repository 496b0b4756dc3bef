package admin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/keeper"
)

func TestReload(t *testing.T) {
	dir := t.TempDir()
	changes := Changes{{Kind: "listener", Name: "pods", Action: "changed",
		Fields: []string{"filter", "outputs"}}, {Kind: "output", Name: "hook", Action: "added"}}
	mistakes := config.Errors{{File: "a.yaml", Line: 3, Column: 5, Field: "outputs.hook",
		Message: "it is wrong", Hint: "mend it", Snippet: "x\n^"}, {File: "b.yaml", Message: "too"}}
	var err error
	serve(t, dir, Functions{Reload: func(context.Context) (Changes, error) { return changes, err }})
	c := dial(t, dir)
	if got, err := c.Reload(t.Context()); err != nil || !reflect.DeepEqual(got, changes) {
		t.Errorf("%+v, %v", got, err)
	}
	changes = nil
	for _, want := range []error{fmt.Errorf("wrapped: %w", mistakes), errors.New("no memory")} {
		err = want
		_, got := c.Reload(t.Context())
		var found config.Errors
		if errors.As(want, &found) {
			if !reflect.DeepEqual(got, error(mistakes)) {
				t.Errorf("%#v", got)
			}
		} else if got == nil || got.Error() != want.Error() {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

func TestCheckpoint(t *testing.T) {
	dir := t.TempDir()
	var stats keeper.Stats
	serve(t, dir, Functions{Checkpoint: func() keeper.Stats { return stats }})
	c := dial(t, dir)
	expect := func(want Checkpoint) {
		t.Helper()
		got, err := c.Checkpoint(t.Context())
		if err != nil || got == nil || !got.Current.Equal(want.Current) ||
			got.Failed != want.Failed {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	expect(Checkpoint{})
	stats = keeper.Stats{Current: time.Unix(1700000000, 7), Failed: errors.New("disk full")}
	expect(Checkpoint{Current: stats.Current, Failed: "disk full"})
	other := t.TempDir()
	serve(t, other, Functions{})
	if got, err := dial(t, other).Checkpoint(t.Context()); got != nil || err != nil {
		t.Errorf("without one: %+v, %v", got, err)
	}
}

func TestWhatADaemonCannotDo(t *testing.T) {
	dir := t.TempDir()
	serve(t, dir, Functions{})
	c := dial(t, dir)
	_, err1 := c.Reload(t.Context())
	_, err2 := c.Drop(t.Context(), Selection{All: true})
	_, err3 := c.Remembers(t.Context(), ObjectOf{})
	for _, err := range []error{err1, err2, err3,
		c.Replay(t.Context(), Selection{All: true}, nil, nil)} {
		if err == nil || err.Error() != errNotAvailable.Error() {
			t.Errorf("got %v", err)
		}
	}
	if got := names(t, c, Selection{}); got != "!"+errNotAvailable.Error() {
		t.Errorf("got %s", got)
	}
}

// A reload goes on when its client leaves, and the daemon stops it.
func TestReloadOutlivesItsClient(t *testing.T) {
	dir, began, left := t.TempDir(), make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	stop := serve(t, dir, Functions{Reload: func(ctx context.Context) (Changes, error) {
		close(began)
		<-left
		if ctx.Value(http.ServerContextKey) != nil {
			t.Error("the context is the request's, which ends with it")
		}
		ended <- ctx.Err()
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	c := dial(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error, 1)
	go func() { _, err := c.Reload(ctx); asked <- err }()
	<-began
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(left)
	if err := <-ended; err != nil {
		t.Errorf("the reload's context has %v", err)
	}
	stop()
}

func TestSocket(t *testing.T) {
	dir := t.TempDir()
	if _, err := Dial(t.Context(), dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("got %v", err)
	}
	path := filepath.Join(dir, socketName)
	killed, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	killed.SetUnlinkOnClose(false)
	killed.Close()
	if _, err := Dial(t.Context(), dir); !errors.Is(err, ErrNotRunning) ||
		!strings.HasPrefix(err.Error(), "no informerd runs with this configuration: ") {
		t.Errorf("got %v", err)
	}
	stop := serve(t, dir, Functions{})
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := Listen(dir); err == nil ||
		!strings.Contains(err.Error(), dir+": another informerd uses this folder") {
		t.Errorf("got %v", err)
	}
	dial(t, dir) // and it is still there
	stop()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	serve(t, dir, Functions{})
	dial(t, dir)
	if _, err := Listen(filepath.Join(dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestLongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 50), strings.Repeat("path", 50))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		if _, err := Listen(dir); err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("got %v", err)
		}
		return
	}
	if _, err := Dial(t.Context(), dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("got %v", err)
	}
	stop := serve(t, dir, Functions{})
	if _, err := dial(t, dir).Reload(t.Context()); err == nil ||
		err.Error() != errNotAvailable.Error() {
		t.Errorf("got %v", err)
	}
	stop()
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Whatever is sent, the answer is an error, and the daemon goes on.
func TestOddRequests(t *testing.T) {
	dir := t.TempDir()
	serve(t, dir, Functions{Letters: store(t, "a"), Replay: (&replayer{T: t}).replay})
	c := dial(t, dir)
	for _, test := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", reloadPath, "", 404},
		{"POST", "/", "", 404},
		{"POST", "/v1/deadletters/list/..", "", 404},
		{"POST", listPath, "", 400},
		{"POST", listPath, "null", 200},
		{"POST", listPath, "[]", 400},
		{"POST", listPath, `{"listner":"a"}`, 400},
		{"POST", listPath, `{"filter":"x"`, 400},
		{"POST", listPath, strings.Repeat("[", 1<<20), 400},
		{"POST", dropPath, `{"ids":["` + strings.Repeat("x", maxSelection) + `"]}`, 400},
		{"POST", dropPath, `{"ids":["x",""]}`, 200},
		{"POST", replayPath, `{}`, 200},
		{"POST", memoryPath, "", 400},
		{"POST", memoryPath, `{"listner":"a"}`, 400},
		{"POST", replayPath, `{"reason":"none"}`, 200},
	} {
		r, err := http.NewRequestWithContext(t.Context(), test.method, "http://x"+test.path,
			strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		answered, err := c.web.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answered.Body)
		answered.Body.Close()
		if answered.StatusCode != test.status || err != nil || len(text) > 1000 {
			t.Errorf("%s %s %.100s: %d, %v: %.100s", test.method, test.path, test.body,
				answered.StatusCode, err, text)
		}
	}
	if got := names(t, c, Selection{}); got != "a " {
		t.Errorf("left: %s", got)
	}
}

// A daemon that breaks off in the middle of a list, or that is not one, is an error.
func TestCutOffAnswers(t *testing.T) {
	dir := t.TempDir()
	s, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	answers := make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil { // Dial only looks
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(conn, <-answers)
			}
			conn.Close()
		}
	}()
	c := dial(t, dir)
	const ended = ", as when informerd ends: give the command again for the rest"
	const ok = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
	for _, test := range []struct{ answer, want string }{
		{"\n", "!the running informerd does not answer: net/http: HTTP/1.x transport connection broken: malformed HTTP response \"\""},
		{"hello\r\n\r\n", `!the running informerd does not answer: net/http: HTTP/1.x transport connection broken: malformed HTTP response "hello"`},
		{ok, "!the answer was cut off (EOF)" + ended},
		{ok + `{"letter":{"name":"a"}}` + "\n" + `{"letter":{"na`,
			"a !the answer was cut off (unexpected EOF)" + ended},
		{ok + `{"end":true,"error":"no more"}`, "!no more"},
		{"HTTP/1.1 500 Oh\r\nConnection: close\r\n\r\nhello",
			"!the answer of the running informerd cannot be read: invalid character 'h' looking for beginning of value"},
	} {
		answers <- test.answer
		if got := names(t, c, Selection{}); got != test.want {
			t.Errorf("%q: got  %s\nwant %s", test.answer, got, test.want)
		}
	}
	s.listener.Close()
	<-done
}

// The error of somebody who may not use the folder says who may.
func TestAnotherUser(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may use every folder")
	}
	dir := t.TempDir()
	serve(t, dir, Functions{})
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	_, err := Dial(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(),
		"permission denied: run the command as the user to whom "+dir+" belongs") {
		t.Errorf("got %v", err)
	}
}

// A list that nobody reads does not keep the daemon from stopping.
func TestStopWithHangingClient(t *testing.T) {
	dir := t.TempDir()
	letters := store(t)
	for range 20 {
		l := letterOf(1 << 20)
		if _, err := letters.Put(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	defer cancel()
	go func() {
		ended <- s.Serve(ctx, Functions{Letters: letters},
			slog.New(slog.DiscardHandler))
	}()
	for l, err := range dial(t, dir).List(t.Context(), Selection{}) {
		if l.ID == "" || err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-ended; err != nil { // while this list hangs
			t.Error(err)
		}
		break
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A daemon that does not answer, as one that is stopped, does not hold up a list forever.
func TestHangingDaemon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Client{web: &http.Client{Transport: silent{}}}
		begun := time.Now()
		if got := names(t, c, Selection{}); got !=
			"!the running informerd does not answer: nothing came within 1m0s" {
			t.Errorf("got %s", got)
		}
		if took := time.Since(begun); took != answerTimeout {
			t.Errorf("after %v", took)
		}
	})
}

type silent struct{}

func (silent) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}
