package daemon

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/watchlog"
	"github.com/informerd/informerd/pkg/informer"
)

// modelServer is an API server of pods: it keeps objects and a history, lists the former and
// watches the latter.
type modelServer struct {
	mu        sync.Mutex
	version   int
	objects   map[string]string
	log       *watchlog.Log
	compacted int // watches from here or before are refused
}

func newModelServer() *modelServer {
	return &modelServer{version: 100, objects: map[string]string{}, log: watchlog.New()}
}

func (s *modelServer) ListWatcher(informer.Resource, informer.Scope) informer.ListWatcher {
	return s
}

// apply creates or updates an object of which the text has a place for its version; if quietly, the
// watch misses it.
func (s *modelServer) apply(name, text string, quietly bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	typ := "ADDED"
	if _, there := s.objects[name]; there {
		typ = "MODIFIED"
	}
	s.version++
	s.objects[name] = fmt.Sprintf(text, s.version)
	s.publish(typ, s.objects[name], quietly)
}

func (s *modelServer) remove(name string, quietly bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, there := s.objects[name]
	if !there {
		return
	}
	s.version++
	delete(s.objects, name)
	_, rest, _ := strings.Cut(text, `"resourceVersion":"`)
	version, _, _ := strings.Cut(rest, `"`)
	s.publish("DELETED", strings.Replace(text, `"resourceVersion":"`+version,
		`"resourceVersion":"`+strconv.Itoa(s.version), 1), quietly)
}

func (s *modelServer) publish(typ, text string, quietly bool) {
	if quietly {
		return
	}
	s.log.Add(s.version, fmt.Sprintf(`{"type":%q,"object":{"kind":"Pod","apiVersion":"v1",%s}}`+
		"\n", typ, text))
}

// bookmark says to all watches that they have all there is.
func (s *modelServer) bookmark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.log.Add(s.version, fmt.Sprintf(
		`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%d"}}}`+"\n",
		s.version))
}

// expire ends all watches, and has their versions forgotten: what follows is a list.
func (s *modelServer) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacted = s.version
	s.version++
	s.log.Cut()
}

func (s *modelServer) List(context.Context, metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var items []string
	for _, name := range slices.Sorted(maps.Keys(s.objects)) {
		items = append(items, "{"+s.objects[name]+"}")
	}
	return io.NopCloser(strings.NewReader(
		fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`,
			s.version, strings.Join(items, ",")))), nil
}

func (s *modelServer) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opts.SendInitialEvents != nil {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io",
			Kind: "ListOptions"}, "", nil)
	}
	from, _ := strconv.Atoi(opts.ResourceVersion)
	if from <= s.compacted {
		return nil, apierrors.NewResourceExpired("too old resource version")
	}
	return s.log.Watch(ctx, from, ""), nil
}
