package informer_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Two subscriptions share one informer, one watch and one cache; each has its own buffer and resync
// period.
func Example() {
	config, handler, ctx := setUp()
	client, err := informer.NewClient(config)
	if err != nil {
		panic(err)
	}
	factory := informer.NewFactory(client, nil)
	for name, resync := range map[string]time.Duration{"never again": 0,
		"every minute": time.Minute} {
		subscription, err := informer.NewSubscription(informer.SubscriptionConfig{Name: name,
			Resync: resync})
		if err != nil {
			panic(err)
		}
		if _, err := factory.Subscribe(pods, informer.Scope{Namespace: "shop"}, informer.Shape{},
			subscription); err != nil {
			panic(err)
		}
		go func() { _ = subscription.Run(ctx, handler) }()
	}
	_ = factory.Run(ctx) // until ctx is done
	// Output:
	// add shop/web nginx:1
	// add shop/web nginx:1
}

var pods = informer.Resource{GroupVersionResource: schema.GroupVersionResource{Version: "v1",
	Resource: "pods"}, Kind: "Pod"}

// Objects are bytes until somebody asks for more.
func ExampleDecode() {
	object, err := new(object.Parser).Parse([]byte(podJSON))
	if err != nil {
		panic(err)
	}
	pod, err := informer.Decode[corev1.Pod](object)
	fmt.Println(pod.Spec.Containers[0].Image, err)
	// Output: nginx:1 <nil>
}

const podJSON = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"7"},"spec":{"containers":[{"name":"c","image":"nginx:1"}]}}`

// setUp returns an API server that has one pod, a handler that prints, and a context that ends when
// it has printed twice.
func setUp() (*rest.Config,
	func(context.Context, event.Event) error, context.Context) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"type":"ADDED","object":`+podJSON+"}\n"+
			`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	ctx, stop := context.WithCancel(context.Background())
	context.AfterFunc(ctx, server.Close)
	var mu sync.Mutex
	left := 2
	image := object.MustCompilePath("spec.containers[0].image")
	return &rest.Config{Host: server.URL},
		func(_ context.Context, e event.Event) error {
			mu.Lock()
			defer mu.Unlock()
			fmt.Println(e.Op, e.Object.Key(), image.Lookup(e.Object).Text())
			if left--; left == 0 {
				stop()
			}
			return nil
		}, ctx
}
