package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// devcluster runs the program for one directory.
type devcluster struct {
	t   *testing.T
	bin string
	dir string
}

// newDevcluster skips the test if the program was not built, and stops the cluster when the test
// ends.
func newDevcluster(t *testing.T) devcluster {
	t.Helper()
	bin := os.Getenv("DEVCLUSTER_BIN")
	if bin == "" {
		t.Skip("DEVCLUSTER_BIN is not set: build with dev/cluster/build.sh and set it to the path of devcluster")
	}
	d := devcluster{t: t, bin: bin, dir: filepath.Join(t.TempDir(), "cluster")}
	t.Cleanup(func() { d.run(0, "down") })
	return d
}

// run runs a command and checks its exit status.
func (d devcluster) run(status int, command string, flags ...string) (stdout, stderr string) {
	d.t.Helper()
	var out, errOut bytes.Buffer
	cmd := exec.Command(d.bin, append([]string{command, "--dir", d.dir}, flags...)...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	begun := time.Now()
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		d.t.Fatal(err)
	}
	d.t.Logf("%s: exit status %d after %.1f s", command, cmd.ProcessState.ExitCode(),
		time.Since(begun).Seconds())
	if got := cmd.ProcessState.ExitCode(); got != status {
		d.t.Fatalf("%s: exit status %d, want %d\n%s%s", command, got, status, &out, &errOut)
	}
	return out.String(), errOut.String()
}

func (d devcluster) client() kubernetes.Interface {
	d.t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(d.dir, "kubeconfig"))
	if err != nil {
		d.t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		d.t.Fatal(err)
	}
	return client
}

// kill ends a component without warning, as a crash would, and returns when status no longer lists
// it as running.
func (d devcluster) kill(component string) {
	d.t.Helper()
	stdout, _ := d.run(0, "status")
	for line := range strings.Lines(stdout) {
		fields := strings.Fields(line)
		if fields[0] != component {
			continue
		}
		pid, err := strconv.Atoi(fields[2])
		if err != nil {
			d.t.Fatalf("cannot read the pid in %q: %v", line, err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			d.t.Fatal(err)
		}
		d.eventually(time.Minute, func() error {
			if syscall.Kill(pid, 0) == nil && !isZombie(pid) {
				return fmt.Errorf("%s is still running", component)
			}
			return nil
		})
		return
	}
	d.t.Fatalf("status does not list %s:\n%s", component, stdout)
}

// isZombie reports whether a process has ended and has not been reaped yet, which is init's job.
func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := bytes.Cut(stat, []byte(") "))
	return err == nil && bytes.HasPrefix(after, []byte("Z"))
}

func (d devcluster) eventually(within time.Duration, condition func() error) {
	d.t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := condition()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			d.t.Fatalf("after %v: %v", within, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestAPIServerAlone(t *testing.T) {
	ctx := context.Background()
	d := newDevcluster(t)
	kubeconfig := filepath.Join(d.dir, "kubeconfig")

	stdout, _ := d.run(0, "up")
	if got := strings.TrimSpace(stdout); got != kubeconfig {
		t.Errorf("up printed %q, want %q", got, kubeconfig)
	}
	info, err := os.Stat(kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig has mode %v", info.Mode())
	}
	metrics, err := d.client().Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil || !bytes.Contains(metrics, []byte("apiserver_longrunning_requests{")) {
		t.Errorf("the administrator cannot read the watches from /metrics: %v", err)
	}
	if _, err := d.client().CoreV1().Pods("default").Create(ctx, pod(),
		metav1.CreateOptions{}); err != nil {
		t.Errorf("a pod cannot be created without controllers: %v", err)
	}

	stdout, stderr := d.run(0, "up")
	if !strings.Contains(stderr, "already running") || strings.TrimSpace(stdout) != kubeconfig {
		t.Errorf("a second up printed %q and %q", stdout, stderr)
	}

	begun := time.Now()
	d.run(0, "restart-apiserver")
	alone := time.Since(begun)
	// An open watch must not delay the restart, for which an API server would wait a minute, and
	// the data and the address must survive it.
	watch, err := d.client().CoreV1().Pods("").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	begun = time.Now()
	d.run(0, "restart-apiserver")
	if took := time.Since(begun); took > 3*alone+10*time.Second {
		t.Errorf("restart-apiserver took %v with a watch open, %v without", took, alone)
	}
	d.kill("kube-apiserver")
	if stdout, _ := d.run(1, "status"); !strings.Contains(stdout, "not running") {
		t.Errorf("status after the crash:\n%s", stdout)
	}
	d.run(0, "restart-apiserver")
	if _, err := d.client().CoreV1().Pods("default").Get(ctx, pod().Name,
		metav1.GetOptions{}); err != nil {
		t.Errorf("after two restarts: %v", err)
	}

	// up after a crash starts from scratch.
	d.kill("kube-apiserver")
	if _, stderr := d.run(0, "up"); !strings.Contains(stderr,
		"incomplete, kube-apiserver is missing") {
		t.Errorf("up after a crash said %q", stderr)
	}
	pods, err := d.client().CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil || len(pods.Items) != 0 {
		t.Errorf("the new cluster has %d pods (%v)", len(pods.Items), err)
	}

	if _, stderr := d.run(0, "down"); !strings.Contains(stderr, "stopped the cluster") {
		t.Errorf("down said %q", stderr)
	}
	if _, err := os.Stat(kubeconfig); err == nil {
		t.Error("down left the kubeconfig")
	}
	if _, stderr := d.run(0, "down"); !strings.Contains(stderr, "no cluster is running") {
		t.Errorf("a second down said %q", stderr)
	}
	d.run(1, "status")
}

func TestFeatureGates(t *testing.T) {
	d := newDevcluster(t)
	enabled := func(want string) {
		t.Helper()
		metrics, err := d.client().Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(
			context.Background())
		if err != nil {
			t.Fatal(err)
		}
		line := `kubernetes_feature_enabled{name="ShardedListAndWatch",stage="ALPHA"} ` + want + "\n"
		if !bytes.Contains(metrics, []byte(line)) {
			t.Errorf("no %s", line)
		}
	}
	d.run(0, "up", "--feature-gates", "ShardedListAndWatch=true")
	enabled("1")
	if _, stderr := d.run(1, "restart-apiserver", "--feature-gates", "NoSuch=true"); !strings.Contains(
		stderr, "unrecognized feature gate: NoSuch") {
		t.Errorf("restart-apiserver said %q", stderr)
	}
	d.run(0, "restart-apiserver")
	enabled("1")
	d.run(0, "restart-apiserver", "--feature-gates", "")
	enabled("0")
}

func TestDeploymentBecomesRunningPods(t *testing.T) {
	ctx := context.Background()
	d := newDevcluster(t)
	d.run(0, "up", "--with", "controllers", "--nodes", "2")
	if stdout, _ := d.run(0, "status"); strings.Count(stdout, " running ") != 5 ||
		strings.Count(stdout, " yes") != 5 {
		t.Errorf("status:\n%s", stdout)
	}
	client := d.client()
	if nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{}); err != nil ||
		len(nodes.Items) != 2 {
		t.Errorf("%d nodes (%v), want 2", len(nodes.Items), err)
	}

	replicas, labels := int32(5), map[string]string{"app": "web"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: pod().Spec},
		},
	}
	if _, err := client.AppsV1().Deployments("default").Create(ctx, deployment,
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	d.eventually(3*time.Minute, func() error {
		pods, err := client.CoreV1().Pods("default").List(ctx,
			metav1.ListOptions{FieldSelector: "status.phase=Running"})
		if err == nil && len(pods.Items) != int(replicas) {
			err = fmt.Errorf("%d pods run, want %d", len(pods.Items), replicas)
		}
		return err
	})
	t.Logf("5 pods run after %.1f s", time.Since(begun).Seconds())
}

func pod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "c", Image: "registry.example.com/web:1"}}},
	}
}
