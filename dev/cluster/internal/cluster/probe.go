package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informerd/informerd/dev/cluster/internal/pki"
)

// probeTimeout limits one request to a component. A healthy one responds within milliseconds; a
// machine that starts five of them at once needs longer.
const probeTimeout = 5 * time.Second

// access is the client certificate that a component requires.
type access int

const (
	openAccess  access = iota // plain HTTP
	etcdAccess                // the API server's certificate for etcd
	adminAccess               // the administrator's
)

// probes asks components whether they are ready. It keeps its connections open.
type probes struct {
	clients map[access]*http.Client
}

// newProbes reads the certificates of the cluster.
func newProbes(l layout) (*probes, error) {
	admin, err := adminConfig(l)
	if err != nil {
		return nil, err
	}
	etcd := &rest.Config{TLSClientConfig: rest.TLSClientConfig{
		CAFile:   l.pkiFile(pki.EtcdCA),
		CertFile: l.pkiFile(pki.Cert(pki.EtcdClient)),
		KeyFile:  l.pkiFile(pki.Key(pki.EtcdClient)),
	}}
	p := &probes{clients: make(map[access]*http.Client)}
	for kind, config := range map[access]*rest.Config{openAccess: {}, etcdAccess: etcd,
		adminAccess: admin} {
		config.Timeout = probeTimeout
		if p.clients[kind], err = rest.HTTPClientFor(config); err != nil {
			return nil, fmt.Errorf("cannot use the cluster's certificates in %s: %w", l.pki(), err)
		}
	}
	return p, nil
}

// adminConfig returns the administrator's client configuration.
func adminConfig(l layout) (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", l.pkiFile(pki.AdminConf))
	if err != nil {
		return nil, fmt.Errorf("cannot read the cluster's admin kubeconfig: %w", err)
	}
	return config, nil
}

// ready returns nil if the component is ready, otherwise the reason.
func (p *probes) ready(ctx context.Context, c component) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address+c.health, nil)
	if err != nil {
		return fmt.Errorf("cannot ask %s: %w", c.name, err)
	}
	response, err := p.clients[c.access].Do(request)
	if err != nil {
		return err // has the method, the URL and the reason
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 16<<10))
	if err != nil {
		return fmt.Errorf("cannot read the response of %s: %w", request.URL, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s returned %s: %s", request.URL, response.Status,
			failedChecks(string(body)))
	}
	return nil
}

// failedChecks shortens a response of Kubernetes, which lists every check, to the lines of those
// that failed.
func failedChecks(body string) string {
	var failed []string
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "[-]") {
			failed = append(failed, strings.TrimSpace(line))
		}
	}
	if len(failed) == 0 {
		return strings.TrimSpace(body)
	}
	return strings.Join(failed, ", ")
}
