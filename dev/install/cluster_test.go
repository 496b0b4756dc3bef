package install

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// cluster is a control plane with its controllers, and no nodes.
type cluster struct {
	kubeconfig string
	bin        string // with helm, kubectl and informerd
	home       string
	config     *rest.Config
	client     kubernetes.Interface
	port       int
	namespace  string // that of the release
	pods       string // see podsVariable
}

// repository is the folder of the repository.
func repository(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func program(t testing.TB, name string) string {
	t.Helper()
	path := os.Getenv(strings.ToUpper(name) + "_BIN")
	if path == "" {
		path = filepath.Join(repository(t), "bin", name)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: make build devcluster", err)
	}
	return path
}

// programs returns a folder with helm, kubectl and informerd.
func programs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"helm": self, "kubectl": self, "informerd": program(t, "informerd")} {
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	dir := t.TempDir()
	c := &cluster{kubeconfig: filepath.Join(dir, "cluster", "kubeconfig"), bin: programs(t), home: t.TempDir(),
		namespace: "informerd"}
	out, err := exec.Command(program(t, "devcluster"), "up", "--dir", filepath.Dir(c.kubeconfig), "--with", "controllers").CombinedOutput()
	t.Cleanup(func() {
		_ = exec.Command(program(t, "devcluster"), "down", "--dir", filepath.Dir(c.kubeconfig)).Run()
	})
	if err != nil {
		t.Fatalf("devcluster: %v\n%s", err, out)
	}
	if c.config, err = clientcmd.BuildConfigFromFlags("", c.kubeconfig); err != nil {
		t.Fatal(err)
	}
	c.config.QPS, c.config.Burst = 1000, 1000
	if c.client, err = kubernetes.NewForConfig(c.config); err != nil {
		t.Fatal(err)
	}
	host, err := url.Parse(c.config.Host)
	if err != nil {
		t.Fatal(err)
	}
	if c.port, err = strconv.Atoi(host.Port()); err != nil {
		t.Fatal(err)
	}
	return c
}

// sh runs commands as the documentation has them, in the repository, and returns what they print.
func (c *cluster) sh(t *testing.T, commands string) string {
	t.Helper()
	out, err := c.try(t, commands)
	if err != nil {
		t.Fatalf("%s\n%v\n%s", commands, err, out)
	}
	return out
}

func (c *cluster) try(t *testing.T, commands string) (string, error) {
	t.Helper()
	cmd := exec.Command("sh", "-eu", "-c", commands)
	cmd.Dir = repository(t)
	cmd.Env = append(os.Environ(), "PATH="+c.bin+":"+os.Getenv("PATH"), "KUBECONFIG="+c.kubeconfig, "HOME="+c.home, podsVariable+"="+c.pods,
		"HELM_CACHE_HOME="+c.home, "HELM_CONFIG_HOME="+c.home, "HELM_DATA_HOME="+c.home)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// await waits until there is no error.
func (c *cluster) await(t *testing.T, what string, try func() error) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func (c *cluster) secret(t *testing.T, name string) map[string][]byte {
	t.Helper()
	s, err := c.client.CoreV1().Secrets(c.namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return s.Data
}

// configMap returns the files of a ConfigMap. Controllers make that of the API server's
// certificate.
func (c *cluster) configMap(t *testing.T, name string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	c.await(t, "ConfigMap "+name, func() error {
		maps := c.client.CoreV1().ConfigMaps(c.namespace)
		m, err := maps.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for key, text := range m.Data {
			files[key] = []byte(text)
		}
		for key, data := range m.BinaryData {
			files[key] = data
		}
		return nil
	})
	return files
}

// restricted makes the namespace of the release, which takes no pod that is not restricted.
func (c *cluster) restricted(t *testing.T, namespace string) {
	t.Helper()
	c.namespace = namespace
	c.sh(t, fmt.Sprintf("kubectl create namespace %s\n"+
		"kubectl label namespace %[1]s pod-security.kubernetes.io/enforce=restricted", namespace))
}

// traces returns the objects of a release that there still are: those with its label, and what
// controllers and informerd have made for it in its namespace.
func (c *cluster) traces(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(c.sh(t, fmt.Sprintf(`
kinds=$(kubectl api-resources --verbs=list -o name | grep -vE '^(events|events.events.k8s.io|componentstatuses|endpoints)$' | paste -sd, -)
kubectl get "$kinds" -A -l app.kubernetes.io/name=informerd -o name
kubectl -n %s get pods,persistentvolumeclaims,secrets,leases,statefulsets -o name
kubectl -n %[1]s get configmaps -o name | grep -v /kube-root-ca.crt || true`, c.namespace)))
}
