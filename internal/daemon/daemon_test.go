package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/testcache"
	"github.com/informerd/informerd/pkg/plugins"
)

func TestMain(m *testing.M) {
	plugins.CompilerMain()
	removeCache := testcache.Use()
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		removeCache()
		os.Exit(code)
	}))
}

var quiet = slog.New(slog.DiscardHandler)

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	cfg, err := config.Parse(filepath.Join(t.TempDir(), "c.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

const head = "apiVersion: informerd.dev/v1alpha1\nkind: Config\noutputs: {out: {stdout: {}}}\nlisteners:\n"

func TestAllMistakesAreReportedTogether(t *testing.T) {
	cfg := parse(t, head+`
  bad-filter:
    informer: {resource: pods}
    filter: object.spec.replicas ==
    outputs: [out]
  no-module:
    informer: {resource: pods}
    handler: {wasm: none.wasm}
    outputs: [out]
  wrong-digest:
    informer: {resource: pods}
    handler: {wasm: c.yaml, sha256: "`+strings.Repeat("0", 64)+`"}
    outputs: [out]
  no-module-at-all:
    informer: {resource: pods}
    handler: {wasm: text.wasm}
    outputs: [out]
`)
	dir := filepath.Dir(cfg.File())
	for _, name := range []string{"c.yaml", "text.wasm"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("this is not a module"),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := Check(t.Context(), cfg, Options{Log: quiet})
	var mistakes config.Errors
	if !errors.As(err, &mistakes) {
		t.Fatalf("%T: %v", err, err)
	}
	want := []string{
		"c.yaml:8:35: listener \"bad-filter\": ",
		"c.yaml:12:21: listener \"no-module\": cannot read the handler: open ", "c.yaml:16:21: ",
		"c.yaml:20:21: ",
	}
	if len(mistakes) != len(want) {
		t.Fatalf("%d mistakes, want %d:\n%v", len(mistakes), len(want), err)
	}
	for i, m := range mistakes {
		if !strings.Contains(m.Error(), want[i]) {
			t.Errorf("mistake %d: %v, want %s", i, m, want[i])
		}
	}
	if !strings.Contains(mistakes[2].Error(), "has the SHA-256 ") ||
		!strings.Contains(mistakes[2].Error(), "the configuration wants 000") {
		t.Error(mistakes[2])
	}
}

// lockedBuffer is a log that is read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *lockedBuffer) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.buf.Reset()
}

// waitFor waits until the log has said something.
func (b *lockedBuffer) waitFor(t *testing.T, words string) {
	t.Helper()
	b.waitForLines(t, 1, words)
}

// waitForLines waits until the words are there n times, in as many lines.
func (b *lockedBuffer) waitForLines(t *testing.T, n int, words string) {
	t.Helper()
	b.until(t, func(text string) error {
		if strings.Count(text, words) < n {
			return fmt.Errorf("the log did not say %q %d times:\n%s", words, n, text)
		}
		return nil
	})
}

// until waits until somebody has nothing to complain about any more.
func (b *lockedBuffer) until(t *testing.T, complaint func(text string) error) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(20 * time.Second)
	for err := complaint(b.String()); err != nil; err = complaint(b.String()) {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatal(err)
		}
	}
}

// apiServer is just enough of one to find pods, which it then refuses to list.
func apiServer(t *testing.T, up func() bool) *httptest.Server {
	mux := http.NewServeMux()
	reply := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if !up() {
				http.Error(w, "not yet", http.StatusServiceUnavailable)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, text)
		}
	}
	mux.HandleFunc("/api", reply(`{"kind":"APIVersions","versions":["v1"]}`))
	mux.HandleFunc("/apis", reply(`{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`))
	mux.HandleFunc("/api/v1", reply(
		`{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod","shortNames":["po"],"verbs":["get","list","watch"]}]}`))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func kubeconfig(t *testing.T, server string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	text := "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n" +
		"users: [{name: u, user: {}}]\nclusters: [{name: c, cluster: {server: \"" + server +
		"\"}}]\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAListenerWithoutItsResourceHoldsUpNoOther(t *testing.T) {
	server := apiServer(t, func() bool { return true })
	cfg := parse(t, head+`
  lost:
    informer: {resource: podz}
    outputs: [out]
  found:
    informer: {resource: po}
    outputs: [out]
`)
	var log lockedBuffer
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, cfg, Options{Kubeconfig: kubeconfig(t, server.URL), Stdout: io.Discard,
			Log: slog.New(slog.NewTextHandler(&log, nil))})
	}()
	log.waitFor(t, "listening listener=found")
	log.waitFor(t, "failed to list pods")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if s := log.String(); !strings.Contains(s,
		`msg="listener failed, will try again" listener=lost`) || !strings.Contains(s, "podz") ||
		!strings.Contains(s, "did you mean pods") {
		t.Error(s)
	}
	server.CloseClientConnections()
}

func TestAServerThatIsNotThereIsWaitedFor(t *testing.T) {
	var mu sync.Mutex
	up := false
	server := apiServer(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return up
	})
	cfg := parse(t, head+`
  pods:
    informer: {resource: pods}
    outputs: [out]
`)
	var log lockedBuffer
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, cfg, Options{Kubeconfig: kubeconfig(t, server.URL), Stdout: io.Discard,
			Log: slog.New(slog.NewTextHandler(&log, nil))})
	}()
	log.waitFor(t, `msg="cannot reach the API server, will try again" server=`+server.URL+" in=1s")
	mu.Lock()
	up = true
	mu.Unlock()
	log.waitFor(t, "listening listener=pods")
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	server.CloseClientConnections()
}

func TestNoKubeconfigIsARunError(t *testing.T) {
	cfg := parse(t, head+`
  pods:
    informer: {resource: pods}
    outputs: [out]
`)
	err := Run(t.Context(), cfg, Options{Kubeconfig: filepath.Join(t.TempDir(), "none"),
		Stdout: io.Discard, Log: quiet})
	var mistakes config.Errors
	if err == nil || errors.As(err, &mistakes) || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
}
