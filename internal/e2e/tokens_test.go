package e2e

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/kube"
)

// tokens makes service accounts and their tokens on the real API server.
type tokens struct{ *writing }

func (w tokens) apply(group, version, kind, plural, namespace string, object map[string]any) {
	w.Helper()
	u := &unstructured.Unstructured{Object: object}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
	gvr := schema.GroupVersionResource{Group: group, Version: version, Resource: plural}
	var err error
	if namespace == "" {
		_, err = w.clusterWide.Resource(gvr).Create(w.Context(), u, metav1.CreateOptions{})
	} else {
		_, err = w.clusterWide.Resource(gvr).Namespace(namespace).Create(w.Context(), u,
			metav1.CreateOptions{})
	}
	if err != nil {
		w.Fatal(err)
	}
}

// account makes a service account, which may get the paths.
func (w tokens) account(name string, paths ...any) {
	w.Helper()
	w.accountFor("get", name, paths...)
}

func (w tokens) accountFor(verb, name string, paths ...any) {
	w.Helper()
	w.apply("", "v1", "ServiceAccount", "serviceaccounts", w.namespace,
		map[string]any{"metadata": map[string]any{"name": name}})
	if len(paths) == 0 {
		return
	}
	const rbac = "rbac.authorization.k8s.io"
	both := map[string]any{"name": w.namespace + "-" + name}
	w.apply(rbac, "v1", "ClusterRole", "clusterroles", "", map[string]any{"metadata": both,
		"rules": []any{map[string]any{"nonResourceURLs": paths, "verbs": []any{"get", verb}}}})
	w.apply(rbac, "v1", "ClusterRoleBinding", "clusterrolebindings", "", map[string]any{
		"metadata": both, "roleRef": map[string]any{"apiGroup": rbac, "kind": "ClusterRole",
			"name": both["name"]},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": name,
			"namespace": w.namespace}}})
}

// token returns a token of an account for an audience, the API server's if that is empty.
func (w tokens) token(account, audience string) string {
	w.Helper()
	spec := map[string]any{}
	if audience != "" {
		spec["audiences"] = []any{audience}
	}
	request := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	request.SetGroupVersionKind(schema.GroupVersionKind{Group: "authentication.k8s.io",
		Version: "v1", Kind: "TokenRequest"})
	request.SetName(account)
	answer, err := w.clusterWide.Resource(schema.GroupVersionResource{Version: "v1",
		Resource: "serviceaccounts"}).Namespace(w.namespace).Create(w.Context(), request,
		metav1.CreateOptions{}, "token")
	if err != nil {
		w.Fatal(err)
	}
	token, _, err := unstructured.NestedString(answer.Object, "status", "token")
	if err != nil || token == "" {
		w.Fatal(err)
	}
	return token
}

// run starts informerd with these settings of http, and returns how to ask it.
func (w tokens) run(http string) (p *process, address string) {
	w.Helper()
	dir := w.TempDir()
	config := fmt.Sprintf(`apiVersion: informerd.dev/v1alpha1
kind: Config
http: {address: "127.0.0.1:0", auth: kubernetes%s}
listeners: {maps: {informer: {resource: configmaps, namespaces: [%q]}, outputs: [out]}}
outputs: {out: {stdout: {}}}
`, http, w.namespace)
	file := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		w.Fatal(err)
	}
	c, err := sharedCluster()
	if err != nil {
		w.Fatal(err)
	}
	p = &process{cmd: exec.Command(informerdBin(), "run", "--config", file),
		done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig())
	if p.out, err = newStream(filepath.Join(dir, "out")); err == nil {
		p.err, err = newStream(filepath.Join(dir, "err"))
	}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	if err == nil {
		err = p.start()
	}
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(p.kill)
	if address, err = p.address(); err != nil {
		w.Fatal(err)
	}
	return p, address
}

// ask returns the answer to a request with these headers.
func (w tokens) ask(address, path, token string, headers ...string) (status int, body string) {
	w.Helper()
	return w.send(http.MethodGet, address, path, token, "", headers...)
}

func (w tokens) send(method, address, path, token, sent string, headers ...string) (status int,
	body string) {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, "https://"+address+path,
		strings.NewReader(sent))
	if err != nil {
		w.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for _, header := range headers {
		name, value, found := strings.Cut(header, ": ")
		if !found {
			continue
		}
		if r.Header.Set(name, value); name == "Host" {
			r.Host = value
		}
	}
	transport := &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		w.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		w.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// servedPaths matches the line of the log that has all paths.
var servedPaths = regexp.MustCompile(`msg="answering requests" .*paths="\[([^]]*)\]"`)

// Who may read an endpoint is what the API server says: every path, without a token, with another
// audience's, and with one that lacks the right, is refused, and the body says nothing.
func TestEndpointsAskTheAPIServer(t *testing.T) {
	t.Parallel()
	w := tokens{newWriting(t, "tokens")}
	w.account("reader", "/", "/metrics", "/violations", "/statusz", "/history", "/events", "/listener",
		"/explain", "/deadletters")
	w.account("poor")
	p, address := w.run(", pprof: true")
	reader, poor := w.token("reader", ""), w.token("poor", "")
	other := w.token("reader", "vault")
	answered := []string{"/", "/main.js", "/vendor/preact.js", "/metrics", "/violations",
		"/statusz", "/history", "/events?listener=maps", "/listener?name=maps", "/deadletters",
		"/livez", "/healthz"}
	for _, path := range answered {
		if status, body := w.ask(address, path, reader); status != 200 {
			t.Errorf("%s: %d, %s", path, status, body)
		}
	}
	all := append(answered, "/debug/pprof/heap", "/debug/pprof/cmdline", "/debug/pprof/goroutine?debug=2")
	served := servedPaths.FindStringSubmatch(p.written())
	if served == nil || !strings.Contains(served[1], "/debug/pprof/") {
		t.Fatalf("the log does not have the paths:\n%s", p.written())
	}
	for _, path := range append(all, strings.Fields(served[1])...) {
		for name, test := range map[string]struct {
			token, header string
			want          int
		}{
			"no token":           {"", "", 401},
			"another audience":   {other, "", 401},
			"a damaged token":    {reader[:len(reader)-6] + "AAAAAA", "", 401},
			"without the right":  {poor, "", 403},
			"a foreign host":     {reader, "Host: evil.example", 403},
			"a foreign origin":   {reader, "Origin: https://evil.example", 403},
			"an origin of null":  {reader, "Origin: null", 403},
			"a port of no use":   {reader, "Host: evil.example:443", 403},
			"somebody's headers": {"", "X-Remote-User: admin", 401},
		} {
			method := http.MethodGet
			if strings.HasPrefix(path, "/deadletters/") {
				method = http.MethodPost
			}
			status, body := w.send(method, address, path, test.token, "", test.header)
			if text := strings.ToLower(http.StatusText(test.want)); status != test.want ||
				body != `{"error":"`+text+`"}`+"\n" {
				t.Errorf("%s, %s: %d, %s", path, name, status, body)
			}
		}
	}
	// A right that is taken away is refused within the time that answers are used.
	err := w.clusterWide.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io",
		Version: "v1", Resource: "clusterrolebindings"}).Delete(t.Context(),
		w.namespace+"-reader", metav1.DeleteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	revoked := time.Now()
	if err := eventually(func() error {
		if status, _ := w.ask(address, "/metrics", reader); status != 403 {
			return fmt.Errorf("status %d", status)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	// API servers take a moment to notice themselves.
	if took := time.Since(revoked); took > kube.TTL+5*time.Second {
		t.Errorf("the right was of use for %v", took)
	}
	w.end(p)
}

// Who may read does not change anything, and who may post does, by a path each.
func TestActionsAskTheAPIServer(t *testing.T) {
	t.Parallel()
	w := tokens{newWriting(t, "actions")}
	const drop = "/deadletters/drop"
	w.account("reader", drop, "/deadletters/*")
	w.accountFor("post", "operator", drop)
	p, address := w.run("")
	const asJSON = "Content-Type: application/json"
	for _, c := range []struct {
		account, path, header string
		want                  int
	}{
		{"operator", drop, asJSON, 200},
		{"operator", drop, "Content-Type: text/plain", 415},
		{"operator", "/deadletters/replay", asJSON, 403},
		{"operator", "/metrics", asJSON, 403},
		{"reader", drop, asJSON, 403},
	} {
		status, body := w.send("POST", address, c.path, w.token(c.account, ""), `{"ids":["x"]}`,
			c.header)
		if status != c.want {
			t.Errorf("%s, %s, %s: %d, %s", c.account, c.path, c.header, status, body)
		}
	}
	if status, body := w.send("POST", address, drop, "", `{"ids":["x"]}`, asJSON); status != 401 {
		t.Errorf("without a token: %d, %s", status, body)
	}
	w.end(p)
}

// With audiences, tokens for the API server are another audience's.
func TestEndpointsHaveAudiences(t *testing.T) {
	t.Parallel()
	w := tokens{newWriting(t, "audiences")}
	w.account("reader", "/metrics")
	p, address := w.run(", audiences: [informerd]")
	for audience, want := range map[string]int{"": 401, "vault": 401, "informerd": 200} {
		if status, body := w.ask(address, "/metrics", w.token("reader", audience)); status != want {
			t.Errorf("audience %q: %d, %.100s", audience, status, body)
		}
	}
	w.end(p)
}

func (w tokens) end(p *process) {
	w.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		w.Fatal(err)
	}
	if <-p.done; !p.cmd.ProcessState.Success() {
		w.Errorf("informerd ended with %v:\n%s", p.cmd.ProcessState, p.written())
	}
}
