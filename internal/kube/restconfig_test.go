package kube

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

const kubeconfig = `apiVersion: v1
kind: Config
current-context: dev
clusters:
- {name: one, cluster: {server: "https://one.example:6443"}}
- {name: two, cluster: {server: "https://two.example:6443"}}
users:
- {name: me, user: {token: t}}
contexts:
- {name: dev, context: {cluster: one, user: me}}
- {name: prod, context: {cluster: two, user: me}}
- {name: broken, context: {cluster: none, user: me}}
- {name: nobody, context: {cluster: one, user: you}}
`

// outside makes the environment one without a cluster, with an empty home folder, and returns that.
func outside(t *testing.T) (home string) {
	home = t.TempDir()
	for name, value := range map[string]string{
		"KUBERNETES_SERVICE_HOST": "", "KUBERNETES_SERVICE_PORT": "", "KUBECONFIG": "",
		"HOME": home,
	} {
		t.Setenv(name, value)
	}
	return home
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRESTConfigFindsTheServer(t *testing.T) {
	home := outside(t)
	named := write(t, filepath.Join(home, "named"), kubeconfig)
	write(t, filepath.Join(home, ".kube", "config"),
		strings.ReplaceAll(kubeconfig, "one.example", "home.example"))
	env := write(t, filepath.Join(home, "env"),
		strings.ReplaceAll(kubeconfig, "one.example", "env.example"))
	for name, test := range map[string]struct {
		options    Options
		kubeconfig string
		want       string
	}{
		"named": {Options{Kubeconfig: named}, env, "https://one.example:6443"},
		"named, context": {Options{Kubeconfig: named, Context: "prod"}, env,
			"https://two.example:6443"},
		"below home": {Options{Kubeconfig: "~/named"}, "", "https://one.example:6443"},
		"KUBECONFIG": {Options{}, env, "https://env.example:6443"},
		"one of KUBECONFIG": {
			Options{}, filepath.Join(home, "no") + string(filepath.ListSeparator) + env,
			"https://env.example:6443"},
		"home":          {Options{}, "", "https://home.example:6443"},
		"home, context": {Options{Context: "prod"}, "", "https://two.example:6443"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", test.kubeconfig)
			cfg, err := RESTConfig(test.options)
			if err != nil || cfg.Host != test.want {
				t.Errorf("got %v, %v, want %s", cfg, err, test.want)
			}
		})
	}
}

func TestRESTConfigSettings(t *testing.T) {
	path := write(t, filepath.Join(outside(t), "k"), kubeconfig)
	cfg, err := RESTConfig(Options{Kubeconfig: path, Version: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.UserAgent != "informerd/1.2.3" || cfg.Timeout != 0 || cfg.QPS != -1 ||
		cfg.BearerToken != "t" {
		t.Errorf("got user agent %q, timeout %s, QPS %g", cfg.UserAgent, cfg.Timeout, cfg.QPS)
	}
	if cfg, err = RESTConfig(Options{Kubeconfig: path}); err != nil ||
		cfg.UserAgent != "informerd/dev" {
		t.Errorf("got %v, %v", cfg, err)
	}
}

func TestRESTConfigMistakes(t *testing.T) {
	home := outside(t)
	path := write(t, filepath.Join(home, "k"), kubeconfig)
	noCurrent := write(t, filepath.Join(home, "nocurrent"),
		strings.Replace(kubeconfig, "current-context: dev\n", "", 1))
	empty := write(t, filepath.Join(home, "empty"), "")
	nonsense := write(t, filepath.Join(home, "nonsense"), "{")
	for name, test := range map[string]struct {
		options    Options
		kubeconfig string
		want       string
	}{
		"missing": {Options{Kubeconfig: "/no/such"}, path,
			"kubeconfig /no/such: no such file or directory"},
		"folder": {Options{Kubeconfig: "~/"}, path,
			"kubeconfig " + home + ": it is a folder"},
		"unknown context": {Options{Kubeconfig: path, Context: "staging"}, "",
			`kubeconfig ` + path +
				`: it has no context "staging"; there are "broken", "dev", "nobody", "prod"`},
		"near context": {Options{Kubeconfig: path, Context: "prd"}, "",
			`kubeconfig ` + path + `: it has no context "prd"; did you mean "prod"?`},
		"no current": {Options{Kubeconfig: noCurrent}, "",
			`kubeconfig ` + noCurrent +
				`: it has no current context; choose one of "broken", "dev", "nobody", "prod"`},
		"no contexts": {Options{Kubeconfig: empty}, "",
			"kubeconfig " + empty + ": it has no contexts"},
		"broken context": {Options{Kubeconfig: path, Context: "broken"}, "",
			"kubeconfig " + path +
				`: the context "broken" refers to the unknown cluster "none"`},
		"broken user": {Options{Kubeconfig: path, Context: "nobody"}, "",
			"kubeconfig " + path +
				`: the context "nobody" refers to the unknown user "you"`},
		"nonsense": {Options{Kubeconfig: nonsense}, "",
			"kubeconfig " + nonsense + ": error loading config file \"" + nonsense +
				"\": yaml: line 1: did not find expected node content"},
		"nothing": {Options{}, "",
			"no API server is configured: informerd does not run in a cluster; $KUBECONFIG is not set; " +
				home + "/.kube/config does not exist; name a kubeconfig file"},
		"KUBECONFIG missing": {
			Options{}, "/no/such",
			"no API server is configured: informerd does not run in a cluster; no file of $KUBECONFIG (/no/such) exists; name a kubeconfig file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", test.kubeconfig)
			if _, err := RESTConfig(test.options); err == nil || err.Error() != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestRESTConfigInAPodWithoutServiceAccount(t *testing.T) {
	if _, err := os.Stat("/var/run/secrets/kubernetes.io/serviceaccount/token"); err == nil {
		t.Skip("this runs in a pod")
	}
	home := outside(t)
	t.Setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	_, err := RESTConfig(Options{})
	if err == nil || !strings.HasPrefix(err.Error(),
		"no API server is configured: the pod has no usable service account: ") {
		t.Errorf("got %v", err)
	}
	write(t, filepath.Join(home, ".kube", "config"), kubeconfig)
	if cfg, err := RESTConfig(Options{}); err != nil || cfg.Host != "https://one.example:6443" {
		t.Errorf("got %v, %v", cfg, err)
	}
}

func TestWarningsOfTheServerAreLoggedOnce(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Add("Warning", `299 - "v1beta1 is going\" away"`)
		w.Header().Add("Warning", `110 - "stale"`)
		writeJSON(w, map[string]string{})
	}))
	defer server.Close()
	path := write(t, filepath.Join(outside(t), "k"),
		strings.ReplaceAll(kubeconfig, "https://one.example:6443", server.URL))
	var log bytes.Buffer
	cfg, err := RESTConfig(Options{Kubeconfig: path,
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	cfg.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := client.Get().AbsPath("/x").Do(t.Context()).Raw(); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(log.String(),
		`level=WARN msg="API server warning" warning="v1beta1 is going\" away"`); n != 1 ||
		strings.Contains(log.String(), "stale") {
		t.Errorf("the log is\n%s", log.String())
	}
}

func TestWarningsAreBounded(t *testing.T) {
	var log bytes.Buffer
	w := &warnings{logger: slog.New(slog.NewTextHandler(&log, nil))}
	for i := range 2 * maxWarnings {
		w.HandleWarningHeaderWithContext(t.Context(), 299, "", fmt.Sprint("warning ", i))
	}
	if n := strings.Count(log.String(), "\n"); n != maxWarnings || len(w.seen) != maxWarnings {
		t.Errorf("%d lines, %d kept, want %d", n, len(w.seen), maxWarnings)
	}
}

// Whether a file can be read is known without waiting for who writes to a pipe.
func TestReadable(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		pipe: "", write(t, filepath.Join(dir, "k"), kubeconfig): "",
		dir: "it is a folder", filepath.Join(dir, "gone"): "no such file or directory",
	} {
		if err := Readable(path); err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
