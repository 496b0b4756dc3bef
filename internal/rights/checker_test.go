package rights

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/kubeapi"
	"github.com/informerd/informerd/pkg/informer"
)

// server answers about rights, and to requests.
type server struct {
	mu     sync.Mutex
	denied map[string]bool // rights as texts
	away   bool
	asked  map[string]int
}

func newServer(denied ...string) *server {
	s := &server{denied: map[string]bool{}, asked: map[string]int{}}
	s.deny(denied...)
	return s
}

func (s *server) deny(rights ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied = map[string]bool{}
	for _, right := range rights {
		s.denied[right] = true
	}
}

func (s *server) Allowed(_ context.Context, right kube.Right) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[right.String()]++
	if s.away {
		return false, errors.New("no answer")
	}
	return !s.denied[right.String()], nil
}

func (s *server) count() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.asked)
}

var errForbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web",
	errors.New("no"))

// Do implements kubeapi.API: everything is refused.
func (s *server) Do(context.Context, kubeapi.Request) ([]byte, error) { return nil, errForbidden }

var pods, nodes = named("", "v1", "pods"), named("", "v1", "nodes")

func need(listener, verb string, r kube.Resource, namespace string) Need {
	return Need{Right: kube.Right{Resource: r, Namespace: namespace, Verb: verb},
		Listener: listener, For: fmt.Sprintf("listener %q", listener)}
}

// checking runs a checker in a bubble of time.
func checking(t *testing.T, s *server, test func(t *testing.T, c *Checker, log *strings.Builder)) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		c := NewChecker(s, slog.New(slog.NewTextHandler(&log, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { c.Run(ctx) })
		defer running.Wait()
		defer cancel()
		test(t, c, &log)
	})
}

func lacks(c *Checker, listener string) []string {
	texts, _ := c.Lacks(listener)
	return texts
}

// Until all of its rights were asked for, nobody knows whether a listener lacks one. A server that
// does not answer is no reason to wait.
func TestCheckerHasAsked(t *testing.T) {
	for _, away := range []bool{false, true} {
		s := newServer()
		s.away = away
		synctest.Test(t, func(t *testing.T) {
			c := NewChecker(s, slog.New(slog.DiscardHandler))
			for n := range 10 {
				c.Need("a", append(c.needs["a"], need("a", "list", pods, fmt.Sprint("ns-", n))))
			}
			if _, asking := c.Lacks("a"); !asking {
				t.Error("nothing was asked so far")
			}
			if _, asking := c.Lacks("b"); asking {
				t.Error("b needs nothing")
			}
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { c.Run(ctx) })
			defer running.Wait()
			defer cancel()
			synctest.Wait()
			if texts, asking := c.Lacks("a"); asking || texts != nil {
				t.Errorf("away %t: %q, asking %t", away, texts, asking)
			}
		})
	}
}

const podsRule = "- {apiGroups: [''], resources: [pods], verbs: [list, watch]}"

// A right is asked for once, a missing one until it is granted, which is noticed within
// seconds. Who needs it, and nobody else, lacks it meanwhile; the log and the reason have the rule.
func TestCheckerNoticesWhatIsGranted(t *testing.T) {
	s := newServer("list pods in shop", "watch pods in shop")
	checking(t, s, func(t *testing.T, c *Checker, log *strings.Builder) {
		c.Need("", []Need{need("", "get", named("", "v1", "configmaps"), "own")})
		for _, l := range []string{"a", "b"} {
			c.Need(l, []Need{need(l, "list", pods, "shop"), need(l, "watch", pods, "shop")})
		}
		c.Need("c", []Need{need("c", "list", nodes, "")})
		synctest.Wait()
		want := []string{`a right is missing, for listener "a"; a Role in shop needs the rule ` +
			podsRule}
		if got := lacks(c, "a"); !reflect.DeepEqual(got, want) {
			t.Errorf("got %q", got)
		}
		if got := lacks(c, "c"); got != nil {
			t.Errorf("c lacks %q", got)
		}
		if got := log.String(); strings.Count(got, "\n") != 1 ||
			!strings.Contains(got, `level=ERROR msg="a right is missing; it is asked for until it`+
				` is granted" for="listener \"a\", listener \"b\"" in="a Role in shop" rule="`+
				podsRule+"\"\n") {
			t.Errorf("log:\n%s", got)
		}
		time.Sleep(time.Hour)
		asked := s.count()
		if n := asked["list nodes"]; n != 1 {
			t.Errorf("asked %d times for what is granted", n)
		}
		if n := asked["list pods in shop"]; n < 600 || n > 800 {
			t.Errorf("asked %d times within an hour for what is missing", n)
		}
		if n := strings.Count(log.String(), "\n"); n != 1 {
			t.Errorf("%d lines in the log after an hour", n)
		}
		s.deny("watch pods in shop")
		time.Sleep(askAgain + time.Second)
		if got := lacks(c, "b"); len(got) != 1 || !strings.Contains(got[0], "verbs: [watch]}") {
			t.Errorf("half of it is granted: %q", got)
		}
		s.deny()
		time.Sleep(askAgain + time.Second)
		if got := lacks(c, "b"); got != nil {
			t.Errorf("all of it is granted: %q", got)
		}
		if got := log.String(); !strings.Contains(got, `level=INFO msg="a right that was missing`) {
			t.Errorf("log:\n%s", got)
		}
	})
}

// What everybody needs, everybody lacks.
func TestCheckerOfReplicas(t *testing.T) {
	checking(t, newServer("update leases.coordination.k8s.io in own"),
		func(t *testing.T, c *Checker, _ *strings.Builder) {
			c.Need("", []Need{{Right: kube.Right{Resource: kube.Leases, Namespace: "own",
				Verb: "update"}, For: "leaderElection"}})
			synctest.Wait()
			for _, l := range []string{"a", "not bound yet"} {
				if got := lacks(c, l); len(got) != 1 || !strings.Contains(got[0],
					"for leaderElection; a Role in own needs the rule") {
					t.Errorf("%s: %q", l, got)
				}
			}
		})
}

// A right that is taken away is noticed when the API server refuses what needs it.
func TestCheckerAsksAgainAfterARefusal(t *testing.T) {
	s := newServer()
	checking(t, s, func(t *testing.T, c *Checker, _ *strings.Builder) {
		c.Need("a", []Need{need("a", "list", pods, "shop"), need("a", "patch", pods, "")})
		c.Need("b", []Need{need("b", "list", pods, "pay"), need("b", "list", nodes, "")})
		synctest.Wait()
		before := s.count()
		s.deny("list pods in shop", "patch pods", `patch pods "web" in shop`, "list pods in pay")
		time.Sleep(time.Hour)
		if got := s.count(); !maps.Equal(got, before) {
			t.Errorf("asked for %v without a reason", got)
		}
		resource := informer.Resource{GroupVersionResource: pods.GVR}
		c.Refused(resource, informer.Scope{Namespace: "shop"}, errors.New("no route"))
		c.Refused(resource, informer.Scope{Namespace: "shop"}, fmt.Errorf("to list: %w",
			errForbidden))
		synctest.Wait()
		if got := lacks(c, "a"); len(got) != 2 || !strings.Contains(got[0], "[patch]") ||
			!strings.Contains(got[1], "[list]") {
			t.Errorf("a lacks %q", got)
		}
		if got := lacks(c, "b"); got != nil {
			t.Errorf("b lacks %q, and was not refused", got)
		}

		// A refused patch has the rule, and is tried again later, alone.
		_, err := c.Guard(s).Do(t.Context(), kubeapi.Request{Method: http.MethodPatch,
			Version: "v1", Resource: "pods", Namespace: "shop", Name: "web"})
		failed := kubeapi.Failed(err)
		if !strings.HasSuffix(failed.Error(), "; a ClusterRole needs the rule - {apiGroups: [''],"+
			" resources: [pods], verbs: [patch]}") || sink.IsPermanent(failed) ||
			!sink.IsAlone(failed) || sink.AskedDelay(failed) != kubeapi.RightDelay {
			t.Errorf("got %v", failed)
		}
		// What is refused for another reason is not.
		_, err = c.Guard(s).Do(t.Context(), kubeapi.Request{Method: http.MethodGet, Version: "v1",
			Resource: "pods", Namespace: "shop", Name: "web"})
		if failed := kubeapi.Failed(err); !sink.IsPermanent(failed) {
			t.Errorf("got %v", failed)
		}
	})
}

// What nobody needs any more is not asked for, and a server that is away is not asked often.
func TestCheckerOfAServerThatIsAway(t *testing.T) {
	s := newServer("list nodes")
	s.away = true
	checking(t, s, func(t *testing.T, c *Checker, _ *strings.Builder) {
		var many []Need
		for n := range 100 {
			many = append(many, need("a", "list", pods, fmt.Sprint("ns-", n)))
		}
		c.Need("a", many)
		c.Need("b", []Need{need("b", "list", nodes, "")})
		time.Sleep(time.Hour)
		sum := 0
		for _, n := range s.count() {
			sum += n
		}
		if sum > 3*70 {
			t.Errorf("asked %d times within an hour", sum)
		}
		if got := slices.Concat(lacks(c, "a"), lacks(c, "b")); got != nil {
			t.Errorf("nobody knows, but %q", got)
		}
		s.mu.Lock()
		s.away = false
		s.mu.Unlock()
		time.Sleep(2 * time.Minute)
		if got := lacks(c, "b"); len(got) != 1 {
			t.Errorf("b lacks %q", got)
		}
		c.Need("b", nil)
		before := s.count()
		time.Sleep(time.Hour)
		if got := s.count(); !maps.Equal(got, before) || lacks(c, "b") != nil {
			t.Errorf("asked for what nobody needs: %v", got)
		}
	})
}
