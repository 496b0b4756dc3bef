package outputs

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

// put writes the files of a mounted Secret: all at once, as another target of a link.
func put(t *testing.T, dir, version string, files map[string]string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(dir, ".."+version), 0o700))
	for name, text := range files {
		must(os.WriteFile(filepath.Join(dir, ".."+version, name), []byte(text), 0o600))
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			must(os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)))
		}
	}
	must(os.Symlink(".."+version, filepath.Join(dir, "..tmp")))
	must(os.Rename(filepath.Join(dir, "..tmp"), filepath.Join(dir, "..data")))
}

// seen is what a receiver was asked, one line for each request.
type seen struct {
	mu  sync.Mutex
	all []string
}

func (s *seen) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, strings.Join([]string{r.URL.Path, r.Header.Get("Authorization"),
		r.Header.Get("Webhook-Signature")}, " "))
}

func (s *seen) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 {
		return ""
	}
	return s.all[len(s.all)-1]
}

// Addresses, headers and keys in the files of a mounted Secret are those of the Secret as it is by
// now, for each output that has some.
func TestMountedSecretsAreReadAgain(t *testing.T) {
	for name, c := range map[string]struct{ output, old, new string }{
		"webhook": {"webhook: {url: {fromFile: url}, headers: {Authorization: {fromFile: token}}}",
			"/url-1 token-1 ", "/url-2 token-2 "},
		"signature": {"webhook: {url: {fromFile: url}, sign: {secret: {fromFile: key}, previous: {fromFile: previous}}}",
			"/url-1  v1,", "/url-2  v1,"},
		"slack": {"slack: {url: {fromFile: url}, text: '\"x\"'}", "/url-1  ", "/url-2  "},
		"alertmanager": {"alertmanager: {url: {fromFile: url}, headers: {Authorization: {fromFile: token}}}",
			"/url-1/api/v2/alerts token-1 ", "/url-2/api/v2/alerts token-2 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			receiver := &seen{}
			server := httptest.NewServer(receiver)
			defer server.Close()
			dir := t.TempDir()
			files := func(n string) map[string]string {
				return map[string]string{"url": server.URL + "/url-" + n, "token": "token-" + n,
					"key": "whsec_" + strings.Repeat("AAA"+n, 8), "previous": "whsec_" +
						strings.Repeat("BBB"+n, 8)}
			}
			put(t, dir, "1", files("1"))
			cfg, err := config.Parse(filepath.Join(dir, "c.yaml"), []byte(
				"apiVersion: informerd.dev/v1alpha1\nkind: Config\noutputs: {out: {"+c.output+
					"}}\n"+
					"listeners: {all: {informer: {resource: pods}, outputs: [out], "+
					"rules: [{name: r, deny: \"true\"}]}}\n"))
			if err != nil {
				t.Fatal(err)
			}
			if wrong := Check(cfg, cfg.Outputs["out"]); len(wrong) > 0 {
				t.Fatal(wrong)
			}
			s, err := (&Maker{}).New(cfg, cfg.Outputs["out"], Expressions{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Close(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			report := sinktest.Message(t, "web", 1)
			report.Body, report.Report = sink.BodyReport, &sink.Report{Rule: "r", Violated: true,
				Since: time.Unix(1_700_000_000, 0)}
			ask := func(want string) {
				t.Helper()
				for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
					errs := s.Write(t.Context(), []sink.Message{report})
					if errs == nil && strings.HasPrefix(receiver.last(), want) {
						return
					}
					if time.Since(begun) > 20*time.Second {
						t.Fatalf("asked with %q, want %q: %v", receiver.last(), want, errs)
					}
				}
			}
			ask(c.old)
			put(t, dir, "2", files("2"))
			ask(c.new)
		})
	}
}
