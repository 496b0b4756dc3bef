package stress

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informerd/informerd/pkg/informer"
)

// cluster is a control plane that devcluster runs.
type cluster struct {
	bin, dir string
	config   *rest.Config
	writers  dynamic.Interface // their client
	gate     gate
}

// gate cuts the informer off from an API server that the writers still reach, so that it misses
// their changes.
type gate struct {
	mu   sync.Mutex
	shut bool
	open map[*gatedBody]bool
}

func (g *gate) set(shut bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = shut
	if shut {
		for b := range g.open {
			_ = b.ReadCloser.Close() // its reader gets an error
		}
	}
}

func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

// wrap fails requests while the gate is shut, like an unreachable server.
func (g *gate) wrap(next http.RoundTripper) http.RoundTripper { return gated{g, next} }

type gated struct {
	gate *gate
	next http.RoundTripper
}

func (g gated) RoundTrip(r *http.Request) (*http.Response, error) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	if g.gate.isShut() {
		return nil, refused
	}
	response, err := g.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	g.gate.mu.Lock()
	defer g.gate.mu.Unlock()
	if g.gate.shut {
		_ = response.Body.Close() // nobody reads it
		return nil, refused
	}
	if g.gate.open == nil {
		g.gate.open = map[*gatedBody]bool{}
	}
	body := &gatedBody{response.Body, g.gate}
	g.gate.open[body] = true
	response.Body = body
	return response, nil
}

// gatedBody ends when the gate is shut, like a body whose server has gone.
type gatedBody struct {
	io.ReadCloser
	gate *gate
}

func (b *gatedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && b.gate.isShut() {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (b *gatedBody) Close() error {
	b.gate.mu.Lock()
	delete(b.gate.open, b)
	b.gate.mu.Unlock()
	return b.ReadCloser.Close()
}

// startCluster starts a control plane that ends with the test, as do all connections to it. Flags are
// those of devcluster.
func startCluster(ctx context.Context, t *testing.T, flags ...string) *cluster {
	t.Helper()
	bin, err := devclusterBin()
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{bin: bin, dir: t.TempDir()}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if _, err := c.run(ctx, "down"); err != nil {
			t.Error(err)
		}
	})
	if _, err := c.run(ctx, "up", flags...); err != nil {
		t.Fatal(err)
	}
	if c.config, err = clientcmd.BuildConfigFromFlags("",
		filepath.Join(c.dir, "kubeconfig")); err != nil {
		t.Fatal(err)
	}
	c.config.QPS = -1 // no limit
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeIdle(client) })
	if c.writers, err = dynamic.NewForConfigAndClient(c.config, client); err != nil {
		t.Fatal(err)
	}
	return c
}

// closeIdle closes the idle connections of a client-go client. informer.Client has its own
// connections.
func closeIdle(client *http.Client) { utilnet.CloseIdleConnectionsFor(client.Transport) }

func (c *cluster) newClient(t *testing.T) *informer.Client {
	t.Helper()
	config := rest.CopyConfig(c.config)
	config.Wrap(c.gate.wrap)
	client, err := informer.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// run runs one of devcluster's commands to completion.
func (c *cluster) run(ctx context.Context, command string, flags ...string) (stdout string,
	err error) {
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(ctx, c.bin, append([]string{command, "--dir", c.dir}, flags...)...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("devcluster %s: %w\n%s%s", command, err, &out, &errOut)
	}
	return out.String(), nil
}

// restart ends the API server and starts it again. The informer is cut off as soon as missed is
// called, while the writers continue; the new server, whose history starts with itself, can never
// report what the informer has missed.
func (c *cluster) restart(ctx context.Context, how restart, missed func() error) error {
	c.gate.set(true)
	defer c.gate.set(false)
	if err := missed(); err != nil {
		return err
	}
	if how == killed {
		if err := c.killAPIServer(ctx); err != nil {
			return err
		}
	}
	_, err := c.run(ctx, "restart-apiserver")
	return err
}

// killAPIServer ends the API server without warning, as a crash would, and returns when its port is
// free.
func (c *cluster) killAPIServer(ctx context.Context) error {
	status, err := c.run(ctx, "status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(status) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != "kube-apiserver" {
			continue
		}
		pid, err := strconv.Atoi(fields[2])
		if err != nil {
			return fmt.Errorf("no pid in %q: %w", line, err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
		return until(ctx, func() bool { return !c.listening() })
	}
	return fmt.Errorf("devcluster status does not know kube-apiserver:\n%s", status)
}

// listening reports whether a process has the API server's port. A killed process keeps it until
// its last thread has ended, which may be after the process has become a zombie.
func (c *cluster) listening() bool {
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.config.Host, "https://"))
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}
