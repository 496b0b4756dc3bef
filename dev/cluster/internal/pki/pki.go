// Package pki makes the certificates, keys and kubeconfigs of one disposable cluster.
//
// Every cluster gets new ones. The authorities' private keys are never written, so nobody can sign
// another certificate once Write has returned.
package pki

import (
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/util/keyutil"
)

// Names of the files that Write makes in its directory. The certificates and keys are PEM.
const (
	CA        = "ca.crt" // signs the API server's certificate and every client's
	APIServer = "apiserver"
	// a separate authority: a cluster's client must not have access to etcd
	EtcdCA                = "etcd-ca.crt"
	EtcdServer            = "etcd-server"
	EtcdClient            = "etcd-client"
	ServiceAccountKey     = "service-account.key"
	ControllerManagerConf = "controller-manager.kubeconfig"
	SchedulerConf         = "scheduler.kubeconfig"
	KwokConf              = "kwok.kubeconfig"
	AdminConf             = "admin.kubeconfig"
)

// Cert returns the file name of a pair's certificate, for a pair such as APIServer.
func Cert(pair string) string { return pair + ".crt" }

// Key returns the file name of a pair's private key.
func Key(pair string) string { return pair + ".key" }

// serverHosts are the names under which the components are reached: all of them listen only on
// loopback. The cluster's own names are for anything that resolves them to loopback.
var serverHosts = []string{
	"127.0.0.1", "localhost",
	"kubernetes", "kubernetes.default", "kubernetes.default.svc",
	"kubernetes.default.svc.cluster.local",
}

// identity is the owner of a client certificate.
type identity struct {
	file   string
	user   string
	groups []string
}

// identities are those of the cluster's own clients. The controller manager and the scheduler get
// the users to which Kubernetes' bootstrap RBAC roles are bound. kwok simulates every kubelet and
// plays stages on any object, so it is an administrator.
var identities = []identity{
	{ControllerManagerConf, "system:kube-controller-manager", nil},
	{SchedulerConf, "system:kube-scheduler", nil},
	{KwokConf, "kwok", []string{"system:masters"}},
	{AdminConf, "devcluster-admin", []string{"system:masters"}},
}

// Write writes all certificates, keys and kubeconfigs to dir, which it creates with mode 0700. The
// files have mode 0600. apiServer is the URL in the kubeconfigs.
func Write(dir, apiServer string) error {
	files, err := generate(apiServer)
	if err != nil {
		return fmt.Errorf("cannot make the cluster's certificates: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("cannot create the directory for certificates: %w", err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return fmt.Errorf("cannot write the cluster's certificates: %w", err)
		}
	}
	return nil
}

// generate returns the content of every file by its name.
func generate(apiServer string) (map[string][]byte, error) {
	ca, err := newAuthority("devcluster-ca")
	if err != nil {
		return nil, err
	}
	etcdCA, err := newAuthority("devcluster-etcd-ca")
	if err != nil {
		return nil, err
	}
	serviceAccountKey, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return nil, fmt.Errorf("generate the service account key: %w", err)
	}
	files := map[string][]byte{
		CA:                ca.certPEM,
		EtcdCA:            etcdCA.certPEM,
		ServiceAccountKey: serviceAccountKey,
	}

	for name, template := range map[string]struct {
		by   *authority
		cert *x509.Certificate
	}{
		APIServer:  {ca, serverTemplate("kube-apiserver", serverHosts)},
		EtcdServer: {etcdCA, serverTemplate("etcd", serverHosts)},
		EtcdClient: {etcdCA, clientTemplate("kube-apiserver", nil)},
	} {
		p, err := template.by.issue(template.cert)
		if err != nil {
			return nil, err
		}
		files[Cert(name)], files[Key(name)] = p.certPEM, p.keyPEM
	}

	for _, id := range identities {
		p, err := ca.issue(clientTemplate(id.user, id.groups))
		if err != nil {
			return nil, err
		}
		if files[id.file], err = kubeconfig(apiServer, id.user, ca, p); err != nil {
			return nil, err
		}
	}
	return files, nil
}
