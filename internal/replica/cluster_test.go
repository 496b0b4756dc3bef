package replica

import (
	"context"
	"encoding/json"
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

// pods are an API server's: it lists those that there are, or were at a version, and watches.
type podServer struct {
	mu        sync.Mutex
	version   int
	objects   map[string]string         // by name
	past      map[int]map[string]string // objects by version
	log       *watchlog.Log
	compacted int // what was before it is not there any more
	held      chan struct{}
	lists     []metav1.ListOptions
}

func newPodServer() *podServer {
	return &podServer{version: 100, objects: map[string]string{}, log: watchlog.New(),
		past: map[int]map[string]string{100: {}}}
}

func (s *podServer) ListWatcher(informer.Resource, informer.Scope) informer.ListWatcher { return s }

// apply creates or changes a pod, and returns the version.
func (s *podServer) apply(name, uid, state string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	kind := "ADDED"
	if _, there := s.objects[name]; there {
		kind = "MODIFIED"
	}
	s.version++
	s.objects[name] = podText(name, uid, s.version, state)
	s.publish(kind, s.objects[name])
	return s.version
}

func (s *podServer) remove(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var o struct {
		Metadata struct{ UID string }
	}
	if err := json.Unmarshal([]byte(s.objects[name]), &o); err != nil {
		panic(err)
	}
	s.version++
	delete(s.objects, name)
	s.publish("DELETED", podText(name, o.Metadata.UID, s.version, ""))
	return s.version
}

func (s *podServer) publish(kind, text string) {
	s.past[s.version] = maps.Clone(s.objects)
	s.log.Add(s.version, fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", kind, text))
}

// restore has the server be as it was at a version, and ends watches.
func (s *podServer) restore(version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.objects = version, maps.Clone(s.past[version])
	s.log.Rewind(version)
}

// compact has the server forget what was before this moment, and ends watches.
func (s *podServer) compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.past[s.version] = maps.Clone(s.objects)
	s.compacted = s.version
	s.log.Cut()
}

// hold has lists wait until the context that they were asked for with is done, or release.
func (s *podServer) hold() (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := make(chan struct{})
	s.held = held
	return sync.OnceFunc(func() { close(held) })
}

func (s *podServer) listed() []metav1.ListOptions {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lists)
}

func (s *podServer) List(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	if held != nil {
		select {
		case <-held:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists = append(s.lists, opts)
	version := s.version
	if opts.ResourceVersionMatch == metav1.ResourceVersionMatchExact {
		if version, _ = strconv.Atoi(opts.ResourceVersion); version < s.compacted {
			return nil, apierrors.NewResourceExpired("too old resource version")
		}
	}
	var items []string
	for _, name := range slices.Sorted(maps.Keys(s.past[version])) {
		items = append(items, s.past[version][name])
	}
	return io.NopCloser(strings.NewReader(fmt.Sprintf(
		`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`,
		version, strings.Join(items, ",")))), nil
}

func (s *podServer) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opts.SendInitialEvents != nil {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io",
			Kind: "ListOptions"}, "", nil)
	}
	from, _ := strconv.Atoi(opts.ResourceVersion)
	if from < s.compacted {
		return nil, apierrors.NewResourceExpired("too old resource version")
	}
	return s.log.Watch(ctx, from, ""), nil
}
