package browser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// world is a control plane with one informerd.
type world struct {
	kubeconfig string
	client     kubernetes.Interface
	address    string
	process    *exec.Cmd
	// refuses is whether the receiver of the output "picky" refuses everything.
	refuses atomic.Bool
}

func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func program(t testing.TB, name string) string {
	t.Helper()
	if path := os.Getenv(strings.ToUpper(name) + "_BIN"); path != "" {
		return path
	}
	return filepath.Join(root(t), "bin", name)
}

// newWorld starts a control plane, and informerd with so many listeners.
func newWorld(t *testing.T, listeners int) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{kubeconfig: filepath.Join(dir, "cluster", "kubeconfig")}
	w.refuses.Store(true)
	run(t, program(t, "devcluster"), "up", "--dir", filepath.Dir(w.kubeconfig))
	t.Cleanup(func() { run(t, program(t, "devcluster"), "down", "--dir", filepath.Dir(w.kubeconfig)) })
	config, err := clientcmd.BuildConfigFromFlags("", w.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.Burst = 1000, 1000
	if w.client, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		if w.refuses.Load() {
			http.Error(rw, `<b>the field "team" is required</b>`, http.StatusUnprocessableEntity)
		}
	}))
	t.Cleanup(receiver.Close)
	w.address = freeAddress(t)
	file := filepath.Join(dir, "informerd.yaml")
	handler := filepath.Join(root(t), "bin", "plugins", "label-audit.wasm")
	text := w.configuration(dir, receiver.URL, handler, listeners)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.start(t, file)
	return w
}

// configuration has listeners of all kinds: those that are fine, one with a dead output, one whose
// messages are refused, one with rules, one with a handler, and one of a resource that is not
// there.
func (w *world) configuration(dir, receiver, handler string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `apiVersion: informerd.dev/v1alpha1
kind: Config
cluster: {name: shop, kubeconfig: %s}
http: {address: %q}
state: {dir: %s}
outputs:
  archive: {file: {path: %s}}
  dead: {webhook: {url: "http://127.0.0.1:9/", timeout: 1s}}
  picky: {webhook: {url: %q, timeout: 1s}}
listeners:
`, w.kubeconfig, w.address, filepath.Join(dir, "state"), filepath.Join(dir, "out.jsonl"), receiver)
	special := []string{
		"dead-output:\n    informer: {resource: configmaps}\n    outputs: [archive, dead]",
		"refused:\n    informer: {resource: configmaps}\n    outputs: [picky]",
		"no-such-resource:\n    informer: {resource: widgets.example.com}\n    outputs: [archive]",
		"policy:\n    informer: {resource: configmaps}\n    rules:\n" +
			"      - {name: no-owner, severity: high, deny: 'object.metadata.labels?.owner == nil'," +
			" message: '\"has no owner <i>\"'}\n    outputs: [archive]",
		"audited:\n    informer: {resource: configmaps}\n    handler: {wasm: " + handler +
			", config: {required: [hunter2]}}\n    outputs: [archive]",
	}
	resources := []string{"configmaps", "namespaces", "serviceaccounts", "services", "endpointslices.discovery.k8s.io",
		"clusterroles.rbac.authorization.k8s.io"}
	for i := range n {
		if i < len(special) {
			fmt.Fprintf(&b, "  %s\n", special[i])
			continue
		}
		resource := resources[0]
		if i%5 == 4 { // one in five
			resource = resources[i/5%len(resources)]
		}
		fmt.Fprintf(&b, "  watch-%03d:\n    informer: {resource: %s}\n", i, resource)
		if i%3 == 0 {
			fmt.Fprintf(&b, "    filter: 'op != \"delete\" && object.metadata.name != \"x%d\"'\n", i)
		}
		fmt.Fprintf(&b, "    outputs: [archive]\n")
	}
	return b.String()
}

// start runs informerd until the test ends.
func (w *world) start(t *testing.T, file string) {
	t.Helper()
	var log bytes.Buffer
	w.process = exec.Command(program(t, "informerd"), "run", file)
	w.process.Stdout, w.process.Stderr = &log, &log
	if err := w.process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := errors.Join(w.process.Process.Signal(syscall.SIGTERM), w.process.Wait())
		if err != nil {
			t.Errorf("informerd ended: %v\n%.8000s", err, log.String())
		}
	})
	w.await(t, "informerd answers", func() bool { return w.status().Time != "" })
}

// status is what the test reads of /statusz.
type status struct {
	Time      string
	Listeners []struct {
		Name, Resource, State string
		Letters               int
		Violations            *int
		Events                map[string]uint64
	}
	Process struct {
		CPUSeconds  float64
		MemoryBytes uint64
	}
}

func (w *world) status() (s status) {
	answer, err := http.Get("http://" + w.address + "/statusz")
	if err != nil {
		return s
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || json.Unmarshal(text, &s) != nil {
		return status{}
	}
	return s
}

// await waits until something holds.
func (w *world) await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick, timeout := time.NewTicker(50*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("it does not happen that %s", what)
		}
	}
}

func run(t testing.TB, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
