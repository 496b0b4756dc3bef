package pki

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

const server = "https://127.0.0.1:6443"

func write(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "pki")
	if err := Write(dir, server); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOnlyTheOwnerMayRead(t *testing.T) {
	dir := write(t)
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has mode %v", info.Mode())
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", entry.Name(), info.Mode())
		}
	}
}

func TestServingCertificates(t *testing.T) {
	dir := write(t)
	f := func(pair, ca, host string) {
		t.Helper()
		verify(t, leaf(t, dir, pair), pool(t, dir, ca), x509.ExtKeyUsageServerAuth)
		if err := leaf(t, dir, pair).VerifyHostname(host); err != nil {
			t.Errorf("%s: %v", pair, err)
		}
	}
	f(APIServer, CA, "127.0.0.1")
	f(APIServer, CA, "kubernetes.default.svc")
	f(EtcdServer, EtcdCA, "127.0.0.1")
}

func TestKubeconfigs(t *testing.T) {
	dir := write(t)
	f := func(file, user string, groups ...string) {
		t.Helper()
		config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if config.Host != server {
			t.Errorf("%s points at %s, want %s", file, config.Host, server)
		}
		certs, err := cert.ParseCertsPEM(config.CertData)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, certs[0], pool(t, dir, CA), x509.ExtKeyUsageClientAuth)
		if subject := certs[0].Subject; subject.CommonName != user ||
			!slices.Equal(subject.Organization, groups) {
			t.Errorf("%s belongs to %v, want %s of %v", file, subject, user, groups)
		}
		if _, err := tls.X509KeyPair(config.CertData, config.KeyData); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	f(AdminConf, "devcluster-admin", "system:masters")
	f(KwokConf, "kwok", "system:masters")
	f(ControllerManagerConf, "system:kube-controller-manager")
	f(SchedulerConf, "system:kube-scheduler")
}

// A client of the API server has no access to etcd.
func TestEtcdTrustsItsOwnAuthorityAlone(t *testing.T) {
	dir := write(t)
	verify(t, leaf(t, dir, EtcdClient), pool(t, dir, EtcdCA), x509.ExtKeyUsageClientAuth)

	admin, err := clientcmd.BuildConfigFromFlags("", filepath.Join(dir, AdminConf))
	if err != nil {
		t.Fatal(err)
	}
	certs, err := cert.ParseCertsPEM(admin.CertData)
	if err != nil {
		t.Fatal(err)
	}
	options := x509.VerifyOptions{Roots: pool(t, dir, EtcdCA),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
	if _, err := certs[0].Verify(options); err == nil {
		t.Error("etcd's authority has signed a certificate of an API server client")
	}
}

func TestServiceAccountKey(t *testing.T) {
	dir := write(t)
	if _, err := keyutil.PrivateKeyFromFile(filepath.Join(dir, ServiceAccountKey)); err != nil {
		t.Error(err)
	}
	// The API server verifies tokens with the same file.
	if _, err := keyutil.PublicKeysFromFile(filepath.Join(dir, ServiceAccountKey)); err != nil {
		t.Error(err)
	}
}

func leaf(t *testing.T, dir, pair string) *x509.Certificate {
	t.Helper()
	p, err := tls.LoadX509KeyPair(filepath.Join(dir, Cert(pair)), filepath.Join(dir, Key(pair)))
	if err != nil {
		t.Fatal(err)
	}
	return p.Leaf
}

func pool(t *testing.T, dir, ca string) *x509.CertPool {
	t.Helper()
	p, err := cert.NewPool(filepath.Join(dir, ca))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func verify(t *testing.T, c *x509.Certificate, roots *x509.CertPool, usage x509.ExtKeyUsage) {
	t.Helper()
	if _, err := c.Verify(x509.VerifyOptions{Roots: roots,
		KeyUsages: []x509.ExtKeyUsage{usage}}); err != nil {
		t.Errorf("%s: %v", c.Subject.CommonName, err)
	}
}
