package reloads

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
)

// subject is the daemon that is tested, with the files of its configuration.
type subject struct {
	folder, state string
	cancel        context.CancelFunc
	done          chan error
	hangup        chan struct{}
	folders       int // of a ConfigMap so far

	mu      sync.Mutex
	loaded  string           // the text that was read last
	ended   map[string]error // how the reloads of texts have ended
	news    chan struct{}    // closed at the next end
	mishaps []string         // warnings and errors about anything else
	address string           // of its endpoint
}

func (s *subject) path() string { return filepath.Join(s.folder, "c.yaml") }

// load reads the configuration as the command run does.
func load(path string) (*config.Config, error) {
	return config.Loading{More: plan.Mistakes(nil, false), Regular: true}.Load(path)
}

// validated returns what the command validate finds, and what it only warns of.
func validated(ctx context.Context, path string) (warnings string, err error) {
	cfg, err := load(path)
	if err != nil {
		return "", err
	}
	return warnings, daemon.Check(ctx, cfg, daemon.Options{
		Log: slog.New(slog.DiscardHandler), Warned: func(w config.Error) {
			warnings += w.Error() + "\n"
		}})
}

// start starts the daemon with a configuration that is there.
func (s *subject) start(t *testing.T, server string) {
	t.Helper()
	s.ended, s.news = map[string]error{}, make(chan struct{})
	s.done, s.hangup = make(chan error, 1), make(chan struct{}, 1)
	kubeconfig := filepath.Join(s.folder, "kubeconfig")
	s.write(t, "kubeconfig", []byte("apiVersion: v1\nkind: Config\ncurrent-context: c\n"+
		"contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {}}]\n"+
		"clusters: [{name: c, cluster: {server: \""+server+"\"}}]\n"))
	cfg, err := load(s.path())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	go func() {
		s.done <- daemon.Run(ctx, cfg, daemon.Options{Kubeconfig: kubeconfig, Version: "test",
			Stdout: io.Discard, Log: slog.New(s), Hangup: s.hangup, Load: s.load})
	}()
}

func (s *subject) load() (*config.Config, error) {
	text, _ := os.ReadFile(s.path())
	s.mu.Lock()
	s.loaded = string(text)
	s.mu.Unlock()
	return load(s.path())
}

// write writes a file as a whole.
func (s *subject) write(t *testing.T, name string, text []byte) {
	t.Helper()
	path := filepath.Join(s.folder, name)
	if err := os.WriteFile(path+"~", text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
}

// mount writes the configuration as a volume of a ConfigMap does.
func (s *subject) mount(t *testing.T, text string) {
	t.Helper()
	s.folders++
	in := func(name string) string { return filepath.Join(s.folder, name) }
	folder := "..data-" + strconv.Itoa(s.folders)
	err := os.Mkdir(in(folder), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(in(folder), "c.yaml"), []byte(text), 0o600)
	}
	before, _ := os.Readlink(in("..data"))
	for _, link := range []struct{ to, name string }{{folder, "..data"}, {"..data/c.yaml",
		"c.yaml"}} {
		if to, _ := os.Readlink(in(link.name)); to == link.to {
			continue
		}
		if err == nil {
			err = os.Symlink(link.to, in(link.name+"~"))
		}
		if err == nil {
			err = os.Rename(in(link.name+"~"), in(link.name))
		}
	}
	if err == nil && before != "" {
		err = os.RemoveAll(in(before))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The log of the daemon says how reloads end.

func (s *subject) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo
}
func (s *subject) WithAttrs(with []slog.Attr) slog.Handler { return s }
func (s *subject) WithGroup(string) slog.Handler           { return s }

func (s *subject) Handle(_ context.Context, r slog.Record) error {
	var err error
	words := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		words += " " + a.String()
		if e, ok := a.Value.Any().(error); ok {
			err = e
		}
		if r.Message == "answering requests" && a.Key == "address" {
			s.mu.Lock()
			s.address = a.Value.String()
			s.mu.Unlock()
		}
		return true
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	if os.Getenv("STRESS_LOG") != "" {
		println(words)
	}
	switch {
	case strings.HasPrefix(r.Message, "configuration reloaded"):
	case strings.HasPrefix(r.Message, "the configuration is not reloaded"):
		if err == nil {
			err = errors.New(words)
		}
	default:
		if r.Level >= slog.LevelWarn && !expected(words) {
			s.mishaps = append(s.mishaps, words)
		}
		return nil
	}
	s.ended[s.loaded] = err
	close(s.news)
	s.news = make(chan struct{})
	return nil
}

// expected reports whether what the daemon logs belongs to reloads: what waits for an output that
// is removed is a dead letter.
func expected(words string) bool {
	return strings.Contains(words, "suspicious setting") || strings.Contains(words, "-more ") &&
		strings.Contains(words, "the listener does not use the output any more")
}

// outcome waits until the reload of a text has ended, and returns how.
func (s *subject) outcome(ctx context.Context, text string) error {
	for {
		s.mu.Lock()
		err, ended := s.ended[text]
		news := s.news
		s.mu.Unlock()
		if ended {
			return err
		}
		select {
		case <-news:
		case <-ctx.Done():
			return errors.New("no reload for a long time")
		}
	}
}

// command reloads as the command reload does.
func (s *subject) command(ctx context.Context) error {
	c, err := admin.Dial(ctx, s.state)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Reload(ctx)
	return err
}

// metric returns the lines of a metric.
func (s *subject) metric(t *testing.T, name string) (lines string) {
	t.Helper()
	s.mu.Lock()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		"http://"+s.address+"/metrics", nil)
	s.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, name) {
			lines += line
		}
	}
	return lines
}
