package informer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/watchlog"
	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/internal/reflector"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestMain(m *testing.M) {
	informertest.SetModelRuns()
	goleak.VerifyTestMain(m)
}

var pods = Resource{GroupVersionResource: schema.GroupVersionResource{Version: "v1",
	Resource: "pods"}, Kind: "Pod"}

// fakeServer is an API server of one resource: it keeps objects and a history, lists the former and
// watches the latter. It is a Cluster and a ListWatcher.
type fakeServer struct {
	mu      sync.Mutex
	version int
	objects map[string]string
	order   []string
	log     *watchlog.Log
	// compacted: watches from this version or an older one are refused with 410.
	compacted int
	// failList and failWatch, if set, may answer instead.
	failList, failWatch func(n int, opts metav1.ListOptions) error
	lists, watches      []metav1.ListOptions
	// streams: first lists can be asked for as the beginning of a watch.
	streams bool
	// noEnd: the bookmark that ends a streamed list is not sent.
	noEnd bool
}

const (
	backoffMin     = reflector.MinDelay
	backoffMax     = reflector.MaxDelay
	backoffReset   = reflector.DelayReset
	backoffRefused = reflector.RefusedMax
	paceBurst      = reflector.PaceBurst

	pageSize         = reflector.PageSize
	listSilence      = reflector.ListSilence
	watchTimeout     = reflector.WatchTimeout
	watchGrace       = reflector.WatchGrace
	shortWatch       = reflector.ShortWatch
	steadyWatch      = reflector.SteadyWatch
	maxFailedWatches = reflector.MaxFailedWatches
	watchListIdle    = reflector.WatchListIdle
	watchListLimit   = reflector.WatchListLimit
	watchListBusy    = reflector.WatchListBusy
	watchListPause   = reflector.WatchListPause
)

func newFakeServer() *fakeServer {
	return &fakeServer{version: 100, objects: map[string]string{}, log: watchlog.New()}
}

func (s *fakeServer) ListWatcher(Resource, Scope) ListWatcher { return s }

// apply creates or updates; quietly leaves no trace in the history, as if the watch had missed it.
func (s *fakeServer) apply(name, uid, extra string, quietly ...bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	typ := "MODIFIED"
	if _, ok := s.objects[name]; !ok {
		typ = "ADDED"
		s.order = append(s.order, name)
	}
	text := podText(name, uid, s.version, extra)
	s.objects[name] = text
	s.publish(typ, text, quietly)
}

func (s *fakeServer) remove(name string, quietly ...bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	var o struct {
		Metadata struct{ UID string }
	}
	_ = json.Unmarshal([]byte(s.objects[name]), &o)
	delete(s.objects, name)
	s.order = slices.DeleteFunc(s.order, func(n string) bool { return n == name })
	s.publish("DELETED", podText(name, o.Metadata.UID, s.version, ""), quietly)
}

func (s *fakeServer) publish(typ, object string, quietly []bool) {
	if len(quietly) > 0 {
		return
	}
	s.send(fmt.Sprintf(`{"type":%q,"object":%s}`, typ, object))
}

// send puts a frame into the history. An error is not repeated on the next watch.
func (s *fakeServer) send(text string) {
	if strings.Contains(text, `"ERROR"`) {
		s.log.AddOnce(s.version, text+"\n")
		return
	}
	s.log.Add(s.version, text+"\n")
}

// raw sends a frame as it is.
func (s *fakeServer) raw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.send(text)
}

// bookmark says that the server has come to a version.
func (s *fakeServer) bookmark(version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = version
	s.send(bookmarkFrame(version))
}

// disconnect ends all watches; compact makes the next ones fail with 410.
func (s *fakeServer) disconnect(compact bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if compact {
		s.compacted = s.version
		s.version++
	}
	s.log.Cut()
}

// listed and watched are the requests so far.
func (s *fakeServer) listed() []metav1.ListOptions {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lists)
}

func (s *fakeServer) watched() []metav1.ListOptions {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.watches)
}

func (s *fakeServer) List(_ context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opts.Limit == 1 { // for the version alone
		return io.NopCloser(strings.NewReader(fmt.Sprintf(
			`{"metadata":{"resourceVersion":"%d"},"items":[]}`, s.version))), nil
	}
	s.lists = append(s.lists, opts)
	if s.failList != nil {
		if err := s.failList(len(s.lists), opts); err != nil {
			return nil, err
		}
	}
	from, _ := strconv.Atoi(opts.Continue)
	to, cont := len(s.order), ""
	if opts.Limit > 0 && from+int(opts.Limit) < to {
		to = from + int(opts.Limit)
		cont = strconv.Itoa(to)
	}
	var items []string
	for _, name := range s.order[from:to] {
		// Items of built-in lists come without kind and apiVersion.
		items = append(items, strings.Replace(s.objects[name], `"kind":"Pod","apiVersion":"v1",`,
			"", 1))
	}
	text := fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d","continue":%q},"items":[%s]}`,
		s.version, cont, strings.Join(items, ","))
	return io.NopCloser(strings.NewReader(text)), nil
}

func (s *fakeServer) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opts.SendInitialEvents != nil && !s.streams {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io",
			Kind: "ListOptions"}, "", nil)
	}
	s.watches = append(s.watches, opts)
	if s.failWatch != nil {
		if err := s.failWatch(len(s.watches), opts); err != nil {
			return nil, err
		}
	}
	from, _ := strconv.Atoi(opts.ResourceVersion)
	if from <= s.compacted && s.compacted > 0 {
		return nil, apierrors.NewResourceExpired("too old resource version")
	}
	begin := ""
	if opts.SendInitialEvents != nil {
		from = s.version
		for _, name := range s.order {
			begin += fmt.Sprintf(`{"type":"ADDED","object":%s}`+"\n", s.objects[name])
		}
		if !s.noEnd {
			begin += s.endOfList()
		}
	}
	return s.log.Watch(ctx, from, begin), nil
}

// endOfList is the bookmark behind a streamed list.
func (s *fakeServer) endOfList() string {
	return fmt.Sprintf(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", s.version)
}

func tooManyRequests() error { return apierrors.NewTooManyRequests("slow down", 1) }

func serverError() error {
	return apierrors.NewGenericServerResponse(http.StatusInternalServerError, "GET",
		pods.GroupResource(), "", "boom", 0, true)
}

// These are short names of what the tests of all packages share.
var (
	podText  = informertest.PodText
	obj      = informertest.Object
	labelled = informertest.Labelled
	story    = informertest.Story
	expect   = informertest.Expect
)

// named returns the objects' names and versions, sorted.
func named(objects []*object.Object) []string {
	var names []string
	for _, o := range objects {
		names = append(names, o.Name()+"@"+o.ResourceVersion())
	}
	slices.Sort(names)
	return names
}

func newTimeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}
