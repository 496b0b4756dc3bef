package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/pkg/informer"
)

// secrets are the Secrets of one entry of clustersFrom, as an informer has them.
type secrets struct {
	of      config.ClusterSecrets
	reg     *informer.Registration
	end     context.CancelFunc
	running sync.WaitGroup
}

// followSecrets has those Secrets followed that a configuration names, and no others.
func (w *Watch) followSecrets(ctx context.Context, cfg *config.Config) {
	before := w.secrets
	w.secrets = nil
	for _, from := range cfg.ClustersFrom {
		if from.Secrets == nil {
			continue
		}
		var s *secrets
		for i, one := range before {
			if one != nil && one.of == *from.Secrets {
				s, before[i] = one, nil
				break
			}
		}
		if s == nil {
			s = w.follow(ctx, *from.Secrets)
		}
		w.secrets = append(w.secrets, s)
	}
	for _, s := range before {
		if s != nil {
			s.close()
		}
	}
}

func (w *Watch) endSecrets() {
	for _, s := range w.secrets {
		s.close()
	}
}

// follow begins to follow Secrets.
func (w *Watch) follow(ctx context.Context, of config.ClusterSecrets) *secrets {
	s := &secrets{of: of}
	ctx, s.end = context.WithCancel(ctx)
	factory := informer.NewFactory(w.home.Client, w.log)
	factory.OnError = func(informer.Resource, informer.Scope, error) { w.Look() }
	all, err := informer.NewSubscription(informer.SubscriptionConfig{Name: "clusters"})
	if err == nil {
		s.reg, err = factory.Subscribe(informer.Resource{Kind: "Secret",
			GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "secrets"}},
			informer.Scope{Namespace: of.Namespace, LabelSelector: of.LabelSelector},
			informer.Shape{KeepSecretData: true}, all)
	}
	if err != nil { // what was configured was checked
		w.log.Error("the Secrets of clusters cannot be followed", "namespace", of.Namespace, "error", err)
		return s
	}
	s.running.Go(func() { _ = factory.Run(ctx) })
	s.running.Go(func() {
		select {
		case <-s.reg.Synced():
			w.Look()
		case <-ctx.Done():
		}
	})
	s.running.Go(func() {
		for {
			d, err := all.Next(ctx)
			if err != nil {
				return // ctx is done
			}
			d.Done()
			w.Look()
		}
	})
	return s
}

func (s *secrets) close() {
	s.end()
	s.running.Wait()
}

// errUnlisted is the error of Secrets that will be known soon.
var errUnlisted = errors.New("they are not listed yet")

func (s *secrets) from() string { return "Secrets of " + s.of.Namespace }

// members returns the clusters of the Secrets, and an error unless all of them are known.
func (s *secrets) members() (all []Member, problems []Problem, err error) {
	if s.reg == nil || !s.reg.HasSynced() {
		if err = errUnlisted; s.reg != nil && s.reg.Status().Err != nil {
			err = s.reg.Status().Err
		}
		return nil, nil, err
	}
	objects, err := s.reg.Lister().List("", labels.Everything())
	for _, o := range objects {
		from := fmt.Sprintf("Secret %s/%s", o.Namespace(), o.Name())
		secret, err := informer.Decode[corev1.Secret](o)
		if err != nil {
			problems = append(problems, Problem{from, "it is not a Secret"})
			continue
		}
		text := secret.Data["kubeconfig"]
		if text == nil {
			text = secret.Data["value"]
		}
		if text == nil {
			problems = append(problems, Problem{from, "it has neither kubeconfig nor value"})
			continue
		}
		all = append(all, Member{Name: secret.Name, Labels: secret.Labels, From: from,
			of: ofSecret, Options: kube.Options{Text: text}})
	}
	return all, problems, err
}
