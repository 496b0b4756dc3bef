// Command rollouts prints how far each Deployment is, on every change. It shows objects decoded
// into client-go's types, and a handler that is called again for an event it could not handle.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "the file of the cluster")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		err = run(ctx, config, os.Stdout)
	}
	if err != nil {
		slog.Error(err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, config *rest.Config, out io.Writer) error {
	client, err := informer.NewClient(config)
	if err != nil {
		return err
	}
	changes, err := informer.NewSubscription(informer.SubscriptionConfig{Name: "rollouts"})
	if err != nil {
		return err
	}
	deployments := informer.Resource{
		GroupVersionResource: appsv1.SchemeGroupVersion.WithResource("deployments"),
		Kind:                 "Deployment",
	}
	factory := informer.NewFactory(client, slog.Default())
	_, err = factory.Subscribe(deployments, informer.Scope{}, informer.Shape{}, changes)
	if err != nil {
		return err
	}
	handler := func(_ context.Context, e event.Event) error {
		d, err := informer.Decode[appsv1.Deployment](e.Object)
		if err != nil {
			return err // the event comes again after a while
		}
		replicas := int32(1)
		if d.Spec.Replicas != nil {
			replicas = *d.Spec.Replicas
		}
		_, err = fmt.Fprintf(out, "%s %s/%s: %d of %d replicas are ready\n", e.Op, d.Namespace,
			d.Name,
			d.Status.ReadyReplicas, replicas)
		return err
	}
	go func() { _ = changes.Run(ctx, handler) }()
	return factory.Run(ctx) // until ctx is done
}
