package informer

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/wire"
	"github.com/informerd/informerd/pkg/informer/object"
)

// clusterFunc makes a function a Cluster.
type clusterFunc func(Resource, Scope) ListWatcher

func (f clusterFunc) ListWatcher(r Resource, s Scope) ListWatcher { return f(r, s) }

// Item 92: an informer runs once, and a second run returns at once.
func TestAnInformerRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFakeServer()
		inf, _, stop := alone(t, server, nil)
		synctest.Wait()
		inf.run(t.Context()) // would not return
		if len(server.listed()) != 1 {
			t.Errorf("%d lists", len(server.listed()))
		}
		stop()
		inf.run(t.Context())
	})
}

// Item 95: one informer for each resource and scope, however often it is asked for.
func TestOneInformerForEachResourceAndScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		f := NewFactory(clusterFunc(func(Resource, Scope) ListWatcher {
			made++
			return newFakeServer()
		}), nil)
		nodes := Resource{Kind: "Node"}
		nodes.Version, nodes.Resource = "v1", "nodes"
		for range 3 {
			for _, c := range []struct {
				resource Resource
				scope    Scope
			}{
				{pods, Scope{}}, {pods, Scope{Namespace: "shop"}}, {
					pods, Scope{LabelSelector: "app=web"}},
				{pods, Scope{FieldSelector: "spec.nodeName=n1"}}, {nodes, Scope{}},
			} {
				sub, err := NewSubscription(SubscriptionConfig{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := f.Subscribe(c.resource, c.scope, Shape{}, sub); err != nil {
					t.Fatal(err)
				}
			}
		}
		var got []string
		for _, s := range f.Status() {
			got = append(got, strings.TrimSpace(s.Resource.String()+" "+s.Scope.Namespace+
				s.Scope.LabelSelector+s.Scope.FieldSelector))
			if s.Subscriptions != 3 {
				t.Errorf("%+v", s)
			}
		}
		expect(t, got, "nodes", "pods", "pods spec.nodeName=n1", "pods app=web", "pods shop")
		if made != 5 {
			t.Errorf("%d informers were made", made)
		}
	})
}

// Item 96: after its end a factory starts nothing any more.
func TestAFactoryThatHasEndedStartsNothing(t *testing.T) {
	server := newFakeServer()
	f := NewFactory(server, nil)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 2 {
		if err := f.Run(ended); err != nil {
			t.Fatal(err)
		}
	}
	sub, err := NewSubscription(SubscriptionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Subscribe(pods, Scope{}, Shape{}, sub); !errors.Is(err, ErrStopped) ||
		len(f.Status()) != 0 || len(server.listed()) != 0 {
		t.Errorf("%v, %+v", err, f.Status())
	}
}

// Items 93 and 97: Run returns when every informer has ended, however long that takes.
func TestRunWaitsForEachInformer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		ended := 0
		f := NewFactory(clusterFunc(func(_ Resource, s Scope) ListWatcher {
			return listWatch{
				watch: newFakeServer().Watch,
				list: func(ctx context.Context, _ metav1.ListOptions) (io.ReadCloser, error) {
					<-ctx.Done()
					if s.Namespace == "slow" {
						time.Sleep(time.Minute)
					}
					mu.Lock()
					defer mu.Unlock()
					ended++
					return nil, ctx.Err()
				},
			}
		}), nil)
		for _, namespace := range []string{"fast", "slow"} {
			sub, err := NewSubscription(SubscriptionConfig{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Subscribe(pods, Scope{Namespace: namespace}, Shape{}, sub); err != nil {
				t.Fatal(err)
			}
		}
		time.AfterFunc(time.Minute, cancel)
		begun := time.Now()
		if err := f.Run(ctx); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if d := time.Since(begun); d != 2*time.Minute || ended != 2 {
			t.Errorf("returned after %v with %d of 2 ended", d, ended)
		}
	})
}

// Items 98 and 99: to wait for several informers takes no polling; a wait that is cut short says
// who has not synced.
func TestWaitForSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ready, begun := newFakeServer(), time.Now()
		f := NewFactory(clusterFunc(func(_ Resource, s Scope) ListWatcher {
			if s.Namespace == "" {
				return ready
			}
			return listWatch{watch: ready.Watch,
				list: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
					if s.Namespace == "never" {
						return nil, serverError()
					}
					time.Sleep(70 * time.Millisecond)
					return ready.List(ctx, opts)
				}}
		}), nil)
		ctx, cancel := context.WithCancel(t.Context())
		var regs []*Registration
		for _, namespace := range []string{"", "slow", "never"} {
			sub, err := NewSubscription(SubscriptionConfig{})
			if err != nil {
				t.Fatal(err)
			}
			reg, err := f.Subscribe(pods, Scope{Namespace: namespace}, Shape{}, sub)
			if err != nil {
				t.Fatal(err)
			}
			regs = append(regs, reg)
		}
		var wg sync.WaitGroup
		wg.Go(func() { _ = f.Run(ctx) })
		if err := WaitForSync(ctx, regs[:2]...); err != nil ||
			time.Since(begun) != 70*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if err := WaitForSync(ctx, regs[0]); err != nil ||
			time.Since(begun) != 70*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		short, stop := newTimeout(t, time.Minute)
		defer stop()
		if err := WaitForSync(short, regs...); !errors.Is(err, context.DeadlineExceeded) ||
			err.Error() != "informer of pods has not synced\ncontext deadline exceeded" {
			t.Error(err)
		}
		cancel()
		wg.Wait()
	})
}

// Items 14, 30 and 99: what really goes to an API server, path, parameters and headers, for a scope
// with selectors.
func TestRequestsOverHTTP(t *testing.T) {
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		query.Del("timeoutSeconds") // random
		mu.Lock()
		got = append(got, r.Method+" "+r.URL.Path+"?"+query.Encode()+" "+r.Header.Get("Accept"))
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch {
		case query.Has("sendInitialEvents"):
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w,
				`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
		case query.Has("watch"):
			_, _ = io.WriteString(w, `{"type":"ADDED","object":`+podText("b", "2", 102, "")+"}\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			_, _ = io.WriteString(w,
				`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"101"},"items":[`+podText("a", "1", 101, "")+`]}`)
		}
	}))
	defer server.Close()
	client, err := NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := newTimeout(t, 30*time.Second)
	defer cancel()
	f := NewFactory(client, nil)
	sub, err := NewSubscription(SubscriptionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	scope := Scope{Namespace: "shop", LabelSelector: "app in (web,db)",
		FieldSelector: "spec.nodeName=n1"}
	if _, err := f.Subscribe(pods, scope, Shape{}, sub); err != nil {
		t.Fatal(err)
	}
	var told []string
	go func() {
		_ = sub.Run(ctx, func(_ context.Context, e event.Event) error {
			if told = append(told, story(e)); len(told) == 2 {
				cancel()
			}
			return nil
		})
	}()
	if err := f.Run(ctx); err != nil {
		t.Fatal(err)
	}
	expect(t, told, "add a/1 101*", "add b/2 102")
	mu.Lock()
	defer mu.Unlock()
	const path = "GET /api/v1/namespaces/shop/pods?"
	const selectors = "fieldSelector=spec.nodeName%3Dn1&labelSelector=app+in+%28web%2Cdb%29&"
	const accept = " application/json"
	expect(t, got,
		path+"allowWatchBookmarks=true&"+selectors+
			"resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true"+accept,
		path+selectors+"limit=500&resourceVersion=0"+accept,
		path+"allowWatchBookmarks=true&"+selectors+"resourceVersion=101&watch=true"+accept)
}

// Items 9 and 16: errors of a real answer are recognised as what they are, and what nobody
// listens to as refused.
func TestErrorsOverHTTP(t *testing.T) {
	answer := ""
	code := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, answer)
	}))
	defer server.Close()
	client, err := NewClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	lw := client.ListWatcher(pods, Scope{})
	for name, c := range map[string]struct {
		code  int
		body  string
		check func(error) bool
	}{
		"expired": {410, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`, wire.IsExpired},
		"gone":    {410, `gone`, wire.IsExpired},
		"too large": {504, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Timeout","code":504,
			"details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}]}}`, wire.IsTooLarge},
		"busy":      {429, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"TooManyRequests","code":429}`, wire.IsBusy},
		"not found": {404, `404 page not found`, apierrors.IsNotFound},
		"forbidden": {403, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403}`, apierrors.IsForbidden},
	} {
		code, answer = c.code, c.body
		for _, open := range []func(context.Context, metav1.ListOptions) (io.ReadCloser,
			error){lw.List, lw.Watch} {
			body, err := open(t.Context(), metav1.ListOptions{ResourceVersion: "7"})
			if body != nil || err == nil || !c.check(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	server.Close()
	if _, err := lw.Watch(t.Context(), metav1.ListOptions{}); !wire.IsBusy(err) {
		t.Errorf("nobody listens: %v", err)
	}
}

// Items 95 and 99: who names an index first makes it, for everybody who shares the informer.
func TestListenersShareIndexes(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", `,"spec":{"node":"n1"}`)
		node := Shape{Indexes: map[string]IndexFunc{
			"node": IndexByPath(object.MustCompilePath("spec.node"))}}
		_, first, _ := w.subscribe(SubscriptionConfig{})
		sub, err := NewSubscription(SubscriptionConfig{})
		if err != nil {
			t.Fatal(err)
		}
		second, err := w.factory.Subscribe(pods, Scope{}, node, sub)
		if err != nil {
			t.Fatal(err)
		}
		for _, reg := range []*Registration{first, second} {
			found, err := reg.Lister().ByIndex("node", "n1")
			if err != nil || !slices.Equal(named(found), []string{"a@101"}) {
				t.Errorf("%v, %v", named(found), err)
			}
			if found, err := reg.Lister().ByIndex(NamespaceIndex, "shop"); err != nil ||
				len(found) != 1 {
				t.Errorf("%v, %v", named(found), err)
			}
		}
	})
}

func TestResourceString(t *testing.T) {
	deployments := Resource{Kind: "Deployment"}
	deployments.Group, deployments.Version, deployments.Resource = "apps", "v1", "deployments"
	for want, got := range map[string]string{
		"deployments.apps": deployments.String(), "pods": pods.String(),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
