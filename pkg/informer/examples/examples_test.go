package examples

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestExamples runs each program against a control plane, while objects are created and changed.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("the examples need a control plane; with -short there is none")
	}
	c := newCluster(t)
	programs := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", programs+"/", "./...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, story := range map[string]func(*program){
		"rollouts": rollouts, "nodes": nodes, "certificates": certificates, "visitors": visitors,
	} {
		t.Run(name, func(t *testing.T) {
			story(&program{t: t, cluster: c, path: filepath.Join(programs, name)})
		})
	}
}

func rollouts(p *program) {
	p.start()
	const template = `"selector":{"matchLabels":{"app":"web"}},"template":{` +
		`"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"nginx:1"}]}}`
	deployments := "/apis/apps/v1/namespaces/default/deployments"
	p.create(deployments, `{"metadata":{"name":"web"},"spec":{"replicas":3,`+template+`}}`)
	p.prints("add default/web: 0 of 3 replicas are ready")
	p.patch(deployments+"/web", `{"spec":{"replicas":2}}`)
	p.prints("update default/web: 0 of 2 replicas are ready")
	p.remove(deployments + "/web")
	p.prints("delete default/web: 0 of 2 replicas are ready")
	p.stop()
}

func nodes(p *program) {
	const pods = "/api/v1/namespaces/default/pods"
	for name, node := range map[string]string{"a": "n1", "b": "n2", "c": "n2"} {
		p.create(pods, fmt.Sprintf(`{"metadata":{"name":%q,"labels":{"app":%q}},"spec":{`+
			`"nodeName":%q,"containers":[{"name":"c","image":"nginx:1"}]}}`, name, "app-"+name,
			node))
	}
	p.start("--selector", "app in (app-a)")
	p.prints("n1 has 1 pods", "n2 has 2 pods", "default/a runs nginx:1")
	p.ends()
}

func certificates(p *program) {
	const secrets = "/api/v1/namespaces/default/secrets"
	p.create(secrets, `{"metadata":{"name":"other"},"stringData":{"tls.crt":"x","tls.key":"x"}}`)
	p.create(secrets, secret(p.t, "later", time.Now().Add(24*time.Hour+10*time.Second)))
	p.create(secrets, secret(p.t, "soon", time.Now().Add(time.Hour)))
	p.start("--before", "24h")
	// The first one comes again when it has 24 hours left.
	p.printsInAnyOrder("default/later is good until ", "default/soon ends soon, ")
	p.prints("default/later ends soon, ")
	p.stop()
}

// secret is one with a certificate that ends at some time.
func secret(t *testing.T, name string, end time.Time) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: end}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	return fmt.Sprintf(`{"metadata":{"name":%q},"type":"kubernetes.io/tls",`+
		`"data":{"tls.crt":%q,"tls.key":""}}`, name, base64.StdEncoding.EncodeToString(text))
}

func visitors(p *program) {
	for _, namespace := range []string{"shop", "bank"} {
		p.create("/api/v1/namespaces", `{"metadata":{"name":"`+namespace+`"}}`)
	}
	inShop, inBank := "/api/v1/namespaces/shop/configmaps", "/api/v1/namespaces/bank/configmaps"
	p.create(inShop, `{"metadata":{"name":"one"},"data":{"tier":"gold"}}`)
	p.start()
	p.types("watch shop")
	p.prints("add shop/one")
	p.types("watch bank") // it joins the informer there is
	p.create(inBank, `{"metadata":{"name":"two"},"data":{"tier":"gold"}}`)
	p.prints("add bank/two")
	p.types("count data.tier")
	p.prints("data.tier gold: 2")
	p.types("who")
	p.prints("bank has", "shop has")
	p.types("stop bank")
	p.prints("stopped bank, 1 informers run")
	p.patch(inBank+"/two", `{"data":{"tier":"silver"}}`)
	p.patch(inShop+"/one", `{"data":{"tier":"silver"}}`)
	p.prints("update shop/one")
	p.types("count data.tier")
	p.prints("data.tier silver: 2")
	p.types("stop shop")
	p.prints("stopped shop, 0 informers run")
	p.types("count data.tier")
	p.prints("error: nothing is watched")
	p.in.Close()
	p.ends()
}

// cluster is a control plane that devcluster runs.
type cluster struct {
	kubeconfig string
	host       string
	client     *http.Client
}

// newCluster starts one, which ends with the test.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	bin := os.Getenv("DEVCLUSTER_BIN")
	if bin == "" {
		bin = filepath.Join("..", "..", "..", "bin", "devcluster")
	}
	if _, err := os.Stat(bin); err != nil {
		t.Skipf("%v: the examples need a control plane, build it with: make devcluster", err)
	}
	dir := t.TempDir()
	devcluster := func(ctx context.Context, command string) {
		out, err := exec.CommandContext(ctx, bin, command, "--dir", dir).CombinedOutput()
		if err != nil {
			t.Fatalf("devcluster %s: %v\n%s", command, err, out)
		}
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		devcluster(ctx, "down")
	})
	devcluster(t.Context(), "up")
	c := &cluster{kubeconfig: filepath.Join(dir, "kubeconfig")}
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	if c.client, err = rest.HTTPClientFor(config); err != nil {
		t.Fatal(err)
	}
	c.host = config.Host
	t.Cleanup(c.client.CloseIdleConnections)
	return c
}

// program is an example that is tested.
type program struct {
	t       *testing.T
	cluster *cluster
	path    string

	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string // that it has printed
	log   bytes.Buffer
}

// start starts it.
func (p *program) start(args ...string) {
	p.t.Helper()
	p.cmd = exec.Command(p.path, append(args, "--kubeconfig", p.cluster.kubeconfig)...)
	p.cmd.Stderr = &p.log
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		p.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.lines = make(chan string, 100)
	go func() {
		defer close(p.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.lines <- lines.Text()
		}
	}()
	p.t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			for range p.lines {
			}
			_ = p.cmd.Wait()
		}
	})
}

// types writes a line to its standard input.
func (p *program) types(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// next waits for a line.
func (p *program) next() string {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		if ok {
			return line
		}
		p.t.Fatalf("the program has ended:\n%s", &p.log)
	case <-time.After(time.Minute):
		p.t.Fatal("nothing was printed for a minute")
	}
	return ""
}

// prints waits for lines that begin with these texts.
func (p *program) prints(want ...string) {
	p.t.Helper()
	for _, text := range want {
		if line := p.next(); !strings.HasPrefix(line, text) {
			p.t.Fatalf("got %q, want %q", line, text)
		}
	}
}

// printsInAnyOrder is prints for lines whose order is open.
func (p *program) printsInAnyOrder(want ...string) {
	p.t.Helper()
	for range want {
		line := p.next()
		i := slices.IndexFunc(want, func(text string) bool { return strings.HasPrefix(line, text) })
		if i < 0 {
			p.t.Fatalf("got %q, want one of %q", line, want)
		}
		want[i] = "\x00" // no line begins with that
	}
}

// stop interrupts the program, which then ends.
func (p *program) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatal(err)
	}
	p.ends()
}

// ends waits until the program has ended without an error.
func (p *program) ends() {
	p.t.Helper()
	for line := range p.lines {
		p.t.Errorf("it still printed %q", line)
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("%v\n%s", err, &p.log)
	}
}

func (p *program) create(path, object string) { p.request(http.MethodPost, path, object) }
func (p *program) patch(path, patch string)   { p.request(http.MethodPatch, path, patch) }
func (p *program) remove(path string)         { p.request(http.MethodDelete, path, "") }

// request asks the API server for a change.
func (p *program) request(method, path, body string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.cluster.host+path,
		strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	answer, err := p.cluster.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 300 {
		var status struct{ Message string }
		_ = json.NewDecoder(answer.Body).Decode(&status)
		p.t.Fatalf("%s %s: %s: %s", method, path, answer.Status, status.Message)
	}
}
