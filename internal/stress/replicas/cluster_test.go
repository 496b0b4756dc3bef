package replicas

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// cluster is a control plane that devcluster runs.
type cluster struct {
	bin, dir string
	config   *rest.Config
	client   *kubernetes.Clientset
}

// startCluster starts a control plane that ends with the test.
func startCluster(ctx context.Context, t *testing.T) *cluster {
	t.Helper()
	bin, err := devclusterBin()
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{bin: bin, dir: t.TempDir()}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := c.run(ctx, "down"); err != nil {
			t.Error(err)
		}
	})
	if err := c.run(ctx, "up"); err != nil {
		t.Fatal(err)
	}
	if c.config, err = clientcmd.BuildConfigFromFlags("", c.kubeconfig()); err != nil {
		t.Fatal(err)
	}
	c.config.QPS = -1 // no limit
	client, err := rest.HTTPClientFor(c.config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { utilnet.CloseIdleConnectionsFor(client.Transport) })
	if c.client, err = kubernetes.NewForConfigAndClient(c.config, client); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *cluster) kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// address returns that of the API server.
func (c *cluster) address() string { return strings.TrimPrefix(c.config.Host, "https://") }

// writeKubeconfig writes a kubeconfig that names another address of the API server.
func (c *cluster) writeKubeconfig(t *testing.T, path, address string) {
	t.Helper()
	cfg, err := clientcmd.LoadFromFile(c.kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, cluster := range cfg.Clusters {
		cluster.Server = "https://" + address
	}
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		t.Fatal(err)
	}
}

// run runs one of devcluster's commands to completion.
func (c *cluster) run(ctx context.Context, command string) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, c.bin, command, "--dir", c.dir)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("devcluster %s: %w\n%s", command, err, &out)
	}
	return nil
}
