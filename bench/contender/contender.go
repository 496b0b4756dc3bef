package contender

import (
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informerd/informerd/bench/apiserver"
	"github.com/informerd/informerd/bench/measure"
	"github.com/informerd/informerd/bench/objects"
)

// Contender is one of the compared programs or libraries.
type Contender interface {
	// Start begins to list and watch, in goroutines or a separate process, and returns the process
	// that does the work. It must be stopped.
	Start(ctx context.Context, t *Tally) (measure.Process, error)
	// Stop ends it and waits for it. The error is what ended it before, if anything did.
	Stop() error
}

// Setup is the configuration of a contender.
type Setup struct {
	Kubeconfig string
	Kind       *objects.Kind
	Objects    int // in the list; for a contender that does not parse it
	// Filter is an expression; Filters has one for each kind.
	Filter string
	// Others is the number of listeners besides the first, with the filter OthersFilter, in which
	// {n} is the listener's number. Core and listeners only; those of listeners match everything.
	Others       int
	OthersFilter string
	// Informers is the number of parts of the collection, each of which has its own informer; 0 is
	// one informer for all. Drop and core only.
	Informers int
	// ColdAfter is that of informer.Factory, if it is not 0. Core only.
	ColdAfter time.Duration
	// Checkpoint is the folder of a checkpoint, "" for none. Listeners only.
	Checkpoint string
	// Program is the path of informerd or shell-operator, and Dir a folder for its configuration.
	// For those two only.
	Program, Dir string
}

// selectors are the label selectors of the informers.
func (s Setup) selectors() []string {
	if s.Informers == 0 {
		return []string{""}
	}
	var all []string
	for i := range s.Informers {
		all = append(all, apiserver.PartSelector(i, s.Informers))
	}
	return all
}

// Filters are the expressions that the contenders evaluate for each object, by the kind's ID: two
// fields each. The listener that counts evaluates its filter behind its buffer.
var Filters = map[string]string{
	"pods":               failedOnANode,
	"many-workload-pods": failedOnANode,
	"job-pods":           failedOnANode,
	"shared-label-pods":  failedOnANode,
	"widgets":            failedOnANode,
	"mixed":              failedOnANode,
	"configmaps":         `object.metadata.uid startsWith "a" && object.data.leader startsWith "{"`,
	"unlike-configmaps":  `object.data.owner == "batch" && object.data.title != ""`,
	"nodes":              `object.status.nodeInfo.kubeletVersion startsWith "v1.36." && object.spec.podCIDR startsWith "10.7"`,
	"events":             `object.type == "Warning" && object.involvedObject.name contains "-api-"`,
	"leases":             `object.spec.leaseDurationSeconds == 40 && object.spec.holderIdentity startsWith "ip-10-0-1"`,
	"endpointslices":     `object.addressType == "IPv4" && object.endpoints[0].zone == "eu-west-1a"`,
	"secrets":            `object.type == "Opaque" && object.metadata.annotations["cert-manager.io/common-name"] startsWith "c"`,
}

const failedOnANode = `object.status.phase == "Failed" && object.spec.nodeName startsWith "ip-"`

// Filters of further listeners, which no event of the benchmark matches. NoMatch is decided by a
// name in an object's header; NoMatchCostly by that of a pod, although it also reads the items of a
// list; and NoMatchFields by fields that all of them read.
const (
	NoMatch       = `object.metadata.namespace == "no-such" && object.status.phase == "Failed"`
	NoMatchCostly = `object.metadata.name startsWith "never-{n}" && any(object.spec.containers, .name == "x{n}")`
	NoMatchFields = `object.status.phase == "None-{n}" || any(object.spec.containers, .name == "x{n}")`
)

// The contenders' names.
const (
	Drop          = "drop"
	Dynamic       = "dynamic"
	DynamicLean   = "dynamic+transform"
	TypedJSON     = "typed-json"
	TypedProtobuf = "typed-protobuf"
	Core          = "core"
	Daemon        = "daemon"
	ShellOperator = "shell-operator"
	// Listeners is compared with itself, with a checkpoint and without one.
	Listeners = "listeners"
)

// Names are the contenders that are compared with each other, in the order of the tables.
var Names = []string{Drop, Dynamic, DynamicLean, TypedJSON, TypedProtobuf, Core, Daemon,
	ShellOperator}

// Supports reports whether a contender can work on a kind.
func Supports(name string, kind *objects.Kind) bool {
	podsOnly := name == TypedJSON || name == TypedProtobuf || name == ShellOperator
	known := name == Listeners || slices.Contains(Names, name)
	return known && (!podsOnly || kind.Resource == objects.Pods.Resource)
}

// InProcess reports whether a contender works in the process that starts it, where it can report
// each object. Others report matches only.
func InProcess(name string) bool { return name != Daemon && name != ShellOperator }

// New returns a contender.
func New(name string, s Setup) (Contender, error) {
	if s.Kind == nil || !Supports(name, s.Kind) {
		return nil, fmt.Errorf("contender %q: unknown, or not for this kind of object", name)
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("contender %q: %w", name, err)
	}
	cfg.QPS = -1
	cfg.UserAgent = "informerbench"
	var c Contender
	switch name {
	case Drop:
		c, err = newDrop(cfg, s)
	case Dynamic, DynamicLean:
		c, err = newDynamic(cfg, s, name == DynamicLean)
	case TypedJSON, TypedProtobuf:
		c, err = newTyped(cfg, name == TypedProtobuf)
	case Core:
		c, err = newCore(cfg, s)
	case Listeners:
		c, err = newListeners(cfg, s)
	case Daemon:
		c = newDaemon(s)
	case ShellOperator:
		c = newShellOperator(s)
	}
	if err != nil {
		return nil, fmt.Errorf("contender %q: %w", name, err)
	}
	return c, nil
}

// running is the goroutines of a contender in this process.
type running struct {
	cancel context.CancelFunc
	done   chan error
}

// start runs f until Stop.
func (r *running) start(ctx context.Context, f func(ctx context.Context) error) (measure.Process,
	error) {
	ctx, r.cancel = context.WithCancel(ctx)
	r.done = make(chan error, 1)
	go func() {
		err := f(ctx)
		if ctx.Err() != nil {
			err = nil
		}
		r.done <- err
	}()
	return measure.Self(), nil
}

// Stop implements Contender.
func (r *running) Stop() error {
	if r.cancel == nil {
		return nil
	}
	r.cancel()
	return <-r.done
}

// tlsOnly keeps the fields of a rest config that a plain HTTP client needs.
func tlsOnly(cfg *rest.Config) *rest.Config {
	return &rest.Config{Host: cfg.Host, TLSClientConfig: rest.TLSClientConfig{CAData: cfg.CAData}}
}
