package install

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// receiver is a webhook that may refuse what it gets, or be away.
type receiver struct {
	url     string
	server  *httptest.Server
	mu      sync.Mutex
	status  int
	got     []string
	refused int
}

func newReceiver(t *testing.T, n *node) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusOK}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, _ := io.ReadAll(in.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.status == http.StatusOK {
			r.got = append(r.got, string(body))
		} else {
			r.refused++
		}
		w.WriteHeader(r.status)
	}))
	t.Cleanup(func() { r.server.Close() })
	r.url = r.server.URL
	at, err := url.Parse(r.url)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(at.Port())
	if err != nil {
		t.Fatal(err)
	}
	n.reach(t, port)
	return r
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// leave stops it: whoever connects is refused.
func (r *receiver) leave() { r.server.Close() }

// comeBack starts it again at its address.
func (r *receiver) comeBack(t *testing.T) {
	t.Helper()
	back := httptest.NewUnstartedServer(r.server.Config.Handler)
	listener, err := net.Listen("tcp", r.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := back.Listener.Close(); err != nil {
		t.Fatal(err)
	}
	back.Listener = listener
	back.Start()
	r.server = back
}

// count returns how many messages with all these texts came.
func (r *receiver) count(texts ...string) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
messages:
	for _, message := range r.got {
		for _, text := range texts {
			if !strings.Contains(message, text) {
				continue messages
			}
		}
		n++
	}
	return n
}

// expect waits until messages with all these texts have come, as many as that in all.
func (c *cluster) expect(t *testing.T, r *receiver, n int, texts ...string) {
	t.Helper()
	c.await(t, fmt.Sprintf("%d messages with %q", n, texts), func() error {
		if got := r.count(texts...); got != n {
			return fmt.Errorf("%d have come", got)
		}
		return nil
	})
}

// steps logs how long each step of a story takes.
type steps struct {
	t    *testing.T
	last time.Time
}

func (s *steps) done(what string) {
	s.t.Helper()
	s.t.Logf("%5.1f s  %s", time.Since(s.last).Seconds(), what)
	s.last = time.Now()
}

// gone waits until nothing of a release is left, which controllers need a moment for.
func (c *cluster) gone(t *testing.T) {
	t.Helper()
	c.await(t, "nothing is left", func() error {
		if left := c.traces(t); left != "" {
			return fmt.Errorf("this is left:\n%s", left)
		}
		return nil
	})
}

// TestChartStory installs informerd by the chart and uses it: a violation, a receiver that refuses
// messages, a replay, an upgrade, the end.
func TestChartStory(t *testing.T) {
	c := newCluster(t)
	n := newNode(t, c)
	r := newReceiver(t, n)
	s := &steps{t, time.Now()}
	work := t.TempDir()
	if err := os.CopyFS(work, os.DirFS("testdata/story")); err != nil {
		t.Fatal(err)
	}
	c.restricted(t, "informerd")
	c.sh(t, "kubectl create namespace shop\nkubectl -n informerd create secret generic receiver --from-literal=url="+r.url)
	release := func(verb string) {
		c.sh(t, fmt.Sprintf(`cd %s
informerd rbac informerd.yaml -o helm > release.yaml
helm %s informerd %s/deploy/chart/informerd -n informerd -f release.yaml --set 'secrets={receiver}' --set rbac.readers=true`,
			work, verb, repository(t)))
	}
	release("install")
	p := n.start(t, "informerd-0")
	p.ready(t)
	s.done("installed by the chart, in a restricted namespace, and ready")

	c.sh(t, "kubectl -n shop create configmap prices")
	c.expect(t, r, 1, `"type":"dev.informerd.rule.violated"`, "nobody owns prices")
	c.expect(t, r, 1, `"type":"dev.informerd.object.added"`, "prices")
	token := strings.TrimSpace(c.sh(t, `kubectl -n shop create serviceaccount viewer >/dev/null
kubectl create clusterrolebinding viewer --clusterrole=informerd-viewer --serviceaccount=shop:viewer >/dev/null
kubectl create clusterrolebinding scraper --clusterrole=informerd-scraper --serviceaccount=shop:viewer >/dev/null
kubectl -n shop create token viewer`))
	see := func(path, text string) {
		c.await(t, path+" has "+text, func() error {
			status, body, err := p.get(8443, path, token)
			if err == nil && (status != http.StatusOK || !strings.Contains(body, text)) {
				err = fmt.Errorf("%d: %.3000s", status, body)
			}
			return err
		})
	}
	see("/violations", "nobody owns prices")
	see("/", "<title>informerd")
	s.done("a violation is at the webhook and on the page")

	r.answer(http.StatusUnprocessableEntity)
	c.sh(t, "kubectl -n shop create configmap refused\nkubectl -n shop label configmap refused owner=me")
	see("/metrics", `informerd_output_letters_total{`)
	const config = "--config=/etc/informerd/informerd.yaml"
	c.await(t, "dead letters", func() error {
		if out := p.exec(t, "dlq", "ls", config); !strings.Contains(out, "422") {
			return fmt.Errorf("dlq ls: %s", out)
		}
		return nil
	})
	if out := p.exec(t, "status", config); !strings.Contains(out, "dead letters") {
		t.Errorf("status:\n%s", out)
	}
	p.ready(t)
	s.done("a receiver refuses messages: dead letters, in the metrics, dlq ls and status")

	r.answer(http.StatusOK)
	out := p.exec(t, "dlq", "replay", "--all", config)
	c.expect(t, r, 1, `"type":"dev.informerd.object.updated"`, "refused")
	s.done("they are replayed")
	t.Logf("dlq replay --all:\n%s", out)

	r.leave()
	c.sh(t, "kubectl -n shop create configmap waits\nkubectl -n shop label configmap waits owner=me")
	// What the pod sees of it depends on how its network is made here.
	const away = `webhook: 127.0.0.1:`
	see("/statusz", `"error":"`+away)
	c.await(t, "status names the output that is away", func() error {
		if out := p.exec(t, "status", config); !strings.Contains(out, away) {
			return fmt.Errorf("status:\n%s", out)
		}
		return nil
	})
	r.comeBack(t)
	c.expect(t, r, 1, `"type":"dev.informerd.object.updated"`, "waits")
	s.done("a receiver is away: in status and /statusz; it gets what has waited when it is back")

	policy := filepath.Join(work, "policies", "owner.yaml")
	text, err := os.ReadFile(policy)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(policy, []byte(strings.Replace(string(text), "nobody owns", "who owns", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	pid := p.pid()
	release("upgrade")
	p.sync(t)
	c.await(t, "the reload", func() error {
		if log := p.stderr.String(); !strings.Contains(log, "configuration reloaded") {
			return fmt.Errorf("the log has\n%s", log)
		}
		return nil
	})
	c.sh(t, "kubectl -n shop create configmap later")
	c.expect(t, r, 1, `"type":"dev.informerd.rule.violated"`, "who owns later")
	if now := c.sh(t, "kubectl -n informerd get pod informerd-0 -o jsonpath={.metadata.uid}"); now != string(p.UID) || pid != p.pid() {
		t.Error("the pod was replaced for a change of a policy")
	}
	s.done("upgraded: the running pod has reloaded a changed policy")

	c.sh(t, "helm uninstall informerd -n informerd\nkubectl -n informerd delete secret receiver")
	if code := p.stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.gone(t)
	s.done("removed: nothing is left")
	if n := r.count(`"type":"dev.informerd.rule.violated"`, "prices"); n != 1 {
		t.Errorf("the violation of prices came %d times", n)
	}
}

// TestManifestStory installs the manifest, restarts it, and removes it.
func TestManifestStory(t *testing.T) {
	c := newCluster(t)
	n := newNode(t, c)
	s := &steps{t, time.Now()}
	c.sh(t, "kubectl apply -f deploy/informerd.yaml")
	p := n.start(t, "informerd-0")
	p.ready(t)
	s.done("installed by the manifest, and ready")

	has := func(p *pod, want int, texts ...string) {
		t.Helper()
		c.await(t, fmt.Sprint("events with ", texts), func() error {
			got := 0
		lines:
			for line := range strings.Lines(p.events(t)) {
				for _, text := range texts {
					if !strings.Contains(line, text) {
						continue lines
					}
				}
				got++
			}
			if got != want {
				return fmt.Errorf("%d, not %d", got, want)
			}
			return nil
		})
	}
	c.sh(t, "kubectl create deployment web --image=nginx:1.29")
	has(p, 1, `"type":"dev.informerd.object.added"`, `"subject":"deployments.apps/default/web"`)
	s.done("a deployment is on stdout")

	if code := p.stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.sh(t, "kubectl delete deployment web\nkubectl create deployment api --image=nginx:1.29")
	again := n.start(t, "informerd-0")
	has(again, 1, `"type":"dev.informerd.object.deleted"`, `"subject":"deployments.apps/default/web"`)
	has(again, 1, `"type":"dev.informerd.object.added"`, `"subject":"deployments.apps/default/api"`)
	s.done("started again on its volume, it has what happened in between")

	c.sh(t, "kubectl delete --wait=false -f deploy/informerd.yaml")
	if code := again.stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.gone(t)
	s.done("removed: nothing is left")
}

// TestReplicasStory has three replicas, of which the one that works is stopped.
func TestReplicasStory(t *testing.T) {
	c := newCluster(t)
	n := newNode(t, c)
	r := newReceiver(t, n)
	s := &steps{t, time.Now()}
	c.restricted(t, "replicas")
	work := t.TempDir()
	config := fmt.Sprintf(`apiVersion: informerd.dev/v1alpha1
kind: Config
leaderElection: {leaseDuration: 12s, renewDeadline: 10s, retryPeriod: 1s}
health: {address: ":8081"}
state: {dir: /var/lib/informerd/state}
listeners:
  changes: {informer: {resource: configmaps, namespaces: [default]}, outputs: [hook]}
outputs:
  hook: {webhook: {url: %q}}
`, r.url)
	if err := os.WriteFile(filepath.Join(work, "informerd.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c.sh(t, fmt.Sprintf(`cd %s
informerd rbac informerd.yaml -o helm > release.yaml
helm install informerd %s/deploy/chart/informerd -n replicas -f release.yaml --set replicas=3`, work, repository(t)))
	pods := map[string]*pod{}
	for i := range 3 {
		p := n.start(t, fmt.Sprint("informerd-", i))
		pods[p.Name] = p
	}
	for _, p := range pods {
		p.ready(t)
	}
	s.done("three replicas are ready")

	leader := func() (p *pod) {
		c.await(t, "a leader", func() error {
			holder := c.sh(t, "kubectl -n replicas get lease informerd -o jsonpath={.spec.holderIdentity}")
			for name, other := range pods {
				if strings.HasPrefix(holder, name) {
					p = other
					return nil
				}
			}
			return fmt.Errorf("the Lease is held by %q", holder)
		})
		return p
	}
	c.sh(t, "kubectl create configmap one")
	c.expect(t, r, 1, `"type":"dev.informerd.object.added"`, `/one"`)
	first := leader()
	delete(pods, first.Name)
	if code := first.stop(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.sh(t, "kubectl create configmap two")
	c.expect(t, r, 1, `"type":"dev.informerd.object.added"`, `/two"`)
	s.done("the leader was stopped, and another one delivers")

	second := leader()
	delete(pods, second.Name)
	second.kill()
	<-second.ended
	c.sh(t, "kubectl create configmap three")
	c.expect(t, r, 1, `"type":"dev.informerd.object.added"`, `/three"`)
	s.done("that one was killed, and the last one delivers")

	c.sh(t, "helm uninstall informerd -n replicas")
	for _, p := range pods {
		p.stop(t) // with an error: the rights to the Lease are gone with the release
	}
	c.gone(t) // with the Lease and the ConfigMap that informerd itself has made
	if n := r.count(`"type":"dev.informerd.object.added"`, `/one"`); n != 1 {
		t.Errorf("one came %d times", n)
	}
	s.done("removed: nothing is left")
}
