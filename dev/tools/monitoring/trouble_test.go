package monitoring

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// troubles is a configuration of which each listener is in another trouble. NAME is replaced by the
// address of a receiver.
const troubles = `
apiVersion: informerd.dev/v1alpha1
kind: Config
http: {address: "127.0.0.1:0"}
state: {dir: state}
informers: {maps: {resource: configmaps, namespaces: [default]}}
listeners:
  healthy:
    informer: maps
    checkpoint: true
    outputs: [file]
  away: {informer: maps, outputs: [away]}
  refused: {informer: maps, outputs: [refusing]}
  crashing:
    informer: maps
    handler: {wasm: traps.wasm, pauseAfter: 3}
    retry: {attempts: 2, minBackoff: 1ms, maxBackoff: 1ms}
    outputs: [file]
  mistaken: {informer: maps, filter: object.data.generation > 3, outputs: [file]}
  forgetful: {informer: maps, buffer: {capacity: 1, overflow: drop}, outputs: [hanging]}
  judging:
    informer: maps
    rules:
      - {name: no-labels, severity: high, deny: 'object.metadata.labels?.team == nil'}
    outputs: [file]
outputs:
  file: {file: {path: events.jsonl}}
  away: {webhook: {url: "AWAY"}}
  refusing: {webhook: {url: "REFUSING"}}
  hanging: {webhook: {url: "HANGING", timeout: 1m}}
`

// trapGuest is a handler that traps at each event.
const trapGuest = "0061736d01000000010c0260000060047f7f7f7f017f03030200010503010001072803066d656d6f7279020010" +
	"696e666f726d6572645f6162695f76310000086f6e5f6576656e7400010a080202000b0300000b"

// program returns the path of a built program, or skips the test.
func program(t *testing.T, variable, name string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		path = filepath.Join(root, "bin", name)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("make build devcluster first: %v", err)
	}
	return path
}

// controlPlane is a real one, until the test ends.
type controlPlane struct {
	t        *testing.T
	bin, dir string
	client   *kubernetes.Clientset
	down     sync.Once
}

func newControlPlane(t *testing.T) *controlPlane {
	t.Helper()
	c := &controlPlane{t: t, bin: program(t, "DEVCLUSTER_BIN", "devcluster"), dir: t.TempDir()}
	t.Cleanup(c.stop)
	c.run("up")
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if c.client, err = kubernetes.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *controlPlane) kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// stop stops the API server, if that was not done before.
func (c *controlPlane) stop() { c.down.Do(func() { c.run("down") }) }

func (c *controlPlane) run(command string) {
	c.t.Helper()
	if out, err := exec.Command(c.bin, command, "--dir", c.dir).CombinedOutput(); err != nil {
		c.t.Errorf("devcluster %s: %v\n%s", command, err, out)
	}
}

// change makes or changes a ConfigMap.
func (c *controlPlane) change(name string, generation int) {
	c.t.Helper()
	ctx, maps := c.t.Context(), c.client.CoreV1().ConfigMaps("default")
	m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name},
		Data: map[string]string{"generation": fmt.Sprint(generation)}}
	if _, err := maps.Update(ctx, m, metav1.UpdateOptions{}); err == nil {
		return
	}
	if _, err := maps.Create(ctx, m, metav1.CreateOptions{}); err != nil {
		c.t.Fatal(err)
	}
}

// daemon is an informerd that runs.
type daemon struct {
	t       *testing.T
	dir     string
	process *exec.Cmd
	ended   chan struct{}
	log     lockedBuffer
	address string
}

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

var answering = regexp.MustCompile(`msg="answering requests" address=(\S+)`)

func start(t *testing.T, c *controlPlane, config string) *daemon {
	t.Helper()
	d := &daemon{t: t, dir: t.TempDir(), ended: make(chan struct{})}
	wasm, err := hex.DecodeString(trapGuest)
	if err != nil {
		t.Fatal(err)
	}
	d.write("traps.wasm", string(wasm))
	d.write("config.yaml", config)
	d.process = exec.Command(program(t, "INFORMERD_BIN", "informerd"), "run", "config.yaml",
		"--kubeconfig", c.kubeconfig())
	d.process.Dir, d.process.Stdout, d.process.Stderr = d.dir, &d.log, &d.log
	if err := d.process.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = d.process.Wait()
		close(d.ended)
	}()
	t.Cleanup(func() {
		_ = d.process.Process.Signal(syscall.SIGTERM)
		_ = d.process.Process.Signal(syscall.SIGTERM) // the outputs that hang need no time
		<-d.ended
		if t.Failed() {
			t.Logf("the log of informerd:\n%s", d.log.String())
		}
	})
	d.until("it answers", func() bool {
		if at := answering.FindStringSubmatch(d.log.String()); at != nil {
			d.address = at[1]
		}
		return d.address != ""
	})
	return d
}

func (d *daemon) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// until waits for a condition.
func (d *daemon) until(what string, is func() bool) {
	d.t.Helper()
	late := time.After(2 * time.Minute)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for !is() {
		select {
		case <-look.C:
		case <-d.ended:
			d.t.Fatalf("it has ended before this: %s", what)
		case <-late:
			d.t.Fatalf("it did not come to this: %s", what)
		}
	}
}

// scrape returns the metrics.
func (d *daemon) scrape() string {
	d.t.Helper()
	res, err := http.Get("http://" + d.address + "/metrics")
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		d.t.Fatalf("%s: %v", res.Status, err)
	}
	return string(text)
}

// shows waits until a metric has a value that matches.
func (d *daemon) shows(series, value string) {
	d.t.Helper()
	line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(series) + ` ` + value + `$`)
	d.until(series+" "+value, func() bool { return line.MatchString(d.scrape()) })
}

// receivers answer as their names say.
func receivers(t *testing.T) (replace *strings.Replacer) {
	t.Helper()
	gone, end := context.WithCancel(context.Background())
	serve := func(answer http.HandlerFunc) string {
		s := httptest.NewServer(answer)
		t.Cleanup(s.Close)
		return s.URL
	}
	away := serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	refusing := serve(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400) })
	hanging := serve(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-gone.Done():
		case <-r.Context().Done():
		}
	})
	t.Cleanup(end) // before the servers are closed
	return strings.NewReplacer("AWAY", away, "REFUSING", refusing, "HANGING", hanging)
}

const positive = `[1-9].*`

// TestQueriesOfADaemonInTrouble: what Prometheus would have of three informerds makes the alerts of
// their troubles fire and no others, and each query of the alerts and the dashboard finds series.
func TestQueriesOfADaemonInTrouble(t *testing.T) {
	cluster, replace := newControlPlane(t), receivers(t)
	d := start(t, cluster, replace.Replace(troubles))
	leader := start(t, cluster, `
apiVersion: informerd.dev/v1alpha1
kind: Config
http: {address: "127.0.0.1:0"}
leaderElection: {namespace: default, name: other}
listeners: {maps: {informer: {resource: configmaps}, outputs: [out]}}
outputs: {out: {stdout: {}}}
`)
	sharing := start(t, cluster, `
apiVersion: informerd.dev/v1alpha1
kind: Config
http: {address: "127.0.0.1:0"}
leaderElection: {namespace: default, name: shared}
sharding: {shards: 2}
clusters: {one: {kubeconfig: `+cluster.kubeconfig()+`}}
listeners: {maps: {informer: {resource: configmaps}, outputs: [out]}}
outputs: {out: {stdout: {}}}
`)
	leader.shows("informerd_leader", "1")
	sharing.shows(`informerd_shard_held{shard="1"}`, "1")
	sharing.shows(`informerd_cluster_up{cluster="one"}`, "1")
	d.shows(`informerd_informer_synced{namespace="default",resource="configmaps"}`, "1")
	before, beforeLeader, beforeShared := d.scrape(), leader.scrape(), sharing.scrape()

	const objects = 5
	for generation := range 3 {
		for i := range objects {
			cluster.change(fmt.Sprint("map-", i), generation)
		}
	}
	d.write("config.yaml", "nonsense")
	if err := d.process.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	d.shows(`informerd_config_last_reload_successful`, "0")
	d.shows(`informerd_output_paused{listener="away",output="away"}`, "1")
	d.shows(`informerd_output_letters_total{listener="refused",output="refusing"}`, positive)
	d.shows(`informerd_handler_crashes_total{listener="crashing",reason="trap"}`, positive)
	d.shows(`informerd_handler_paused{listener="crashing"}`, "1")
	d.shows(`informerd_filter_errors_total{listener="mistaken"}`, positive)
	d.shows(`informerd_events_dropped_total{listener="forgetful"}`, positive)
	d.shows(`informerd_listener_violations{listener="judging"}`, positive)
	d.shows(`informerd_output_lag_seconds_count{listener="healthy",output="file"}`, positive)
	d.shows(`informerd_checkpoint_commits_total`, positive)

	history := newHistory(t)
	history.load("leader", beforeLeader, leader.scrape())
	history.load("sharing", beforeShared, sharing.scrape())
	cluster.stop()
	d.shows(`informerd_informer_failing{namespace="default",resource="configmaps"}`, "1")
	history.load("trouble", before, d.scrape())
	history.checkAlerts(alerts(t), "InformerdInformerFailing", "InformerdEventsDropped", "InformerdOutputPaused",
		"InformerdOutputFailing", "InformerdDeadLetters", "InformerdHandlerPaused",
		"InformerdHandlerCrashes", "InformerdExpressionErrors", "InformerdReloadFailed")
	history.checkDashboard()
}
