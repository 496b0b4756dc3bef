package fleet

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// kubeconfig is one of a server that is not asked.
func kubeconfig(server string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: '%s'}}]\n"+
		"users: [{name: u, user: {token: t}}]\ncontexts: [{name: c, context: {cluster: c, user: u}}]\n"+
		"current-context: c\n", server)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func parse(t *testing.T, dir, clusters string) *config.Config {
	t.Helper()
	cfg, err := config.Parse(filepath.Join(dir, "c.yaml"), []byte("apiVersion: informerd.dev/v1alpha1\nkind: Config\n"+
		clusters+"\nlisteners: {l: {informer: {resource: pods}, outputs: [o]}}\noutputs: {o: {stdout: {}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// report is what Run has found last.
type report struct {
	members  map[string]Member
	problems []Problem
}

// run runs a watch, and returns what waits for a report.
func run(t *testing.T, w *Watch) (until func(is func(report) bool)) {
	t.Helper()
	reports := make(chan report)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		w.Run(ctx, func(members map[string]Member, problems []Problem) {
			select {
			case reports <- report{members, problems}:
			case <-ctx.Done():
			}
		})
	})
	t.Cleanup(func() { stop(); running.Wait() })
	return func(is func(report) bool) {
		t.Helper()
		for {
			select {
			case r := <-reports:
				if is(r) {
					return
				}
			case <-t.Context().Done():
				t.Fatal("it was not found")
			}
		}
	}
}

func (r report) names() string {
	var all []string
	for name := range r.members {
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// Files come, change and go, as does what the configuration names.
func TestFilesAndNames(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "more")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "eu.yaml"), kubeconfig("https://eu"))
	w := New(parse(t, dir, "clusters: {eu: {kubeconfig: eu.yaml, labels: {region: eu}}}\nclustersFrom: [{folder: more}]"), nil, quiet)
	until := run(t, w)
	var first report
	until(func(r report) bool { first = r; return r.names() == "eu" && len(r.problems) == 0 })
	write(t, filepath.Join(folder, "us.yaml"), kubeconfig("https://us"))
	write(t, filepath.Join(folder, "eu.yaml"), kubeconfig("https://us"))
	write(t, filepath.Join(folder, "A_B.yaml"), kubeconfig("https://us"))
	write(t, filepath.Join(folder, "README"), "no cluster")
	until(func(r report) bool {
		return r.names() == "eu us" && len(r.problems) == 2 &&
			strings.HasSuffix(r.problems[0].From, "A_B.yaml") && r.problems[0].Text == `"A_B" cannot be a cluster's name` &&
			r.problems[1].Text == `clusters.eu has the name "eu" already`
	})
	write(t, filepath.Join(dir, "eu.yaml"), kubeconfig("https://eu2"))
	until(func(r report) bool {
		is, was := r.members["eu"], first.members["eu"]
		return is.Same(&was) && !is.ReachedAs(&was)
	})
	w.Configure(parse(t, dir, "clusters: {eu: {kubeconfig: eu.yaml, labels: {region: west}}}"))
	until(func(r report) bool {
		is, was := r.members["eu"], first.members["eu"]
		return r.names() == "eu" && !is.Same(&was)
	})
	if err := os.Remove(filepath.Join(dir, "eu.yaml")); err != nil {
		t.Fatal(err)
	}
	until(func(r report) bool { return r.names() == "eu" }) // that it cannot be read is told who connects

	// a folder that is away for a while
	w.Configure(parse(t, dir, "clustersFrom: [{folder: more}]"))
	until(func(r report) bool { return r.names() == "eu us" })
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	w.Look() // as after the time in which what nobody reports is found
	until(func(r report) bool {
		return r.names() == "eu us" && len(r.problems) == 1 && r.problems[0] == Problem{"folder more", "no such file or directory"}
	})
	if err := os.Remove(filepath.Join(folder+".away", "us.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(folder+".away", folder); err != nil {
		t.Fatal(err)
	}
	w.Look()
	until(func(r report) bool { return r.names() == "eu" })
}

// secretServer is an API server with Secrets alone.
type secretServer struct {
	mu      sync.Mutex // guards what follows
	version int
	secrets map[string]string // JSON, by name
	news    []string          // events of a watch, from version 2 on
	changed chan struct{}
	refuses bool
}

func (s *secretServer) set(name, labels string, data map[string]string) {
	encoded := map[string]string{}
	for key, value := range data {
		encoded[key] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	text, _ := json.Marshal(encoded)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	op := "ADDED"
	if s.secrets[name] != "" {
		op = "MODIFIED"
	}
	if data == nil {
		op = "DELETED"
	}
	object := fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","metadata":{"name":%q,"namespace":"n","uid":%q,"resourceVersion":"%d","labels":%s},"data":%s}`,
		name, name, s.version, labels, text)
	if s.secrets[name] = object; data == nil {
		delete(s.secrets, name)
	}
	s.news = append(s.news, fmt.Sprintf(`{"type":%q,"object":%s}`, op, object))
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *secretServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	s.mu.Lock()
	refuses := s.refuses
	s.mu.Unlock()
	if refuses || r.URL.Path != "/api/v1/namespaces/n/secrets" || r.URL.Query().Get("labelSelector") != "cluster=yes" {
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no","code":403}`)
		return
	}
	if r.URL.Query().Get("watch") == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		var all []string
		for _, object := range s.secrets {
			all = append(all, object)
		}
		_, _ = fmt.Fprintf(w, `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`,
			s.version, strings.Join(all, ","))
		return
	}
	if r.URL.Query().Get("sendInitialEvents") != "" {
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","message":"no","code":422}`)
		return
	}
	var sent int
	_, _ = fmt.Sscan(r.URL.Query().Get("resourceVersion"), &sent)
	for {
		s.mu.Lock()
		news, changed := s.news[min(sent, len(s.news)):], s.changed
		s.mu.Unlock()
		for _, event := range news {
			_, _ = io.WriteString(w, event+"\n")
		}
		sent += len(news)
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// Secrets are clusters of their names and labels. Nobody leaves while they cannot be listed.
func TestSecrets(t *testing.T) {
	s := &secretServer{secrets: map[string]string{}, changed: make(chan struct{})}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	dir := t.TempDir()
	path := filepath.Join(dir, "home")
	write(t, path, kubeconfig(server.URL))
	home, err := kube.Connect(kube.Options{Kubeconfig: path, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(home.Close)
	s.set("a", `{"cluster":"yes","region":"eu"}`, map[string]string{"kubeconfig": kubeconfig("https://a")})
	s.set("empty", `{"cluster":"yes"}`, map[string]string{"other": "x"})
	const from = "clustersFrom: [{secrets: {namespace: n, labelSelector: cluster=yes}}]"
	w := New(parse(t, dir, from), home, quiet)
	until := run(t, w)
	until(func(r report) bool {
		return r.names() == "a" && r.members["a"].Labels["region"] == "eu" && len(r.problems) == 1 &&
			r.problems[0] == Problem{"Secret n/empty", "it has neither kubeconfig nor value"}
	})
	s.set("b", `{"cluster":"yes"}`, map[string]string{"value": kubeconfig("https://b")})
	until(func(r report) bool { return r.names() == "a b" })

	s.mu.Lock()
	s.refuses = true
	s.mu.Unlock()
	w.Configure(parse(t, dir, from+"\nclusters: {c: {kubeconfig: home}}"))
	until(func(r report) bool { return r.names() == "a b c" })
	w.Configure(parse(t, dir, "clustersFrom: [{secrets: {namespace: other, labelSelector: cluster=yes}}]"))
	until(func(r report) bool { return r.names() == "a b" && len(r.problems) == 1 })
	s.mu.Lock()
	s.refuses = false
	s.mu.Unlock()
	w.Configure(parse(t, dir, from))
	until(func(r report) bool {
		return r.names() == "a b" && len(r.problems) == 1 && r.problems[0].From == "Secret n/empty"
	})
	s.set("a", "{}", nil)
	until(func(r report) bool { return r.names() == "b" })
}
