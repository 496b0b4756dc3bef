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

	"github.com/informerd/informerd/pkg/informer"
)

// modelServer is an API server of pods: it keeps objects and a history, lists the former and watches the latter.
type modelServer struct {
	mu        sync.Mutex
	version   int
	objects   map[string]string
	history   []modelFrame
	changed   chan struct{} // closed at the next change
	cut       chan struct{} // closed to end all watches
	compacted int           // watches from here or before are refused
}

type modelFrame struct {
	version int
	text    string
}

func newModelServer() *modelServer {
	return &modelServer{version: 100, objects: map[string]string{}, changed: make(chan struct{}), cut: make(chan struct{})}
}

func (s *modelServer) ListWatcher(informer.Resource, informer.Scope) informer.ListWatcher { return s }

// apply creates or updates an object of which the text has a place for its version; if quietly, the watch misses it.
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
	s.publish("DELETED", strings.Replace(text, `"resourceVersion":"`+version, `"resourceVersion":"`+strconv.Itoa(s.version), 1), quietly)
}

func (s *modelServer) publish(typ, text string, quietly bool) {
	if quietly {
		return
	}
	s.history = append(s.history, modelFrame{s.version, fmt.Sprintf(`{"type":%q,"object":{"kind":"Pod","apiVersion":"v1",%s}}`+"\n", typ, text)})
	close(s.changed)
	s.changed = make(chan struct{})
}

// expire ends all watches, and has their versions forgotten: what follows is a list.
func (s *modelServer) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compacted = s.version
	s.version++
	close(s.cut)
	s.cut = make(chan struct{})
}

func (s *modelServer) List(context.Context, metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var items []string
	for _, name := range slices.Sorted(maps.Keys(s.objects)) {
		items = append(items, "{"+s.objects[name]+"}")
	}
	return io.NopCloser(strings.NewReader(fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`,
		s.version, strings.Join(items, ",")))), nil
}

func (s *modelServer) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if opts.SendInitialEvents != nil {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: "meta.k8s.io", Kind: "ListOptions"}, "", nil)
	}
	from, _ := strconv.Atoi(opts.ResourceVersion)
	if from <= s.compacted {
		return nil, apierrors.NewResourceExpired("too old resource version")
	}
	return &modelWatch{ctx: ctx, server: s, version: from, cut: s.cut}, nil
}

// modelWatch is the body of one watch.
type modelWatch struct {
	ctx     context.Context
	server  *modelServer
	version int
	cut     chan struct{}
	rest    string
}

func (w *modelWatch) Close() error { return nil }

func (w *modelWatch) Read(p []byte) (int, error) {
	for w.rest == "" {
		w.server.mu.Lock()
		for _, f := range w.server.history {
			if f.version > w.version {
				w.rest, w.version = f.text, f.version
				break
			}
		}
		changed := w.server.changed
		w.server.mu.Unlock()
		if w.rest != "" {
			break
		}
		select {
		case <-changed:
		case <-w.cut:
			return 0, io.EOF
		case <-w.ctx.Done():
			return 0, w.ctx.Err()
		}
	}
	n := copy(p, w.rest)
	w.rest = w.rest[n:]
	return n, nil
}
