package e2e

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The listeners of what comes to a halt, each for another reason.
const stallsConfig = `apiVersion: informerd.dev/v1alpha1
kind: Config
http: {address: "127.0.0.1:0"}
state: {dir: state}
deadLetters: {bytes: 1Mi}
shutdown: {drain: 1s}
informers:
  maps: {resource: configmaps, namespaces: [stalls], labelSelector: "!large"}
listeners:
  refused: {informer: maps, outputs: [refused]}
  silent: {informer: maps, outputs: [silent]}
  nowhere: {informer: maps, outputs: [nowhere]}
  nats: {informer: maps, outputs: [nats]}
  kafka: {informer: maps, outputs: [kafka]}
  busy: {informer: maps, outputs: [busy]}
  full: {informer: maps, outputs: [full]}
  looping:
    informer: maps
    handler: {wasm: looping.wasm, pauseAfter: 2, limits: {deadline: 100ms}}
    retry: {attempts: 1000, minBackoff: 100ms, maxBackoff: 100ms}
    outputs: [good]
  blocked:
    informer: {resource: serviceaccounts, namespaces: [stalls]}
    buffer: {capacity: 1, overflow: block}
    outputs: [refused]
  letters:
    informer: {resource: configmaps, namespaces: [stalls], labelSelector: large}
    filter: object.data.size > 3
    outputs: [good]
  early: {informer: {resource: widgets.stalls.example.com}, outputs: [good]}
  fine: {informer: maps, outputs: [good]}
outputs:
  good: {webhook: {url: "$GOOD"}}
  refused: {webhook: {url: "$REFUSED"}}
  silent: {webhook: {url: "$SILENT"}}
  busy: {webhook: {url: "$BUSY"}}
  nowhere: {webhook: {url: "$NOWHERE"}}
  nats: $NATS
  kafka: $KAFKA
  full: $FULL
`

// stallsNamed are the lines of /readyz that name them.
var stallsNamed = []string{
	`^API server: stalled since \S+: "it does not answer`,
	`^informer "serviceaccounts in stalls": .* events wait to be handed to listeners`,
	`^handler "looping": .*deadline`,
	`^output "refused": .*connection refused`,
	`^output "silent": stalled since`,
	`^output "busy": .*503`,
	`^output "nowhere": stalled since`,
	`^output "nats": stalled since`,
	`^output "kafka": stalled since`,
	`^output "full": .*no space left on device`,
	`^listener "early": "no resource `,
}

// Handlers of which each call loops indefinitely, and of which each call passes.
const (
	loopingHandler = "0061736d01000000010c0260000060047f7f7f7f017f03030200010503010001072803066d656d6f72790200" +
		"10696e666f726d6572645f6162695f76310000086f6e5f6576656e7400010a0d0202000b080003400c000b000b"
	passingHandler = "0061736d01000000010c0260000060047f7f7f7f017f03030200010503010001072803066d656d6f72790200" +
		"10696e666f726d6572645f6162695f76310000086f6e5f6576656e7400010a090202000b040041000b"
)

// apiServer returns the process of the API server.
func (c *cluster) apiServer(t *testing.T) int {
	t.Helper()
	status, err := c.devcluster(t.Context(), "status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(status) {
		if fields := strings.Fields(line); fields[0] == "kube-apiserver" {
			pid, err := strconv.Atoi(fields[2])
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatalf("there is no API server in\n%s", status)
	return 0
}

// Eleven things come to a halt at once. /readyz names each of them within a minute of the last
// one's beginning, does not name what goes on, and is well again once they go on.
func TestStalls(t *testing.T) {
	needs(t)
	t.Parallel()
	c := &cluster{dir: filepath.Join(t.TempDir(), "cluster")}
	s := &story{dir: t.TempDir(), namespace: "stalls", cluster: c}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	up, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	must(c.up(up))
	t.Cleanup(func() {
		if err := c.down(); err != nil {
			t.Error(err)
		}
	})
	must(c.createNamespace("stalls"))

	var mended atomic.Bool
	mend := make(chan struct{})
	goOn := sync.OnceFunc(func() { close(mend) })
	answer := func(before func(http.ResponseWriter, *http.Request)) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
			r *http.Request) {
			if !mended.Load() && before != nil {
				before(w, r)
			}
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
	away, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	must(away.Close())
	good := answer(nil)
	defer goOn() // before the servers are closed
	values := map[string]string{"$GOOD": good, "$REFUSED": "http://" + away.Addr().String(),
		"$SILENT": answer(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-mend:
			case <-r.Context().Done():
			}
		}),
		"$BUSY": answer(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}),
		"$NOWHERE": "https://nowhere.invalid/",
		"$NATS":    `{nats: {servers: ["nats://127.0.0.1:1"], subject: '"x"'}}`,
		"$KAFKA":   `{kafka: {brokers: ["127.0.0.1:1"], topic: x}}`,
		"$FULL":    "{stdout: {}}",
	}
	write := func(handler string) {
		t.Helper()
		text := stallsConfig
		for name, value := range values {
			text = strings.ReplaceAll(text, name, value)
		}
		module, err := hex.DecodeString(handler)
		must(err)
		must(os.WriteFile(filepath.Join(s.dir, "looping.wasm"), module, 0o600))
		must(os.WriteFile(filepath.Join(s.dir, "c.yaml"), []byte(text), 0o600))
	}
	write(loopingHandler)
	p := &process{cmd: exec.Command(informerdBin(), "run", "--config", "c.yaml"),
		done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = s.dir, append(os.Environ(), "KUBECONFIG="+c.kubeconfig())
	p.out, err = newStream(filepath.Join(s.dir, "out"))
	must(err)
	p.err, err = newStream(filepath.Join(s.dir, "err"))
	must(err)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(err)
	defer full.Close()
	p.cmd.Stdout, p.cmd.Stderr = full, p.err
	must(p.start())
	t.Cleanup(p.kill)
	address, err := p.address()
	must(err)

	var objects strings.Builder
	for i := range 20 {
		fmt.Fprintf(&objects, "---\n{apiVersion: v1, kind: ServiceAccount, metadata: {name: a%d}}\n", i)
		fmt.Fprintf(&objects, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: m%d}}\n", i)
	}
	for i := range 4 {
		fmt.Fprintf(&objects, "---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: l%d, "+
			"labels: {large: x}}, data: {size: many, text: %s}}\n", i, strings.Repeat("x", 400_000))
	}
	file := filepath.Join(s.dir, "objects.yaml")
	must(os.WriteFile(file, []byte(objects.String()), 0o600))
	must(s.apply(file))
	readyz := func() string {
		got, err := get("http://" + address + "/readyz")
		if err != nil {
			return err.Error()
		}
		return got
	}
	must(eventually(func() error {
		got, err := get("http://" + address + "/statusz")
		if err == nil && !strings.Contains(got, `"name":"fine","resource":"configmaps","state":"running"`) {
			err = errors.New("the listeners do not run yet")
		}
		return err
	}))
	frozen := c.apiServer(t)
	must(syscall.Kill(frozen, syscall.SIGSTOP))
	t.Cleanup(func() { _ = syscall.Kill(frozen, syscall.SIGCONT) })
	began := time.Now()
	named := map[string]bool{}
	missing := func() (patterns []string) {
		got := strings.Split(readyz(), "\n")
		for _, pattern := range stallsNamed {
			named[pattern] = named[pattern] || slices.ContainsFunc(got,
				regexp.MustCompile(pattern).MatchString)
			if !named[pattern] {
				patterns = append(patterns, pattern)
			}
		}
		return patterns
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for len(missing()) > 0 {
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("not named: %q in\n%s\n%s", missing(), readyz(), p.written())
		}
		<-tick.C
	}
	took := time.Since(began)
	t.Logf("all are named after %v:\n%s", took.Round(time.Second), readyz())
	if took > time.Minute+10*time.Second { // a busy machine
		t.Errorf("it took %v", took)
	}
	if got := readyz(); strings.Contains(got, `"good"`) {
		t.Errorf("what goes on is named:\n%s", got)
	}

	must(syscall.Kill(frozen, syscall.SIGCONT))
	mended.Store(true)
	goOn()
	back, err := net.Listen("tcp", away.Addr().String())
	must(err)
	server := &httptest.Server{Listener: back, Config: &http.Server{Handler: http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) {})}}
	server.Start()
	t.Cleanup(server.Close)
	values["$NOWHERE"] = good
	for _, name := range []string{"$NATS", "$KAFKA", "$FULL"} {
		values[name] = fmt.Sprintf("{webhook: {url: %q}}", good)
	}
	write(passingHandler)
	definition := filepath.Join(s.dir, "widgets.yaml")
	must(os.WriteFile(definition, []byte(widgets), 0o600))
	must(s.apply(definition))
	cmd := exec.Command(informerdBin(), "reload", "--config", "c.yaml")
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("reload: %v\n%s\n%s", err, out, p.written())
	}
	began = time.Now()
	for readyz() != "ok" { // the dead letters that have no room delay nobody
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("still\n%s\n%s", readyz(), p.written())
		}
		<-tick.C
	}
	t.Logf("all is well after %v", time.Since(began).Round(time.Second))
	must(p.cmd.Process.Signal(syscall.SIGTERM))
	<-p.done
}

const widgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.stalls.example.com}
spec:
  group: stalls.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`
