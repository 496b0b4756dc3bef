package sharedstate

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// childConfig is the variable with which a child learns the file of its server's configuration.
const childConfig = "SHAREDSTATE_SERVER"

// child runs a server until the parent has ended.
func child() int {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(9)
	}()
	o, err := server.ProcessConfigFile(os.Getenv(childConfig))
	if err == nil {
		o.NoSigs = true
		var s *server.Server
		if s, err = server.NewServer(o); err == nil {
			s.ConfigureLogger()
			s.Start()
			s.WaitForShutdown()
		}
	}
	fmt.Fprintln(os.Stderr, "the server has ended:", err)
	return 1
}

// nodes is how many servers a cluster has.
const nodes = 3

// node is a server of a cluster, in a process of its own.
type node struct {
	config  string
	client  string // its address for clients
	process *exec.Cmd
	ended   chan struct{}
}

// cluster are servers that see each other through links.
type cluster struct {
	nodes [nodes]*node
	// links are the ways from a node to another one.
	links [nodes][nodes]*link
}

// newCluster starts servers, which end with the test. They tell each other an address at which
// nobody listens, or they would find ways around the links.
func newCluster(t testing.TB) *cluster {
	t.Helper()
	c := &cluster{}
	var routes, clients [nodes]string
	for i := range nodes {
		routes[i], clients[i] = freeAddress(t), freeAddress(t)
	}
	dir := t.TempDir()
	for i := range nodes {
		var to []string
		for j := range nodes {
			if i != j {
				c.links[i][j] = newLink(t, routes[j])
				to = append(to, "nats://"+c.links[i][j].address())
			}
		}
		text := fmt.Sprintf(`server_name: n%d
listen: %q
log_file: %q
jetstream: {store_dir: %q, sync_interval: always}
ping_interval: 1s
ping_max: 2
cluster: {name: c, listen: %q, advertise: "127.0.0.1:1", pool_size: -1, routes: [%s]}
`, i, clients[i], filepath.Join(dir, fmt.Sprint(i, ".log")), filepath.Join(dir, strconv.Itoa(i)),
			routes[i], strings.Join(to, ", "))
		n := &node{config: filepath.Join(dir, fmt.Sprint(i, ".conf")), client: clients[i]}
		if err := os.WriteFile(n.config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		c.nodes[i] = n
		n.start(t)
	}
	t.Cleanup(func() {
		for _, n := range c.nodes {
			n.kill()
		}
	})
	return c
}

func (n *node) start(t testing.TB) {
	t.Helper()
	n.process = exec.Command(os.Args[0])
	n.process.Env = append(os.Environ(), childConfig+"="+n.config)
	if _, err := n.process.StdinPipe(); err != nil { // which ends with the parent
		t.Fatal(err)
	}
	if err := n.process.Start(); err != nil {
		t.Fatal(err)
	}
	n.ended = make(chan struct{})
	go func() {
		_ = n.process.Wait()
		close(n.ended)
	}()
}

// kill ends the server as kill -9 does, and waits for that.
func (n *node) kill() {
	_ = n.process.Process.Kill()
	<-n.ended
}

// url names all servers.
func (c *cluster) url() string {
	var all []string
	for _, n := range c.nodes {
		all = append(all, "nats://"+n.client)
	}
	return strings.Join(all, ",")
}

// isolate cuts a node off from the others, not from clients, and heal ends that.
func (c *cluster) isolate(i int) {
	for j := range nodes {
		if i != j {
			c.links[i][j].cut()
			c.links[j][i].cut()
		}
	}
}

func (c *cluster) heal(i int) {
	for j := range nodes {
		if i != j {
			for _, l := range []*link{c.links[i][j], c.links[j][i]} {
				l.drop() // what was held up is lost
				l.mend()
			}
		}
	}
}

// awaitReady waits until a stream takes writes.
func awaitReady(t testing.TB, s *State) {
	t.Helper()
	for ctx := within(t, 60*time.Second); ; time.Sleep(50 * time.Millisecond) {
		if h, err := s.Hold(ctx, "ready", 1); err == nil {
			if err = h.PutLetter(ctx, "x", nil); err == nil {
				return
			}
		} else if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
}

// freeAddress returns an address that nobody listens to.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
