package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
)

const (
	bindMin = time.Second
	bindMax = 30 * time.Second
)

// binder finds the resource of each listener on the API server and ties the listener to its informers. A listener whose
// resource is not there is reported as failed and tried again, since the API may come later.
type binder struct {
	cluster *cluster
	log     *slog.Logger
	start   func(*listener) // starts a listener's route
}

// run blocks until every listener is bound or ctx is done.
func (b *binder) run(ctx context.Context, waiting []*listener) {
	told := map[*listener]string{}
	for delay := bindMin; ; delay = min(2*delay, bindMax) {
		var left []*listener
		var unreachable *kube.UnreachableError
		for i, l := range waiting {
			err := b.bind(ctx, l)
			switch {
			case ctx.Err() != nil:
				return
			case err == nil:
				continue
			case errors.As(err, &unreachable):
				left = append(left, waiting[i:]...)
			case told[l] != err.Error():
				told[l] = err.Error()
				b.log.Error("listener failed, will try again", "listener", l.cfg.Name, "error", err)
				left = append(left, l)
			default:
				left = append(left, l)
			}
			if unreachable != nil {
				break // the others would wait for the same server
			}
		}
		if len(left) == 0 {
			return
		}
		if unreachable != nil {
			b.log.Warn("cannot reach the API server, will try again", "server", unreachable.Server, "in", delay, "error", unreachable.Err)
		}
		waiting = left
		select {
		case <-time.After(delay):
			b.cluster.resolver.Invalidate()
		case <-ctx.Done():
			return
		}
	}
}

// bind ties one listener to its informers, or changes nothing.
func (b *binder) bind(ctx context.Context, l *listener) error {
	inf := l.cfg.Informer()
	found, err := b.cluster.resolver.Resolve(ctx, inf.Resource)
	if err != nil {
		return err
	}
	if found.IsSecrets() && !inf.AllowSecrets {
		return fmt.Errorf("%q are Secrets: set allowSecrets: true in the informer if they are to be watched", inf.Resource)
	}
	if err := found.CheckNamespaces(inf.Namespaces); err != nil {
		return err
	}
	resource := informer.Resource{GroupVersionResource: found.GVR, Kind: found.GVK.Kind}
	l.route.Messages, err = cloudevent.NewSource(b.cluster.name, l.cfg.Name, resource.String())
	if err != nil {
		return err
	}
	namespaces := inf.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	var regs []*informer.Registration
	for _, ns := range namespaces {
		scope := informer.Scope{Namespace: ns, LabelSelector: inf.Scope().LabelSelector, FieldSelector: inf.Scope().FieldSelector}
		reg, err := b.cluster.factory.Listen(resource, scope, l.shape, l.buffer)
		if err != nil {
			for _, done := range regs {
				done.Remove()
			}
			return err
		}
		regs = append(regs, reg)
	}
	b.log.Info("listening", "listener", l.cfg.Name, "resource", found.String(), "namespaces", inf.Namespaces)
	b.start(l)
	return nil
}
