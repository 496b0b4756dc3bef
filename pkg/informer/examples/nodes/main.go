// Command nodes prints how many pods each node has, and which of them have a label, once. It shows
// an index, and a lister that reads the informer's copy.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "the file of the cluster")
	selector := flag.String("selector", "app", "which pods to list, as a label selector")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		err = run(ctx, config, *selector, os.Stdout)
	}
	if err != nil {
		slog.Error(err.Error())
		os.Exit(1)
	}
}

func run(ctx context.Context, config *rest.Config, selector string, out io.Writer) error {
	chosen, err := labels.Parse(selector)
	if err != nil {
		return err
	}
	client, err := informer.NewClient(config)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	// An informer runs as long as it has a subscription. This one wants no events, only the copy.
	nothing := event.OpSet(0).With(event.Resync)
	subscription, err := informer.NewSubscription(informer.SubscriptionConfig{On: nothing})
	if err != nil {
		return err
	}
	pods := informer.Resource{
		GroupVersionResource: corev1.SchemeGroupVersion.WithResource("pods"), Kind: "Pod",
	}
	byNode := informer.IndexByPath(object.MustCompilePath("spec.nodeName"))
	shape := informer.Shape{Indexes: map[string]informer.IndexFunc{"node": byNode}}
	factory := informer.NewFactory(client, slog.Default())
	registration, err := factory.Subscribe(pods, informer.Scope{}, shape, subscription)
	if err != nil {
		return err
	}

	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	running.Go(func() { _ = factory.Run(ctx) })
	if err := informer.WaitForSync(ctx, registration); err != nil {
		return err
	}
	return report(registration.Lister(), chosen, out)
}

// report reads the informer's copy. The objects are not decoded: a path finds a field in the text.
func report(lister informer.Lister, chosen labels.Selector, out io.Writer) error {
	nodes, err := lister.IndexValues("node")
	if err != nil {
		return err
	}
	slices.Sort(nodes)
	for _, node := range nodes {
		pods, err := lister.ByIndex("node", node)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s has %d pods\n", node, len(pods))
	}
	pods, err := lister.List("", chosen)
	if err != nil {
		return err
	}
	image := object.MustCompilePath("spec.containers[0].image")
	for _, pod := range pods {
		fmt.Fprintf(out, "%s runs %s\n", pod.Key(), image.Lookup(pod).Text())
	}
	return nil
}
