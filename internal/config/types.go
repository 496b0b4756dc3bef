package config

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/informer/event"
)

// APIVersion and Kind are what the fields apiVersion and kind must say. Those of a policy file are
// in policy.go. A file may also have another one of [APIVersions]; it is read into the same types,
// whose tags v1beta1 say what differs, and then has this APIVersion.
const (
	APIVersion = "informerd.dev/v1alpha1"
	Kind       = "Config"
)

// Config is a whole configuration, policy files included. Make one with Load or Parse.
type Config struct {
	// APIVersion is the version of the format.
	APIVersion string `json:"apiVersion" jsonschema:"required,enum=informerd.dev/v1alpha1" v1beta1:"apiVersion,enum=informerd.dev/v1beta1,form=v1beta1"`
	// Kind is what sort of file it is.
	Kind string `json:"kind" jsonschema:"required,enum=Config"`
	// Cluster is the API server that is watched, and its name.
	Cluster Cluster `json:"cluster,omitzero"`
	// HTTP is where informerd answers requests about itself. Default: nowhere.
	HTTP HTTP `json:"http,omitzero"`
	// Health is where informerd answers probes. Default: nowhere.
	Health Health `json:"health,omitzero"`
	// Shutdown is how long stopping may take.
	Shutdown Shutdown `json:"shutdown,omitzero"`
	// State is where informerd keeps what must outlast it. Default: nowhere.
	State State `json:"state,omitzero"`
	// LeaderElection lets several replicas run with the same configuration, of which one works at a
	// time. Default: there is one replica.
	LeaderElection *LeaderElection `json:"leaderElection,omitempty"`
	// Tracing sends traces of some events to a receiver of OpenTelemetry. Default: none.
	Tracing *Tracing `json:"tracing,omitempty"`
	// Informers are watched resources that listeners refer to by name. A listener can also bring
	// its own.
	Informers map[string]*Informer `json:"informers,omitempty" jsonschema:"propertyNames=dns-label"`
	// Listeners say what is done with which events. Those of policy files are among them, under the
	// policies' names. There must be one, here or by policies.
	Listeners map[string]*Listener `json:"listeners" jsonschema:"anyof_required=listeners,propertyNames=dns-label"`
	// Policies name files of rules; each file becomes a listener. Default: none.
	Policies []Policies `json:"policies,omitempty" jsonschema:"anyof_required=listeners,minItems=1" item:"entry"`
	// Outputs are where events go.
	Outputs map[string]*Output `json:"outputs" jsonschema:"required,minProperties=1,propertyNames=dns-label" item:"output"`
	// DeadLetters bound what is kept of events and messages that could not be delivered.
	DeadLetters DeadLetters `json:"deadLetters,omitzero"`

	source   document.Source
	warnings Errors
	policies []policySource // in the order of Policies, the files of one entry sorted by name
}

// Cluster says which API server is watched. Without kubeconfig it is, in this order: the cluster
// informerd runs in, the files that $KUBECONFIG names, ~/.kube/config.
type Cluster struct {
	// Name is the cluster's name in outputs.
	Name string `json:"name" jsonschema:"default=default,format=dns-label"`
	// Kubeconfig is the path of a kubeconfig file; a relative one counts from the folder of this
	// configuration, ~/ is the home folder. Variables are not expanded.
	Kubeconfig string `json:"kubeconfig,omitempty" jsonschema:"minLength=1"`
	// Context is the context to use of the kubeconfig. Default: its current context.
	Context string `json:"context,omitempty" jsonschema:"minLength=1"`
	// Compression says whether the API server is asked to compress its answers, which saves
	// bandwidth and costs CPU time at both ends. auto is off in the cluster that informerd runs in,
	// for a server on a loopback address, and if the kubeconfig says disable-compression; for
	// others it is on.
	Compression string `json:"compression" jsonschema:"default=auto,enum=auto,enum=on,enum=off"`
}

// The choices for compression.
const (
	CompressionAuto = "auto"
	CompressionOn   = "on"
	CompressionOff  = "off"
)

// HTTP is where informerd answers requests about itself: the status page, /metrics, /statusz,
// /violations and others. Without auth it answers everybody who can connect, so only the machine
// itself may connect.
type HTTP struct {
	// Address is the host and the port to listen on, where 0 is any free port. Without auth the
	// host is a loopback address or localhost; with it, no host is every address of the machine.
	Address string `json:"address" jsonschema:"required,format=http-address"`
	// Auth is who gets an answer. kubernetes: who has a bearer token that the API server knows, and
	// whose account may get the path, as a nonResourceURL of a ClusterRole. Default: everybody on
	// this machine.
	Auth string `json:"auth,omitempty" jsonschema:"enum=kubernetes"`
	// Audiences are those for which tokens must be issued, at least one of them. Default: those of
	// the API server.
	Audiences []string `json:"audiences,omitempty" jsonschema:"minItems=1,maxItems=16,uniqueItems" item:"audience"`
	// TLS is the certificate that clients are shown. Default: with auth one that informerd makes
	// when it starts, and signs itself; without auth connections are not encrypted.
	TLS *ServerTLS `json:"tls,omitempty"`
	// Hosts are further names by which clients reach informerd with auth, such as that of a
	// Service. IP addresses, localhost, the name of the machine and the names in the certificate
	// need not be listed. Requests for other names are refused.
	Hosts []string `json:"hosts,omitempty" jsonschema:"minItems=1,maxItems=64,uniqueItems,format=server-name" item:"host"`
	// Pprof adds the profiles of Go's runtime at /debug/pprof/, for developers of informerd.
	Pprof bool `json:"pprof,omitempty" jsonschema:"default=false"`
}

// AuthKubernetes has the API server say who may read what.
const AuthKubernetes = "kubernetes"

// ServerTLS is a certificate that clients are shown. Paths are relative to the folder of this
// configuration; the files are read again when they change.
type ServerTLS struct {
	// CertFile is the file of the certificate, as PEM, with intermediate ones.
	CertFile string `json:"certFile" jsonschema:"required,format=path"`
	// KeyFile is the file of its key, as PEM.
	KeyFile string `json:"keyFile" jsonschema:"required,format=path"`
}

// Health is where informerd answers probes, such as those of a kubelet: /livez is 200 as long as
// there is an answer, /readyz if all listeners get their events and no output has failed to
// take any for long. It answers everybody, and with nothing else: the reasons are at http.address
// and in the log.
type Health struct {
	// Address is the host and the port to listen on. Without a host it is every address of the
	// machine.
	Address string `json:"address" jsonschema:"required,format=address"`
}

// Shutdown is how long informerd may take to end after a SIGTERM. Both together should be less than
// the time after which it is killed: a pod's terminationGracePeriodSeconds, 30 by default.
type Shutdown struct {
	// Drain is how long listeners may take to finish the events that they have in their buffers.
	Drain metav1.Duration `json:"drain" jsonschema:"default=25s,minimum=0s,maximum=1h"`
	// Close is how long handlers and outputs may take to close after that.
	Close metav1.Duration `json:"close" jsonschema:"default=1s,minimum=100ms,maximum=10m"`
}

// State is where informerd keeps what must outlast it: dead letters, the checkpoints of listeners,
// the values of handlers whose grant kv says persist, the compiled code of handlers, so that
// informerd starts sooner, and the key of the digests of Secrets, so that they stay the same.
// Commands find a running informerd by the socket in it. One informerd uses it at a time.
type State struct {
	// Dir is the path of a folder; a relative path counts from the folder of this configuration. If
	// it does not exist it is created, for the user informerd runs as and nobody else.
	Dir string `json:"dir" jsonschema:"required,format=path" item:"a folder"`
	// OnDiskError is what happens if a checkpoint cannot be written any more while informerd runs.
	// stop: informerd stops with an error before it does what would come again. continue: it goes
	// on without the checkpoint, and says so; the next start goes on where the checkpoint ends, so
	// what was delivered since then comes again. A checkpoint that cannot be opened at the start is
	// an error in both cases.
	OnDiskError string `json:"onDiskError" jsonschema:"default=stop,enum=stop,enum=continue"`
}

// OnDiskError values.
const (
	DiskErrorStop     = "stop"
	DiskErrorContinue = "continue"
)

// LeaderElection is how replicas agree on the one that works, by a Lease of the API server. The
// others keep their caches warm and deliver nothing. The one that works writes how far its
// listeners are into a ConfigMap next to the Lease, named like it with -progress appended, so that
// another one can go on there. No listener gets a ConfigMap of that name. The one that works ends
// when it cannot renew the Lease in time.
type LeaderElection struct {
	// Namespace is that of the Lease. Default: the one of the pod that informerd runs in.
	Namespace string `json:"namespace,omitempty" jsonschema:"format=namespace"`
	// Name is that of the Lease. Replicas with the same name and namespace take turns.
	Name string `json:"name" jsonschema:"default=informerd,format=dns-label"`
	// LeaseDuration is after how long without a renewal another replica takes over, in whole
	// seconds.
	LeaseDuration metav1.Duration `json:"leaseDuration" jsonschema:"default=15s,minimum=1s,maximum=1h"`
	// RenewDeadline is how long the one that works tries to renew the Lease before it stops. It is
	// shorter than leaseDuration.
	RenewDeadline metav1.Duration `json:"renewDeadline" jsonschema:"default=10s,minimum=100ms,maximum=1h"`
	// RetryPeriod is twice the longest time between two tries to get or to renew the Lease. It is
	// shorter than renewDeadline.
	RetryPeriod metav1.Duration `json:"retryPeriod" jsonschema:"default=2s,minimum=50ms,maximum=1h"`
}

// Informer is one resource that is listed and watched, in one scope.
type Informer struct {
	// Resource is the name of the resource as discovery has it: pods, deployments.apps or
	// certificates.v1.cert-manager.io. Without a version it is the one the API server prefers; when
	// that version is no longer served, the informer moves to another one. A version that is named
	// is kept, by all informers of the resource: if one informer names it, the others do not move
	// either.
	Resource string `json:"resource" jsonschema:"required,format=resource"`
	// Namespaces limits the informer to these namespaces. Default: all.
	Namespaces []string `json:"namespaces,omitempty" jsonschema:"minItems=1,uniqueItems,format=namespace" item:"namespace"`
	// LabelSelector limits the informer to the objects it matches. Default: all.
	LabelSelector string `json:"labelSelector,omitempty" jsonschema:"format=label-selector"`
	// FieldSelector limits the informer to the objects it matches. Default: all.
	FieldSelector string `json:"fieldSelector,omitempty" jsonschema:"format=field-selector"`
	// Drop are paths of fields that are cut out of each object on arrival, on top of
	// metadata.managedFields.
	Drop []string `json:"drop,omitempty" jsonschema:"maxItems=100,format=drop" item:"path"`
	// Indexes are further ways to look objects up in the cache: name of the index to path of the
	// field. An index on the namespace is always there.
	Indexes map[string]string `json:"indexes,omitempty" jsonschema:"propertyNames=index-name,format=field-path"`
	// KeepManagedFields leaves metadata.managedFields in the objects.
	KeepManagedFields bool `json:"keepManagedFields,omitempty" jsonschema:"default=false"`
	// AllowSecrets must be true for an informer on secrets, so that nobody watches them unawares.
	// Values of a Secret are replaced by digests even so.
	AllowSecrets bool `json:"allowSecrets,omitempty" jsonschema:"default=false"`
}

// Listener is one stream of events: from an informer through a buffer, a filter and a handler to
// outputs. With rules it sends their transitions, and events only if it has a filter or a handler
// as well.
type Listener struct {
	// Name is the listener's key in Config.Listeners.
	Name string `json:"-"`
	// Policy is the path of the policy file that the listener comes from, empty if it is in the
	// configuration itself.
	Policy string `json:"-"`
	// Description is the policy's, empty for others.
	Description string `json:"-"`
	// InformerRef is the name of an informer, or an informer in full.
	InformerRef InformerRef `json:"informer" jsonschema:"required"`
	// On are the events the listener wants. Default: add, update, delete, and resync if a period is
	// set.
	On []event.Op `json:"on" jsonschema:"minItems=1,uniqueItems" item:"event"`
	// Resync is the period after which every object is delivered again, as a resync event.
	Resync metav1.Duration `json:"resync,omitzero" jsonschema:"default=0s,zero=never,minimum=1s"`
	// Buffer is the queue in front of the listener.
	Buffer Buffer `json:"buffer,omitzero"`
	// Select is an expression about the object alone. It says which objects the listener is about:
	// an update that makes it true becomes an add, one that makes it false a delete, and rules only
	// look at these objects. Default: none, all objects.
	Select Expression `json:"select,omitzero" jsonschema:"minLength=1"`
	// Filter is an expression; events for which it is false go no further. Default: none, all
	// events pass.
	Filter Expression `json:"filter,omitzero" jsonschema:"minLength=1"`
	// Rules describe unwanted states of the objects. on and filter do not apply to them. Default:
	// none.
	Rules []Rule `json:"rules,omitempty" jsonschema:"minItems=1" item:"rule"`
	// Handler is a WASM module that gets the events that pass the filter. Default: none.
	Handler *Handler `json:"handler,omitempty"`
	// Workers is how many events are processed at the same time; events of one object never are.
	Workers int `json:"workers" jsonschema:"default=1,minimum=1,maximum=64"`
	// Retry is how often and how fast a handler and an output are tried again.
	Retry Retry `json:"retry,omitzero"`
	// Checkpoint has the listener go on after a restart where it was: it gets what happened in
	// between, deletes included, and nothing that it had before. What it has finished, what its
	// outputs have not taken, and what its rules know is kept in state.dir.
	Checkpoint bool `json:"checkpoint" jsonschema:"default=false"`
	// Outputs are the names of the outputs that get the listener's events.
	Outputs []string `json:"outputs" jsonschema:"required,minItems=1,uniqueItems" item:"output"`

	informer   *Informer
	informers  map[string]*Informer
	replicated bool // there may be several replicas
}

// GoesOn reports whether the listener goes on where it was when another process takes its place.
func (l *Listener) GoesOn() bool { return l.Checkpoint || l.replicated }

// Buffer is the queue in front of a listener.
type Buffer struct {
	// Capacity is how many events may wait.
	Capacity int `json:"capacity" jsonschema:"default=1024,minimum=1,maximum=1000000"`
	// Overflow is what happens when the buffer is full. latest: the object is marked and delivered
	// later, once, in its current state. block: the informer waits, and with it its other
	// listeners. drop: the event is given up and counted. spill: the event is written to a file;
	// when that is full, or the disk too slow, as latest.
	Overflow string `json:"overflow" jsonschema:"default=latest,enum=latest,enum=block,enum=drop,enum=spill"`
	// Spill bounds the file of overflow spill.
	Spill *Spill `json:"spill,omitempty"`
}

// The overflow policies.
const (
	OverflowLatest = "latest"
	OverflowBlock  = "block"
	OverflowDrop   = "drop"
	OverflowSpill  = "spill"
)

// Spill is the file a full buffer writes to. It has no name, and is gone when informerd ends in any
// way.
type Spill struct {
	// Dir is the folder of the file; a relative one counts from the folder of this configuration.
	// Default: the system's folder for temporary files, or state.dir where nothing can be written
	// to that.
	Dir string `json:"dir,omitempty" jsonschema:"format=path" item:"a folder"`
	// Bytes is how long the file may become.
	Bytes Bytes `json:"bytes" jsonschema:"default=256Mi,minimum=1Mi,maximum=1Ti"`
}

// Handler is a sandboxed WASM module.
type Handler struct {
	// Wasm is the path of the module; a relative one counts from the folder of this configuration.
	Wasm string `json:"wasm" jsonschema:"required,format=module" item:"the module"`
	// SHA256 is the digest the module must have. Default: any.
	SHA256 string `json:"sha256,omitempty" jsonschema:"format=sha256" v1beta1:"digest,format=digest,form=digest"`
	// Config is handed to the module as JSON. Default: nothing.
	Config json.RawMessage `json:"config,omitempty"`
	// Batch is the most events that the module gets at once, if it takes several (on_batch, or a
	// WASI command): those that wait when it is free. Others get one.
	Batch int `json:"batch" jsonschema:"default=64,minimum=1,maximum=1000"`
	// PauseAfter is how many crashes in a row make the listener pause: for 1s, and then twice as
	// long each time, up to 1m, until an event is handled without a crash. Its events wait in the
	// buffer. 0 is never.
	PauseAfter int `json:"pauseAfter" jsonschema:"default=5,minimum=0,maximum=1000"`
	// Limits bound what the module may use.
	Limits Limits `json:"limits,omitzero"`
	// Grants are the rights the module gets beyond reading its event and its config. Default: none.
	Grants Grants `json:"grants,omitzero"`
}

// Limits bound one instance of a handler's module.
type Limits struct {
	// Memory is the most memory it may have.
	Memory Bytes `json:"memory" jsonschema:"default=16Mi,minimum=64Ki,maximum=4Gi"`
	// Deadline is the longest one call may take.
	Deadline metav1.Duration `json:"deadline" jsonschema:"default=100ms,minimum=1ms,maximum=1m"`
	// Fuel is how many instructions it may execute for one event; 0 means that the deadline alone
	// bounds it. A budget has the same effect on every machine, busy or not.
	Fuel int `json:"fuel,omitempty" jsonschema:"default=0,minimum=0,maximum=2000000000"`
	// Recycle is after how many events an instance is replaced by a fresh one, so that a leak does
	// not end in a crash; -1 means never, and 0 the default. An instance whose memory has grown to
	// three quarters of its limit is replaced as well, unless the last one was started a short time
	// ago: starts take at most a twentieth of a core.
	Recycle int `json:"recycle" jsonschema:"default=1000000,minimum=-1,maximum=2000000000"`
	// Module is the most bytes that its file may have.
	Module Bytes `json:"module" jsonschema:"default=32Mi,minimum=1Ki,maximum=64Mi"`
	// Load bounds what compiling it may take.
	Load LoadLimits `json:"load,omitzero"`
}

// LoadLimits bound what compiling a handler's module may take. A module that takes more is refused.
type LoadLimits struct {
	// Time is CPU time; on the clock, compiling may take ten times that.
	Time metav1.Duration `json:"time" jsonschema:"default=1m,minimum=100ms,maximum=1h"`
	// Memory is the most memory for the process that compiles it, and for the module itself while
	// it is compiled.
	Memory Bytes `json:"memory" jsonschema:"default=1Gi,minimum=64Mi,maximum=16Gi"`
}

// Retry says how a handler that crashed and an output that is away are tried again. The pause
// doubles from minBackoff to maxBackoff, and is shortened at random.
type Retry struct {
	// Attempts is how often the handler is tried on one event in all, if it crashes or asks for a
	// retry. Then the event is a dead letter. An output that is away uses up no attempts.
	Attempts int `json:"attempts" jsonschema:"default=5,minimum=1,maximum=1000"`
	// GiveUpAfter is how long an output is tried with one message. Then the message is a dead
	// letter.
	GiveUpAfter metav1.Duration `json:"giveUpAfter,omitzero" jsonschema:"default=0s,zero=never,minimum=1s"`
	// MinBackoff is the first pause.
	MinBackoff metav1.Duration `json:"minBackoff" jsonschema:"default=1s,minimum=1ms,maximum=1h"`
	// MaxBackoff is the longest pause, not less than minBackoff.
	MaxBackoff metav1.Duration `json:"maxBackoff" jsonschema:"default=1m,minimum=1ms,maximum=1h"`
}
