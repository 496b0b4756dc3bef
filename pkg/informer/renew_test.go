package informer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A resource that loses its version is looked up again and followed in its new one: what is in both
// is not reported again, what went meanwhile is reported as deleted. Without another version it is
// looked up now and then, and heals by itself.
func TestAResourceThatChangesItsVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFakeServer()
		server.apply("a", "1", "")
		server.apply("b", "2", "")
		var served atomic.Value
		served.Store("v1")
		var lookups atomic.Int32
		f := NewFactory(clusterFunc(func(resource Resource, _ Scope) ListWatcher {
			answer := func(ask func(context.Context, metav1.ListOptions) (io.ReadCloser,
				error)) func(context.Context, metav1.ListOptions) (io.ReadCloser, error) {
				return func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
					if resource.Version != served.Load() {
						return nil, notFound()
					}
					body, err := ask(ctx, opts)
					if err != nil || opts.Watch {
						return body, err
					}
					return &versioned{body, resource.Version}, nil
				}
			}
			return listWatch{list: answer(server.List), watch: answer(server.Watch)}
		}), nil)
		fails := errors.New("no such resource")
		f.Renew = func(_ context.Context, was Resource) (Resource, error) {
			lookups.Add(1)
			if v := served.Load().(string); v != "none" {
				was.Version = v
				return was, nil
			}
			return was, fails
		}
		w := &world{t: t, server: server, factory: f}
		ctx, cancel := context.WithCancel(t.Context())
		w.ctx = ctx
		ended := make(chan error, 1)
		go func() { ended <- f.Run(ctx) }()
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		expect(t, r.take(), "add a/1 101*", "add b/2 102*")

		served.Store("none")
		server.disconnect(false)
		time.Sleep(3 * time.Hour)
		if n := lookups.Load(); n < 3*60/11 || n > 3*60/5+2 {
			t.Errorf("looked up %d times in 3 hours", n)
		}
		if reg.Status().Err == nil {
			t.Error("the status does not say so")
		}
		expect(t, r.take())

		served.Store("v2")
		server.remove("b", true)
		server.apply("c", "3", "", true)
		time.Sleep(11 * time.Minute)
		synctest.Wait()
		expect(t, r.take(), "add c/3 104", "delete b/2 102?")
		if s := reg.Status(); s.Resource.Version != "v2" || s.Err != nil {
			t.Errorf("%+v", s)
		}
		if o, err := reg.Lister().Get("shop", "c"); err != nil || o.APIVersion() != "v2" {
			t.Error(o, err)
		}

		// Another one, soon after: three attempts are enough.
		served.Store("v1")
		server.disconnect(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		if s := reg.Status(); s.Resource.Version != "v1" || s.Err != nil {
			t.Errorf("%+v", s)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// versioned is a list in a version.
type versioned struct {
	io.ReadCloser
	version string
}

func (v *versioned) Read(p []byte) (int, error) {
	all, err := io.ReadAll(v.ReadCloser)
	if err != nil || len(all) == 0 {
		return 0, io.EOF
	}
	text := strings.ReplaceAll(string(all), `"apiVersion":"v1"`,
		fmt.Sprintf(`"apiVersion":%q`, v.version))
	return copy(p, text), nil
}
