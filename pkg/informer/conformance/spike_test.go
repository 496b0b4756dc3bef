package conformance

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type pl struct{ c chan net.Conn; done chan struct{} }

func (l *pl) Accept() (net.Conn, error) {
	select { case c := <-l.c: return c, nil; case <-l.done: return nil, net.ErrClosed }
}
func (l *pl) Close() error { close(l.done); return nil }
func (l *pl) Addr() net.Addr { return &net.UnixAddr{} }

func TestSpike(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pl{make(chan net.Conn), make(chan struct{})}
		n := 0
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n++
			fmt.Println(time.Now(), r.URL)
			w.Header().Set("Content-Type", "application/json")
			if r.FormValue("watch") == "true" {
				if r.FormValue("sendInitialEvents") == "true" {
					w.WriteHeader(422)
					fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":422,"reason":"Invalid"}`)
					return
				}
				if n < 6 { panic(http.ErrAbortHandler) }
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				return
			}
			fmt.Fprint(w, `{"kind":"ThingList","apiVersion":"c.test/v1","metadata":{"resourceVersion":"5"},"items":[{"kind":"Thing","apiVersion":"c.test/v1","metadata":{"name":"a"}}]}`)
		})}
		go s.Serve(l)
		cfg := &rest.Config{Host: "http://api.test", QPS: -1, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			a, b := net.Pipe()
			l.c <- b
			return a, nil
		}}}
		gvr := schema.GroupVersionResource{Group: "c.test", Version: "v1", Resource: "things"}
		dc, err := dynamic.NewForConfig(cfg)
		if err != nil { t.Fatal(err) }
		lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return dc.Resource(gvr).List(ctx, o) },
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return dc.Resource(gvr).Watch(ctx, o) },
		}, dc)
		ex := &unstructured.Unstructured{}
		ex.SetAPIVersion("c.test/v1"); ex.SetKind("Thing")
		inf := cache.NewSharedIndexInformerWithOptions(lw, ex, cache.SharedIndexInformerOptions{})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { inf.RunWithContext(ctx); close(done) }()
		time.Sleep(time.Minute)
		synctest.Wait()
		fmt.Println(inf.HasSynced(), inf.GetStore().ListKeys())
		cancel()
		<-done
		s.Close()
	})
}
