package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
)

// bindBackoff is the range of the delays between attempts to bind listeners.
var bindBackoff = backoff.Backoff{Min: time.Second, Max: 30 * time.Second}

// binder finds the resource of each listener on the API server and subscribes the listener to its
// informers. A listener whose resource does not exist is reported as failed and tried again, since
// the API may be installed later.
type binder struct {
	cluster   *cluster
	log       *slog.Logger
	digestKey []byte          // of the digests of Secrets
	start     func(*listener) // starts a listener that is bound
}

// run blocks until every listener is bound or ctx is done.
func (b *binder) run(ctx context.Context, waiting []*listener) {
	logged := map[*listener]string{}
	for failures := 1; ; failures++ {
		var unbound []*listener
		var unreachable *kube.UnreachableError
		for i, l := range waiting {
			err := b.bind(ctx, l)
			switch {
			case ctx.Err() != nil:
				return
			case err == nil:
				continue
			case errors.As(err, &unreachable):
				unbound = append(unbound, waiting[i:]...)
			case logged[l] != err.Error():
				logged[l] = err.Error()
				l.health.fail(err)
				b.log.Error("listener failed, will try again", "listener", l.cfg.Name, "error", err)
				unbound = append(unbound, l)
			default:
				unbound = append(unbound, l)
			}
			if unreachable != nil {
				break // the other listeners would wait for the same server
			}
		}
		if len(unbound) == 0 {
			return
		}
		pause := bindBackoff.Delay(failures)
		if unreachable != nil {
			pause = bindBackoff.AtLeast(pause, unreachable.RetryAfter)
			for _, l := range unbound {
				l.health.fail(unreachable)
			}
			b.log.Warn("cannot reach the API server, will try again", "server", unreachable.Server,
				"in", pause.Round(time.Millisecond), "error", unreachable.Err)
		}
		waiting = unbound
		if backoff.Sleep(ctx, pause) != nil {
			return
		}
		b.cluster.resolver.Invalidate()
	}
}

// bind subscribes one listener to its informers, or changes nothing.
func (b *binder) bind(ctx context.Context, l *listener) (err error) {
	var regs []*informer.Registration
	defer func() {
		if err != nil {
			for _, reg := range regs {
				reg.Remove()
			}
		}
	}()
	looked := caches{}
	for _, name := range l.lookups() {
		inf := l.cfg.Informers()[name]
		found, err := b.cluster.resolve(ctx, inf)
		if err != nil {
			return fmt.Errorf("informer %q, which %s objects up in: %w", name, l.lookedUpBy(name),
				err)
		}
		on, err := onlooker(l.cfg.Name)
		if err != nil {
			return err
		}
		shape, err := shapeOf(inf)
		if err != nil {
			return err
		}
		if looked[name], err = b.listen(found, inf, withIndexesIn(shape, name, l.filters()),
			on); err != nil {
			return err
		}
		regs = append(regs, looked[name]...)
	}
	found, err := b.cluster.resolve(ctx, l.cfg.Informer())
	if err != nil {
		return err
	}
	messages, err := cloudevent.NewBuilder(sink.Origin{
		Cluster: b.cluster.name, Listener: l.cfg.Name, Resource: resourceOf(found).String(),
		Group: found.GVR.Group, Version: found.GVR.Version, Plural: found.GVR.Resource,
		Kind: found.GVK.Kind,
	})
	if err != nil {
		return err
	}
	events, err := b.listen(found, l.cfg.Informer(), l.shape, l.subscription)
	if err != nil {
		return err
	}
	regs = append(regs, events...)
	maps.Copy(l.caches, looked) // the handler refers to it already
	l.messages = messages
	l.health.bind(regs)
	b.log.Info("listening", "listener", l.cfg.Name, "resource", found.String(), "namespaces",
		l.cfg.Informer().Namespaces)
	b.start(l)
	return nil
}

// resolve finds the resource of an informer and checks it against the informer's settings.
func (c *cluster) resolve(ctx context.Context, inf *config.Informer) (kube.Resource, error) {
	found, err := c.resolver.Resolve(ctx, inf.Resource)
	if err != nil {
		return kube.Resource{}, err
	}
	c.names.note(resourceOf(found), inf.Resource)
	if found.IsSecrets() && !inf.AllowSecrets {
		return kube.Resource{},
			fmt.Errorf("%q are Secrets: set allowSecrets: true in the informer to watch them",
				inf.Resource)
	}
	return found, found.CheckNamespaces(inf.Namespaces)
}

func resourceOf(found kube.Resource) informer.Resource {
	return informer.Resource{GroupVersionResource: found.GVR, Kind: found.GVK.Kind}
}

// listen makes one registration for each of the informer's namespaces. With an error it makes none.
func (b *binder) listen(found kube.Resource, inf *config.Informer, shape informer.Shape,
	to *informer.Subscription) ([]*informer.Registration, error) {
	namespaces := inf.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	shape.DigestKey = b.digestKey
	var regs []*informer.Registration
	for _, ns := range namespaces {
		scope := informer.Scope{Namespace: ns, LabelSelector: inf.Scope().LabelSelector,
			FieldSelector: inf.Scope().FieldSelector}
		reg, err := b.cluster.factory.Subscribe(resourceOf(found), scope, shape, to)
		if err != nil {
			for _, done := range regs {
				done.Remove()
			}
			return nil, err
		}
		regs = append(regs, reg)
	}
	return regs, nil
}
