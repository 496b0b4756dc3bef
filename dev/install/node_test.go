package install

import (
	"bytes"
	"context"
	"crypto/tls"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// node does for pods what a kubelet does. Its pods reach the API server, and the ports that it
// opens.
type node struct {
	*cluster
	dir    string
	claims map[string]string // the folder of each claim
	open   map[int]string    // sockets to ports of the machine
}

func newNode(t *testing.T, c *cluster) *node {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("root is needed to make a pod's namespaces")
	}
	dir, err := os.MkdirTemp("", "node") // the paths of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	n := &node{cluster: c, dir: dir, claims: map[string]string{}, open: map[int]string{}}
	n.reach(t, c.port)
	c.pods = dir
	return n
}

// reach lets pods connect to a port of the machine.
func (n *node) reach(t *testing.T, port int) {
	t.Helper()
	socket := filepath.Join(n.dir, fmt.Sprint("out", port))
	if err := forward("unix", socket, "tcp", fmt.Sprint("127.0.0.1:", port)); err != nil {
		t.Fatal(err)
	}
	n.open[port] = socket
}

// pod is a pod that runs.
type pod struct {
	*corev1.Pod
	node   *node
	dir    string
	in     map[int]string
	cmd    *exec.Cmd
	stdout string
	stderr bytes.Buffer
	ended  chan struct{}
}

// start runs a pod that the API server has. Volumes are made as it says, and read-only if it says
// so.
func (n *node) start(t *testing.T, name string) *pod {
	t.Helper()
	p := &pod{node: n, in: map[int]string{}, ended: make(chan struct{})}
	n.await(t, "pod "+name, func() error {
		var err error
		p.Pod, err = n.client.CoreV1().Pods(n.namespace).Get(t.Context(), name, metav1.GetOptions{})
		return err
	})
	var err error
	if p.dir, err = os.MkdirTemp(n.dir, ""); err != nil {
		t.Fatal(err)
	}
	p.stdout = filepath.Join(p.dir, "stdout")
	c := p.Spec.Containers[0]
	s := &sandbox{Root: filepath.Join(p.dir, "root"), Args: c.Args, Hostname: name, In: p.in, Out: n.open,
		PIDFile: filepath.Join(p.dir, "pid")}
	user := p.Spec.SecurityContext
	s.UID, s.GID = uint32(*user.RunAsUser), uint32(*user.RunAsGroup)
	s.Groups = []uint32{uint32(*user.FSGroup)}
	if readOnly := c.SecurityContext.ReadOnlyRootFilesystem; readOnly == nil || !*readOnly {
		t.Fatal("the root of the container is writable")
	}
	s.Env = p.environment(t)
	p.image(t, s)
	for _, m := range c.VolumeMounts {
		from := p.volume(t, m.Name)
		mkdir(t, filepath.Join(s.Root, m.MountPath))
		s.Mounts = append(s.Mounts, mount{From: from, To: m.MountPath, ReadOnly: m.ReadOnly})
	}
	for _, port := range c.Ports {
		p.in[int(port.ContainerPort)] = filepath.Join(p.dir, fmt.Sprint("in", port.ContainerPort))
	}
	p.run(t, s)
	return p
}

// image makes the root as the image has it: the program, and what a runtime adds.
func (p *pod) image(t *testing.T, s *sandbox) {
	t.Helper()
	mkdir(t, s.Root, filepath.Join(s.Root, "proc"), filepath.Join(s.Root, "dev"))
	if err := os.Chmod(s.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Mounts = append(s.Mounts, mount{From: "/dev", To: "/dev"})
	program := program(t, "informerd")
	if err := os.WriteFile(filepath.Join(s.Root, "informerd"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Mounts = append(s.Mounts, mount{From: program, To: "/informerd", ReadOnly: true})
	// The image has a static program; that of the tests may need the machine's libraries.
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if libraries, err := f.ImportedLibraries(); err == nil && len(libraries) == 0 {
		return
	}
	for _, dir := range []string{"/lib", "/lib64", "/usr/lib"} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			mkdir(t, filepath.Join(s.Root, dir))
			s.Mounts = append(s.Mounts, mount{From: dir, To: dir, ReadOnly: true})
		}
	}
}

func (p *pod) environment(t *testing.T) []string {
	t.Helper()
	env := []string{"PATH=/", "HOSTNAME=" + p.Name, "KUBERNETES_SERVICE_HOST=127.0.0.1",
		fmt.Sprint("KUBERNETES_SERVICE_PORT=", p.node.port)}
	c := p.Spec.Containers[0]
	for _, from := range c.EnvFrom {
		data := p.node.secret(t, from.SecretRef.Name)
		for _, key := range slices.Sorted(maps.Keys(data)) {
			env = append(env, fmt.Sprintf("%s%s=%s", from.Prefix, key, data[key]))
		}
	}
	for _, e := range c.Env {
		value := e.Value
		if e.ValueFrom != nil {
			ref := e.ValueFrom.SecretKeyRef
			value = string(p.node.secret(t, ref.Name)[ref.Key])
		}
		env = append(env, e.Name+"="+value)
	}
	return env
}

// volume makes a volume, or changes its content as a kubelet does. It returns its folder.
func (p *pod) volume(t *testing.T, name string) string {
	t.Helper()
	i := slices.IndexFunc(p.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == name })
	if i < 0 {
		t.Fatalf("there is no volume %s", name)
	}
	v := p.Spec.Volumes[i]
	dir := filepath.Join(p.dir, "volumes", name)
	group := int(*p.Spec.SecurityContext.FSGroup)
	writable := func(dir string) string {
		mkdir(t, dir)
		if err := os.Chown(dir, 0, group); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, os.ModeSetgid|0o770); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	files := map[string][]byte{}
	switch {
	case v.EmptyDir != nil:
		return writable(dir)
	case v.PersistentVolumeClaim != nil:
		claim := v.PersistentVolumeClaim.ClaimName
		if p.node.claims[claim] == "" {
			p.node.claims[claim] = writable(filepath.Join(p.node.dir, "claim-"+claim))
		}
		return p.node.claims[claim]
	case v.Secret != nil:
		maps.Copy(files, p.node.secret(t, v.Secret.SecretName))
	case v.ConfigMap != nil:
		maps.Copy(files, p.node.configMap(t, v.ConfigMap.Name))
	case v.Projected != nil:
		for _, s := range v.Projected.Sources {
			p.project(t, s, files)
		}
	default:
		t.Fatalf("no such volume: %v", v)
	}
	swap(t, dir, files, group)
	return dir
}

func (p *pod) project(t *testing.T, s corev1.VolumeProjection, files map[string][]byte) {
	t.Helper()
	switch {
	case s.ConfigMap != nil:
		data := p.node.configMap(t, s.ConfigMap.Name)
		if len(s.ConfigMap.Items) == 0 {
			maps.Copy(files, data)
		}
		for _, item := range s.ConfigMap.Items {
			if data[item.Key] == nil {
				t.Fatalf("ConfigMap %s has no %s", s.ConfigMap.Name, item.Key)
			}
			files[item.Path] = data[item.Key]
		}
	case s.ServiceAccountToken != nil:
		request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
			ExpirationSeconds: s.ServiceAccountToken.ExpirationSeconds,
			BoundObjectRef:    &authenticationv1.BoundObjectReference{Kind: "Pod", APIVersion: "v1", Name: p.Name, UID: p.UID}}}
		accounts := p.node.client.CoreV1().ServiceAccounts(p.Namespace)
		answer, err := accounts.CreateToken(t.Context(), p.Spec.ServiceAccountName, request,
			metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		files[s.ServiceAccountToken.Path] = []byte(answer.Status.Token)
	case s.DownwardAPI != nil:
		for _, item := range s.DownwardAPI.Items {
			if item.FieldRef.FieldPath != "metadata.namespace" {
				t.Fatalf("no such field: %s", item.FieldRef.FieldPath)
			}
			files[item.Path] = []byte(p.Namespace)
		}
	default:
		t.Fatalf("no such source: %v", s)
	}
}

// swap puts files into a folder as a kubelet does: in a new folder, to which the link ..data is
// moved.
func swap(t *testing.T, dir string, files map[string][]byte, group int) {
	t.Helper()
	mkdir(t, dir)
	fresh, err := os.MkdirTemp(dir, "..2026")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		path := filepath.Join(fresh, name)
		mkdir(t, filepath.Dir(path))
		if err := os.WriteFile(path, data, 0o440); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(path, 0, group); err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(name, "/")
		if err := os.Symlink(filepath.Join("..data", first), filepath.Join(dir, first)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	before, _ := os.Readlink(filepath.Join(dir, "..data"))
	link := filepath.Join(dir, "..data_tmp")
	if err := os.Symlink(filepath.Base(fresh), link); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(link, filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	if before != "" {
		os.RemoveAll(filepath.Join(dir, before))
	}
}

// sync brings the pod's volumes up to date, as a kubelet does once a minute.
func (p *pod) sync(t *testing.T) {
	t.Helper()
	for _, v := range p.Spec.Volumes {
		if v.Projected != nil || v.ConfigMap != nil || v.Secret != nil {
			p.volume(t, v.Name)
		}
	}
}

func (p *pod) run(t *testing.T, s *sandbox) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(p.stdout)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p.cmd = exec.Command("/proc/self/exe")
	p.cmd.Args[0] = "sandbox"
	p.cmd.Env = []string{asSandbox + "=" + string(text)}
	p.cmd.Stdout, p.cmd.Stderr = out, &p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.kill()
		<-p.ended
		if t.Failed() {
			t.Logf("%s: exit code %d\n%.6000s", p.Name, p.cmd.ProcessState.ExitCode(), p.stderr.String())
		}
	})
}

// stop ends the pod as a kubelet does, and returns the exit code.
func (p *pod) stop(t *testing.T) int {
	t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	grace := time.Duration(*p.Spec.TerminationGracePeriodSeconds) * time.Second
	select {
	case <-p.ended:
	case <-time.After(grace):
		t.Errorf("%s takes longer than terminationGracePeriodSeconds", p.Name)
		p.kill()
		<-p.ended
	}
	return p.cmd.ProcessState.ExitCode()
}

// pid returns the process of the container, 0 if it has none.
func (p *pod) pid() int {
	text, _ := os.ReadFile(filepath.Join(p.dir, "pid"))
	pid, _ := strconv.Atoi(string(text))
	return pid
}

func (p *pod) kill() {
	select {
	case <-p.ended:
		return
	default:
	}
	if pid := p.pid(); pid != 0 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		return
	}
	_ = p.cmd.Process.Kill()
}

// enter returns what runs a command in a container.
func enter(pid int, command []string) *exec.Cmd {
	const user = "65532"
	cmd := exec.Command("nsenter", append([]string{"-t", fmt.Sprint(pid), "-m", "-n", "-r", "-w", "-S", user,
		"-G", user}, command...)...)
	cmd.Env = []string{"PATH=/"}
	return cmd
}

// podsVariable has the folder with the process of each pod, for kubectl exec.
const podsVariable = "INSTALL_PODS"

// execInPod is kubectl -n NAMESPACE exec POD -- COMMAND, which asks a kubelet.
func execInPod(args []string) (code int, done bool) {
	if len(args) < 6 || args[0] != "-n" || args[2] != "exec" || args[4] != "--" {
		return 0, false
	}
	text, err := os.ReadFile(filepath.Join(os.Getenv(podsVariable), args[3]+".pid"))
	pid, _ := strconv.Atoi(string(text))
	if err == nil {
		cmd := enter(pid, args[5:])
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		err = cmd.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}

// exec runs informerd in the container, as kubectl exec does.
func (p *pod) exec(t *testing.T, args ...string) string {
	t.Helper()
	out, err := enter(p.pid(), append([]string{"/informerd"}, args...)).CombinedOutput()
	if err != nil {
		t.Fatalf("informerd %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// get asks a port of the pod. With a token it does so by HTTPS.
func (p *pod) get(port int, path, token string) (status int, body string, err error) {
	socket := p.in[port]
	transport := &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}
	client := &http.Client{Timeout: 5 * time.Second, Transport: transport}
	scheme := "http"
	if token != "" {
		scheme = "https"
	}
	request, err := http.NewRequest(http.MethodGet, fmt.Sprintf("%s://localhost:%d%s", scheme, port, path), nil)
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

// ready waits until the probe of the pod succeeds, and says so in the pod's status.
func (p *pod) ready(t *testing.T) {
	t.Helper()
	probe := p.Spec.Containers[0].ReadinessProbe.HTTPGet
	i := slices.IndexFunc(p.Spec.Containers[0].Ports, func(c corev1.ContainerPort) bool {
		return c.Name == probe.Port.StrVal
	})
	port := int(p.Spec.Containers[0].Ports[i].ContainerPort)
	p.node.await(t, p.Name+" is ready", func() error {
		select {
		case <-p.ended:
			t.Fatalf("%s has ended:\n%s", p.Name, p.stderr.String())
		default:
		}
		status, body, err := p.get(port, probe.Path, "")
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%d: %s", status, body)
		}
		return err
	})
	p.node.await(t, "the status of "+p.Name, func() error {
		pods := p.node.client.CoreV1().Pods(p.Namespace)
		now, err := pods.Get(t.Context(), p.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		now.Status.Phase = corev1.PodRunning
		ready := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue}
		now.Status.Conditions = []corev1.PodCondition{ready}
		_, err = pods.UpdateStatus(t.Context(), now, metav1.UpdateOptions{})
		return err
	})
	if err := writeWhole(filepath.Join(p.node.dir, p.Name+".pid"), fmt.Append(nil, p.pid())); err != nil {
		t.Fatal(err)
	}
}

// events returns what the pod has written to stdout.
func (p *pod) events(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(p.stdout)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func mkdir(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
