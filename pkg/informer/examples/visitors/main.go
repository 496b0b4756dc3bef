// Command visitors follows ConfigMaps as its standard input says. It shows subscriptions that come
// and go while the factory runs. All of them share one informer, which begins with the first one
// and ends with the last; indexes can be added to it at any time.
//
//	watch NAMESPACE   print each change in the namespace
//	stop NAMESPACE    print no more of them
//	count PATH        print how many ConfigMaps have which value of a field
//	who               print who watches, and how much they have seen
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func main() {
	kubeconfig := flag.String("kubeconfig", os.Getenv("KUBECONFIG"), "the file of the cluster")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		err = run(ctx, config, os.Stdin, os.Stdout)
	}
	if err != nil {
		slog.Error(err.Error())
		os.Exit(1)
	}
}

// run executes commands until there are no more.
func run(ctx context.Context, config *rest.Config, in io.Reader, out io.Writer) error {
	client, err := informer.NewClient(config)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	ctx, stop := context.WithCancel(ctx)
	v := &visitors{
		out: out, factory: informer.NewFactory(client, slog.Default()), here: map[string]visitor{},
	}
	var running sync.WaitGroup
	running.Go(func() { _ = v.factory.Run(ctx) })
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if err := v.execute(ctx, lines.Text()); err != nil {
			fmt.Fprintln(out, "error:", err)
		}
	}
	stop()
	running.Wait()
	return nil
}

// visitors are the namespaces that are watched.
type visitors struct {
	out     io.Writer
	factory *informer.Factory
	here    map[string]visitor
}

type visitor struct {
	subscription *informer.Subscription
	registration *informer.Registration
}

func (v *visitors) execute(ctx context.Context, line string) error {
	command, argument, _ := strings.Cut(line, " ")
	switch command {
	case "watch":
		return v.watch(ctx, argument)
	case "stop":
		return v.stop(argument)
	case "count":
		return v.count(ctx, argument)
	case "who":
		v.who()
		return nil
	default:
		return fmt.Errorf("unknown command %q", command)
	}
}

// watch begins to print what happens in a namespace. The condition keeps everything else out of the
// subscription's buffer, at next to no cost however many subscriptions there are.
func (v *visitors) watch(ctx context.Context, namespace string) error {
	if _, ok := v.here[namespace]; ok {
		return fmt.Errorf("%s is watched already", namespace)
	}
	subscription, err := informer.NewSubscription(informer.SubscriptionConfig{
		Name: namespace,
		Conditions: []condition.Condition{
			{Of: condition.OfNamespace, Test: condition.In, Values: []string{namespace}},
		},
	})
	if err != nil {
		return err
	}
	configMaps := informer.Resource{
		GroupVersionResource: corev1.SchemeGroupVersion.WithResource("configmaps"),
		Kind:                 "ConfigMap",
	}
	registration, err := v.factory.Subscribe(configMaps, informer.Scope{}, informer.Shape{},
		subscription)
	if err != nil {
		return err
	}
	v.here[namespace] = visitor{subscription, registration}
	go func() { _ = subscription.Run(ctx, v.print) }()
	return nil
}

func (v *visitors) print(_ context.Context, e event.Event) error {
	_, err := fmt.Fprintln(v.out, e.Op, e.Object.Key())
	return err
}

// stop ends a subscription. Events that it has not handled yet are discarded.
func (v *visitors) stop(namespace string) error {
	leaves, ok := v.here[namespace]
	if !ok {
		return fmt.Errorf("%s is not watched", namespace)
	}
	delete(v.here, namespace)
	leaves.registration.Remove()
	leaves.subscription.Stop() // ends its Run
	fmt.Fprintf(v.out, "stopped %s, %d informers run\n", namespace, len(v.factory.Status()))
	return nil
}

// who prints the state of each subscription.
func (v *visitors) who() {
	for _, namespace := range slices.Sorted(maps.Keys(v.here)) {
		visitor := v.here[namespace]
		state := "has yet to see what there was"
		if visitor.registration.HasSynced() {
			state = "has seen what there was"
		}
		fmt.Fprintf(v.out, "%s %s, %d events in all\n", namespace, state,
			visitor.subscription.Stats().Done)
	}
}

// count adds an index to the running informer, unless it has that one, and prints its values.
func (v *visitors) count(ctx context.Context, path string) error {
	compiled, err := object.CompilePath(path)
	if err != nil {
		return err
	}
	for _, visitor := range v.here { // all have the same informer
		if err := informer.WaitForSync(ctx, visitor.registration); err != nil {
			return err
		}
		err := visitor.registration.AddIndexes(map[string]informer.IndexFunc{
			path: informer.IndexByPath(compiled),
		})
		if err != nil && !errors.Is(err, informer.ErrIndexExists) {
			return err
		}
		lister := visitor.registration.Lister()
		values, err := lister.IndexValues(path)
		if err != nil {
			return err
		}
		slices.Sort(values)
		for _, value := range values {
			found, err := lister.ByIndex(path, value)
			if err != nil {
				return err
			}
			fmt.Fprintf(v.out, "%s %s: %d\n", path, value, len(found))
		}
		return nil
	}
	return errors.New("nothing is watched")
}
