package cluster

import (
	"fmt"
	"net"
	"strconv"

	"github.com/informerd/informerd/dev/cluster/internal/pki"
	"github.com/informerd/informerd/dev/cluster/internal/process"
)

// ComponentCommand is the hidden first argument that makes the program run one of its components.
const ComponentCommand = "component"

// Names of the components.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	kwok              = "kwok"
)

// component is one process of the cluster: how to start, probe and stop it.
type component struct {
	name    string
	path    string // of the program; empty for this program itself
	args    []string
	env     []string
	address string // its URL
	health  string // path below address that returns 200 once the component is ready
	access  access
}

// components returns the components of the settings, in the order of starting.
func components(l layout, s settings) []component {
	all := []component{etcdComponent(l, s), apiServerComponent(l, s)}
	if s.Controllers {
		all = append(all, controllerManagerComponent(l, s), schedulerComponent(l, s),
			kwokComponent(l, s))
	}
	return all
}

// spec returns the component in the form that package process starts. self is the path of this
// program.
func (c component) spec(l layout, self string) process.Spec {
	spec := process.Spec{Cluster: l.dir, Name: c.name, Path: c.path, Args: c.args, Env: c.env,
		Log: l.log(c.name)}
	if c.path == "" {
		spec.Path = self
		spec.Args = append([]string{ComponentCommand, c.name}, c.args...)
	}
	return spec
}

func etcdComponent(l layout, s settings) component {
	return component{
		name:    etcd,
		address: address("https", s.Ports.Etcd),
		health:  "/health",
		access:  etcdAccess,
		args: []string{
			"--data-dir=" + l.etcd(),
			"--listen-client-urls=" + address("https", s.Ports.Etcd),
			"--cert-file=" + l.pkiFile(pki.Cert(pki.EtcdServer)),
			"--key-file=" + l.pkiFile(pki.Key(pki.EtcdServer)),
			"--trusted-ca-file=" + l.pkiFile(pki.EtcdCA),
		},
	}
}

func apiServerComponent(l layout, s settings) component {
	args := append(servingFlags(l, s.Ports.APIServer),
		"--etcd-servers="+address("https", s.Ports.Etcd),
		"--etcd-cafile="+l.pkiFile(pki.EtcdCA),
		"--etcd-certfile="+l.pkiFile(pki.Cert(pki.EtcdClient)),
		"--etcd-keyfile="+l.pkiFile(pki.Key(pki.EtcdClient)),
		"--client-ca-file="+l.pkiFile(pki.CA),
		"--anonymous-auth=false",
		"--authorization-mode=RBAC",
		"--allow-privileged=true",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file="+l.pkiFile(pki.ServiceAccountKey),
		"--service-account-signing-key-file="+l.pkiFile(pki.ServiceAccountKey),
		"--service-cluster-ip-range=10.96.0.0/16",
		// The endpoints of the service "kubernetes" must not be loopback addresses, and there are
		// no others, so that service has no endpoints.
		"--advertise-address="+loopback,
		"--endpoint-reconciler-type=none",
		// Otherwise open watches delay the API server's exit until it is killed.
		"--shutdown-watch-termination-grace-period=1s",
	)
	if !s.Controllers {
		// Nothing creates the service accounts that this plugin requires for every pod.
		args = append(args, "--disable-admission-plugins=ServiceAccount")
	}
	if s.FeatureGates != "" {
		args = append(args, "--feature-gates="+s.FeatureGates)
	}
	return component{
		name:    apiServer,
		address: address("https", s.Ports.APIServer),
		health:  "/readyz",
		access:  adminAccess,
		args:    args,
	}
}

func controllerManagerComponent(l layout, s settings) component {
	args := append(servingFlags(l, s.Ports.ControllerManager),
		clientFlags(l, pki.ControllerManagerConf)...)
	return component{
		name:    controllerManager,
		address: address("https", s.Ports.ControllerManager),
		health:  "/healthz",
		access:  adminAccess,
		args: append(args,
			// each controller with its own RBAC role, as in a real cluster
			"--use-service-account-credentials=true",
			"--service-account-private-key-file="+l.pkiFile(pki.ServiceAccountKey),
			"--root-ca-file="+l.pkiFile(pki.CA),
		),
	}
}

func schedulerComponent(l layout, s settings) component {
	return component{
		name:    scheduler,
		address: address("https", s.Ports.Scheduler),
		health:  "/readyz",
		access:  adminAccess,
		args:    append(servingFlags(l, s.Ports.Scheduler), clientFlags(l, pki.SchedulerConf)...),
	}
}

func kwokComponent(l layout, s settings) component {
	return component{
		name:    kwok,
		path:    s.Kwok,
		address: address("http", s.Ports.Kwok),
		health:  "/healthz",
		access:  openAccess,
		// Otherwise kwok would also read the user's configuration from the home directory.
		env: []string{"KWOK_WORKDIR=" + l.dir},
		args: []string{
			"--kubeconfig=" + l.pkiFile(pki.KwokConf),
			"--config=" + l.kwokConfig(),
			"--manage-all-nodes=true",
			"--node-lease-duration-seconds=40",
			"--server-address=" + hostPort(s.Ports.Kwok),
		},
	}
}

// servingFlags are the flags with which Kubernetes components serve HTTPS on loopback.
func servingFlags(l layout, port int) []string {
	return []string{
		"--bind-address=" + loopback,
		"--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + l.pkiFile(pki.Cert(pki.APIServer)),
		"--tls-private-key-file=" + l.pkiFile(pki.Key(pki.APIServer)),
		"--cert-dir=" + l.pki(), // the default is a system directory
	}
}

// clientFlags are the flags with which the controller manager and the scheduler reach the API
// server.
func clientFlags(l layout, kubeconfig string) []string {
	file := l.pkiFile(kubeconfig)
	return []string{
		"--kubeconfig=" + file,
		"--authentication-kubeconfig=" + file,
		"--authorization-kubeconfig=" + file,
		// With the defaults (20 and 50 requests a second) a load test would measure these limits.
		"--kube-api-qps=1000",
		"--kube-api-burst=2000",
		// There is one of each. Without a lease to lose, they survive a restart of the API server.
		"--leader-elect=false",
	}
}

func hostPort(port int) string { return net.JoinHostPort(loopback, strconv.Itoa(port)) }

func address(scheme string, port int) string {
	return fmt.Sprintf("%s://%s", scheme, hostPort(port))
}
