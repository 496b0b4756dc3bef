package config

import (
	"net"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/outbound"
)

// APIVersion and Kind are what the fields apiVersion and kind must say. Those of a policy file are
// in policy.go.
const (
	APIVersion = "informerd.dev/v1alpha1"
	Kind       = "Config"
)

// Config is a whole configuration, policy files included. Make one with Load or Parse.
type Config struct {
	// APIVersion is the version of the format.
	APIVersion string `json:"apiVersion" jsonschema:"required,enum=informerd.dev/v1alpha1"`
	// Kind is what sort of file it is.
	Kind string `json:"kind" jsonschema:"required,enum=Config"`
	// Cluster is the API server that is watched, and its name.
	Cluster Cluster `json:"cluster,omitzero"`
	// Clusters are those that listeners watch, by name. cluster is then the one that informerd belongs
	// to, with its Leases and the Secrets of clustersFrom, and is not watched itself. Default: cluster
	// is watched.
	Clusters map[string]*Member `json:"clusters,omitempty" jsonschema:"minProperties=1,propertyNames=dns-label" item:"cluster"`
	// ClustersFrom are where there are more of them, which come and go while informerd runs.
	// Default: nowhere.
	ClustersFrom []ClustersFrom `json:"clustersFrom,omitempty" jsonschema:"minItems=1" item:"entry"`
	// HTTP is where informerd answers requests about itself. Default: nowhere.
	HTTP HTTP `json:"http,omitzero"`
	// Health is where informerd answers probes. Default: nowhere.
	Health Health `json:"health,omitzero"`
	// Shutdown is how long stopping may take.
	Shutdown Shutdown `json:"shutdown,omitzero"`
	// State is where informerd keeps what must outlast it. Default: nowhere.
	State State `json:"state,omitzero"`
	// LeaderElection lets several replicas run, of which one works at a time. Default: one replica.
	LeaderElection *LeaderElection `json:"leaderElection,omitempty"`
	// Sharding has replicas share the objects, so that all of them work. It needs leaderElection.
	// Default: one replica works at a time.
	Sharding *Sharding `json:"sharding,omitempty"`
	// Tracing sends traces of some events to a receiver of OpenTelemetry. Default: none.
	Tracing *Tracing `json:"tracing,omitempty"`
	// Informers are watched resources that listeners refer to by name.
	Informers map[string]*Informer `json:"informers,omitempty" jsonschema:"propertyNames=dns-label"`
	// Listeners say what is done with which events. There must be one, here or by policies.
	Listeners map[string]*Listener `json:"listeners" jsonschema:"anyof_required=listeners,propertyNames=dns-label"`
	// Policies name files of rules; each file becomes a listener of its name. Default: none.
	Policies []Policies `json:"policies,omitempty" jsonschema:"anyof_required=listeners,minItems=1" item:"entry"`
	// Outputs are where events go.
	Outputs map[string]*Output `json:"outputs" jsonschema:"required,minProperties=1,propertyNames=dns-label" item:"output"`
	// DeadLetters bound what is kept of events and messages that could not be delivered.
	DeadLetters DeadLetters `json:"deadLetters,omitzero"`

	source   document.Source
	warnings Errors
	policies []*policyFile // in the order of Policies, the files of one entry sorted by name
}

// Cluster says which API server is watched. Without kubeconfig it is, in this order: the cluster
// informerd runs in, the files that $KUBECONFIG names, ~/.kube/config.
type Cluster struct {
	// Name is the cluster's name in outputs.
	Name string `json:"name" jsonschema:"default=default,format=dns-label"`
	// Kubeconfig is the path of a kubeconfig file, relative to the folder of this configuration.
	Kubeconfig string `json:"kubeconfig,omitempty" jsonschema:"minLength=1"`
	// Context is the context to use of the kubeconfig. Default: its current context.
	Context string `json:"context,omitempty" jsonschema:"minLength=1"`
	// Compression says whether answers of the API server are compressed. auto: unless it is near,
	// in the same cluster or on a loopback address.
	Compression string `json:"compression" jsonschema:"default=auto,enum=auto,enum=on,enum=off"`
}

// HTTP is where informerd answers requests about itself: the status page, /metrics, /statusz,
// /violations and others. Without auth only the machine itself may connect.
type HTTP struct {
	// Address is the host and the port to listen on, where 0 is any free port. Without auth the
	// host is a loopback address or localhost.
	Address string `json:"address" jsonschema:"required,format=http-address"`
	// Auth is who gets an answer. kubernetes: who has a bearer token of an account that may get
	// the path as a nonResourceURL. Default: everybody on this machine.
	Auth string `json:"auth,omitempty" jsonschema:"enum=kubernetes"`
	// Audiences are those of which a token needs one. Default: those of the API server.
	Audiences []string `json:"audiences,omitempty" jsonschema:"minItems=1,maxItems=16,uniqueItems" item:"audience"`
	// TLS is the certificate that clients are shown. Default: with auth one that informerd makes
	// and signs itself; without auth connections are not encrypted.
	TLS *ServerTLS `json:"tls,omitempty"`
	// Hosts are further names by which clients reach informerd with auth, such as that of a
	// Service. Requests for other names than these, the machine's and the certificate's are refused.
	Hosts []string `json:"hosts,omitempty" jsonschema:"minItems=1,maxItems=64,uniqueItems,format=server-name" item:"host"`
	// Pprof adds the profiles of Go's runtime at /debug/pprof/.
	Pprof bool `json:"pprof,omitempty" jsonschema:"default=false"`
}

// AuthKubernetes has the API server say who may read what.
const AuthKubernetes = "kubernetes"

// ServerTLS is a certificate that clients are shown. The files are read again when they change.
type ServerTLS struct {
	// CertFile is the file of the certificate, as PEM, with intermediate ones.
	CertFile string `json:"certFile" jsonschema:"required,format=path"`
	// KeyFile is the file of its key, as PEM.
	KeyFile string `json:"keyFile" jsonschema:"required,format=path"`
}

// Health is where informerd answers probes: /livez as long as it runs, /readyz if all listeners get
// their events and no output has been failing for long.
type Health struct {
	// Address is the host and the port to listen on. Without a host it is every address of the
	// machine.
	Address string `json:"address" jsonschema:"required,format=address"`
}

// Shutdown is how long informerd may take to end after a SIGTERM. Both together should be less than
// a pod's terminationGracePeriodSeconds, 30 by default.
type Shutdown struct {
	// Drain is how long listeners may take to finish the events in their buffers.
	Drain metav1.Duration `json:"drain" jsonschema:"default=25s,minimum=0s,maximum=1h"`
	// Close is how long handlers and outputs may take to close after that.
	Close metav1.Duration `json:"close" jsonschema:"default=1s,minimum=100ms,maximum=10m"`
}

// State is where informerd keeps what must outlast it: dead letters, checkpoints, values and
// compiled code of handlers, and the socket by which commands find it.
type State struct {
	// Dir is the path of a folder, which is created if it does not exist. One informerd uses it at
	// a time.
	Dir string `json:"dir" jsonschema:"required,format=path" item:"a folder"`
	// OnDiskError is what happens if a checkpoint cannot be written any more. stop: informerd ends
	// with an error. continue: it goes on, and the next start repeats what was delivered since then.
	OnDiskError string `json:"onDiskError" jsonschema:"default=stop,enum=stop,enum=continue"`
	// NATS is where replicas have in common what each would have in its folder: values of handlers
	// with persist, dead letters and the key of the digests of Secrets. Default: nowhere.
	NATS *SharedState `json:"nats,omitempty"`
}

// SharedState is a NATS with JetStream, in which informerd makes a bucket and a stream. Let its servers
// sync each write (jetstream: {sync_interval: always}).
type SharedState struct {
	// URL is that of one of the servers, or of several, with commas between them.
	URL string `json:"url" jsonschema:"required,writeOnly,minLength=1"`
	// Credentials is a credentials file as nsc makes it, read again when it changes. Default: none.
	Credentials *Secret `json:"credentials,omitempty"`
	// TLS says whom the connection trusts, and how informerd identifies itself. Default: as the
	// server asks for.
	TLS *TLS `json:"tls,omitempty"`
	// Bucket is the name of the bucket, and with -letters appended that of the stream of dead letters.
	Bucket string `json:"bucket" jsonschema:"default=informerd,format=dns-label"`
	// Replicas is on how many servers each write is.
	Replicas int `json:"replicas" jsonschema:"default=3,minimum=1,maximum=5"`
}

// LeaderElection is how replicas agree on the one that works, by a Lease of the API server. The
// others keep their caches warm and deliver nothing.
type LeaderElection struct {
	// Namespace is that of the Lease. Default: the one of the pod that informerd runs in.
	Namespace string `json:"namespace,omitempty" jsonschema:"format=namespace"`
	// Name is that of the Lease, and with -progress appended that of the ConfigMap with which
	// another replica goes on.
	Name string `json:"name" jsonschema:"default=informerd,format=dns-label"`
	// LeaseDuration is after how long without a renewal another replica takes over, in whole
	// seconds.
	LeaseDuration metav1.Duration `json:"leaseDuration" jsonschema:"default=15s,minimum=1s,maximum=1h"`
	// RenewDeadline is how long the leader tries to renew the Lease before it stops, shorter than
	// leaseDuration.
	RenewDeadline metav1.Duration `json:"renewDeadline" jsonschema:"default=10s,minimum=100ms,maximum=1h"`
	// RetryPeriod is twice the longest time between two tries, shorter than renewDeadline.
	RetryPeriod metav1.Duration `json:"retryPeriod" jsonschema:"default=2s,minimum=50ms,maximum=1h"`
}

// Sharding divides the objects that listeners get into shards. Each replica works on some of them,
// and others take those over when it ends. Objects that are looked up are in every replica.
type Sharding struct {
	// Shards is how many there are: more than there will be replicas, so that work can be spread
	// evenly. All replicas have the same number; stop all of them to change it.
	Shards int `json:"shards" jsonschema:"default=16,minimum=2,maximum=256"`
	// By is what decides which shard an object is in. namespace: its namespace, or the name of one
	// that is in none. object: its UID, so that API servers can choose what they send; but an
	// object and another one of its name that comes after it may be in two shards, and nothing is
	// in order between them.
	By string `json:"by" jsonschema:"default=namespace,enum=namespace,enum=object"`
}

// Tracing sends traces of some events to a receiver of OpenTelemetry: what filter, handler and
// outputs do with them, and how long that takes. What the receiver does not take is dropped.
type Tracing struct {
	// URL is that of the receiver, for OTLP over HTTP; /v1/traces is added to it.
	URL Value `json:"url" jsonschema:"required,format=http-url"`
	// Every is how many states of objects there are for one that is traced; 1 traces all.
	Every int `json:"every" jsonschema:"default=1000,minimum=1,maximum=1000000000"`
	// Timeout is the longest one request may take.
	Timeout metav1.Duration `json:"timeout" jsonschema:"default=10s,minimum=10ms,maximum=10m"`
	// Headers go with every request. Their values are read again when they change. Default: none.
	Headers map[string]Value `json:"headers,omitempty" jsonschema:"maxProperties=64,propertyNames=header-name" item:"header"`
	// TLS says whom the connection trusts, and how informerd identifies itself.
	TLS *TLS `json:"tls,omitempty"`
}

// ForDryRun changes the configuration to one that leaves nothing behind and takes nothing that a
// running informerd may have: it keeps no state, takes part in no election, answers no requests and
// sends no traces.
func (c *Config) ForDryRun() {
	c.State, c.LeaderElection, c.Sharding, c.Tracing = State{}, nil, nil, nil
	c.HTTP, c.Health = HTTP{}, Health{}
	for _, l := range c.Listeners {
		l.Checkpoint, l.replicated = false, false
	}
}

// check fills in defaults and reports what is wrong in values of the right types, by the tags of
// their fields and by what no tag can say. It does not repeat what the decoder has reported. It
// returns the informers, of which several may share a cache.
func check(c *Config, r *document.Report) []placedInformer {
	r.Check(c, "")
	if r.Good("listeners") && len(c.Listeners) == 0 && !r.Has("policies") &&
		!r.Broken("listeners") {
		r.BadField("listeners", "listeners must have at least one listener or policy")
	}
	for i, entry := range c.Policies {
		if path := document.Item("policies", i); r.Good(path) {
			checkOutputNames(c, entry.Outputs, path, r)
			checkUses(c, nil, entry.Outputs, path, r)
			checkCheckpoint(c, entry.Checkpoint, path, r)
		}
	}
	var informers []placedInformer
	for name, informer := range document.Sorted(c.Informers) {
		path := document.Join("informers", name)
		if informer != nil && r.Good(path) {
			checkInformer(informer, path, r)
			informers = append(informers, placedInformer{path, r, informer})
		}
	}
	for name, output := range document.Sorted(c.Outputs) {
		if output != nil && r.Good(document.Join("outputs", name)) {
			output.Name = name
			checkOutput(output, document.Join("outputs", name), r)
		}
	}
	if r.Good("http") {
		checkHTTP(&c.HTTP, r)
	}
	if c.LeaderElection != nil && r.Good("leaderElection") {
		checkElection(c.LeaderElection, r)
	}
	if c.Sharding != nil && r.Good("sharding") && c.LeaderElection == nil && r.Missing("", "leaderElection") {
		r.BadField("sharding", "sharding needs leaderElection, by which replicas agree on who works on what")
	}
	if n := c.State.NATS; n != nil && r.Good("state.nats") {
		checkSharedState(c, n, r)
	}
	checkClusters(c, r)
	if t := c.Tracing; t != nil && r.Good("tracing") {
		checkURL(t.URL, "tracing.url", r)
		checkHeaders(t.Headers, "tracing.headers", r)
		checkURLTLS(t.URL, t.TLS, "tracing", r)
	}
	checkFiles(c, r)
	warnDeadLetters(c, r)
	for name, listener := range document.Sorted(c.Listeners) {
		path := document.Join("listeners", name)
		if listener != nil && r.Good(path) {
			listener.Name = name
			checkListener(c, listener, path, r)
			if inline := listener.InformerRef.Inline; inline != nil {
				informers = append(informers,
					placedInformer{document.Join(path, "informer"), r, inline})
			}
		}
	}
	return informers
}

func checkHTTP(h *HTTP, r *document.Report) {
	const address = "http.address"
	if h.Auth != "" || r.Failed("http.auth") {
		return
	}
	for _, field := range []string{"http.audiences", "http.hosts"} {
		if r.Good(field) {
			r.BadField(field, "%s has no effect without http.auth", field)
		}
	}
	if host, _, err := net.SplitHostPort(h.Address); err == nil && r.Good(address) &&
		!outbound.Loopback(host) {
		r.BadValue(address, "%s must be a loopback address unless http.auth is kubernetes, is %s",
			address, document.Quote(h.Address))
	}
}

func checkSharedState(c *Config, n *SharedState, r *document.Report) {
	const field = "state.nats"
	if c.Sharding == nil && r.Missing("", "sharding") {
		r.BadField(field, "%s is what replicas have in common of shards, and needs sharding", field)
	}
	for server := range strings.SplitSeq(n.URL, ",") {
		if problem := checkNATSURL(server, field+".url"); r.Good(field+".url") && problem != "" {
			r.BadValue(field+".url", "%s.url%s", field, problem)
		}
	}
	checkTLS(n.TLS, field+".tls", r)
}

func checkElection(e *LeaderElection, r *document.Report) {
	const field = "leaderElection.leaseDuration"
	if r.Good(field) && e.LeaseDuration.Duration%time.Second != 0 {
		r.BadValue(field, "%s must be whole seconds, is %v", field, e.LeaseDuration.Duration)
	}
	checkShorter("renewDeadline", e.RenewDeadline.Duration, "leaseDuration",
		e.LeaseDuration.Duration, r)
	checkShorter("retryPeriod", e.RetryPeriod.Duration, "renewDeadline",
		e.RenewDeadline.Duration, r)
}

// checkShorter checks that a duration is shorter than another one, also if one of them
// is a default.
func checkShorter(name string, is time.Duration, limitName string, limit time.Duration,
	r *document.Report) {
	field, limitField := "leaderElection."+name, "leaderElection."+limitName
	if is < limit || r.Failed(field) || r.Failed(limitField) {
		return
	}
	if !r.Has(field) {
		field = limitField
	}
	r.BadValue(field, "%s must be shorter than %s: they are %s and %s", name, limitName,
		document.Short(is), document.Short(limit))
}
