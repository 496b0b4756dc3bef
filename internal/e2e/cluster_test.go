package e2e

import (
	"bytes"
	"context"
	"errors"
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
	"sync"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
)

// cluster is a control plane run by devcluster, and its clients.
type cluster struct {
	dir    string
	server string

	client    *http.Client // of all clients below
	dynamic   dynamic.Interface
	discovery *discovery.DiscoveryClient
	mapper    *restmapper.DeferredDiscoveryRESTMapper
}

func (c *cluster) kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// running are the control planes that were started and not yet stopped.
var running clusters

type clusters struct {
	mu     sync.Mutex // guards the fields below
	up     map[*cluster]bool
	closed bool // no more may be started
}

func (cs *clusters) add(c *cluster) error {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.closed {
		return errors.New("the tests have ended")
	}
	if cs.up == nil {
		cs.up = map[*cluster]bool{}
	}
	cs.up[c] = true
	return nil
}

func (cs *clusters) remove(c *cluster) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.up, c)
}

// stop stops all of them.
func (cs *clusters) stop() error {
	cs.mu.Lock()
	cs.closed = true
	left := slices.Collect(maps.Keys(cs.up))
	cs.mu.Unlock()
	var errs []error
	for _, c := range left {
		errs = append(errs, c.down())
	}
	return errors.Join(errs...)
}

func (c *cluster) up(ctx context.Context) error {
	if err := running.add(c); err != nil {
		return err
	}
	if _, err := c.devcluster(ctx, "up"); err != nil {
		return err
	}
	return c.connect()
}

// down removes all of it.
func (c *cluster) down() error {
	if c.client != nil {
		c.client.CloseIdleConnections()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := c.devcluster(ctx, "down"); err != nil {
		return err
	}
	running.remove(c)
	return os.RemoveAll(c.dir)
}

// devcluster runs one of its commands to completion.
func (c *cluster) devcluster(ctx context.Context, command string) (stdout string, err error) {
	var out, errOut bytes.Buffer
	cmd := exec.CommandContext(ctx, devclusterBin(), command, "--dir", c.dir)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("devcluster %s: %w\n%s%s", command, err, &out, &errOut)
	}
	return out.String(), nil
}

func (c *cluster) connect() error {
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig())
	if err != nil {
		return err
	}
	config.QPS = -1 // no limit
	config.WarningHandler = rest.NoWarnings{}
	c.server = config.Host
	if c.client, err = rest.HTTPClientFor(config); err != nil {
		return err
	}
	if c.dynamic, err = dynamic.NewForConfigAndClient(config, c.client); err != nil {
		return err
	}
	if c.discovery, err = discovery.NewDiscoveryClientForConfigAndClient(config,
		c.client); err != nil {
		return err
	}
	c.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.discovery))
	return nil
}

// killAPIServer ends the API server without warning, as a crash would, and returns when no trace of
// it remains.
func (c *cluster) killAPIServer(ctx context.Context) error {
	pid, address, err := c.component(ctx, "kube-apiserver")
	if err != nil {
		return err
	}
	return killServer(pid, address)
}

// component returns the process of a part of the control plane, and where it listens.
func (c *cluster) component(ctx context.Context, name string) (pid int, address string, err error) {
	status, err := c.devcluster(ctx, "status")
	if err != nil {
		return 0, "", err
	}
	for line := range strings.Lines(status) {
		if fields := strings.Fields(line); fields[0] == name {
			pid, err = strconv.Atoi(fields[2])
			return pid, strings.TrimPrefix(fields[3], "https://"), err
		}
	}
	return 0, "", fmt.Errorf("devcluster status does not know %s:\n%s", name, status)
}

// killServer kills a process, and returns when no trace of it remains.
func killServer(pid int, address string) error {
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	return eventually(func() error {
		if state := processState(pid); state != "" && state != "Z" {
			return fmt.Errorf("process %d is still in state %s", pid, state)
		}
		// A zombie's threads may hold the port a little longer, and the next server needs it.
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return errors.Join(fmt.Errorf("something still listens on %s", address), conn.Close())
		}
		return nil
	})
}

func (c *cluster) restartAPIServer(ctx context.Context) error {
	_, err := c.devcluster(ctx, "restart-apiserver")
	return err
}

func (c *cluster) createNamespace(name string) error {
	namespaces := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	return c.retry(func(ctx context.Context) error {
		_, err := c.dynamic.Resource(namespaces).Create(ctx, object, metav1.CreateOptions{})
		return err
	})
}

// retry repeats do while the server is away or does not know a newly defined resource yet.
func (c *cluster) retry(do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var last error
	err := eventually(func() error {
		last = do(ctx)
		switch {
		case meta.IsNoMatchError(last), isGone(last):
			c.mapper.Reset()
			return last
		case utilnet.IsConnectionRefused(last), utilnet.IsConnectionReset(last),
			utilnet.IsHTTP2ConnectionLost(last), // the API server was stopped for longer than a ping
			errors.Is(last, io.EOF), errors.Is(last, io.ErrUnexpectedEOF):
			return last
		}
		return nil
	})
	if err != nil {
		return err
	}
	return last
}

// isGone reports whether the server does not have the resource, or no longer has this version.
func isGone(err error) bool {
	return apierrors.IsNotFound(err) &&
		strings.Contains(err.Error(), "could not find the requested resource")
}

// resource returns the client for KIND or KIND.GROUP, which may also be a resource's name.
func (c *cluster) resource(kind, namespace string) (dynamic.ResourceInterface, error) {
	name, group, _ := strings.Cut(kind, ".")
	found, err := c.mapper.ResourceFor(schema.GroupVersionResource{Group: group, Resource: name})
	if err != nil {
		return nil, err
	}
	known, err := c.mapper.KindFor(found)
	if err != nil {
		return nil, err
	}
	return c.mapped(known, namespace)
}

func (c *cluster) mapped(kind schema.GroupVersionKind, namespace string) (dynamic.ResourceInterface,
	error) {
	mapping, err := c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		return c.dynamic.Resource(mapping.Resource), nil
	}
	return c.dynamic.Resource(mapping.Resource).Namespace(namespace), nil
}

// eventually polls a condition that has no notification until there is no error.
func eventually(ask func() error) error {
	deadline := time.Now().Add(patience)
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		err := ask()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("still after %v: %w", patience, err)
		}
		<-again.C
	}
}
