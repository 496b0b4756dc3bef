package route

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
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// leaveServer is an API server of pods.
type leaveServer struct {
	mu        sync.Mutex
	version   int
	pods      map[string]leavePod // by name
	log       *watchlog.Log
	compacted int // what was before it is not there any more
	// created and ended are the versions of each uid.
	created, ended map[string]int
	// from and to are what a process does not know of, but an earlier one may: a list does not show
	// the objects that came and went between these versions. Nobody can know of these.
	from, to int
	unseen   map[string]bool
}

// leavePod is a pod as it is now.
type leavePod struct {
	uid, phase string
	version    int
}

func newLeaveServer() *leaveServer {
	return &leaveServer{version: 100, pods: map[string]leavePod{}, log: watchlog.New(),
		created: map[string]int{}, ended: map[string]int{}, unseen: map[string]bool{}}
}

func (s *leaveServer) ListWatcher(informer.Resource, informer.Scope) informer.ListWatcher {
	return s
}

func (p leavePod) text(name string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop",`+
		`"uid":%q,"resourceVersion":"%d"},"status":{"phase":%q}}`, name, p.uid, p.version, p.phase)
}

// put makes a pod, or changes it.
func (s *leaveServer) put(name, phase string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	kind, p := "MODIFIED", s.pods[name]
	if p.uid == "" {
		kind, p.uid = "ADDED", fmt.Sprint("u", s.version)
		s.created[p.uid] = s.version
	}
	p.phase, p.version = phase, s.version
	s.pods[name] = p
	s.log.Add(s.version, fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", kind, p.text(name)))
}

func (s *leaveServer) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, there := s.pods[name]
	if !there {
		return
	}
	s.version++
	delete(s.pods, name)
	s.ended[p.uid], p.version = s.version, s.version
	s.log.Add(s.version, fmt.Sprintf(`{"type":"DELETED","object":%s}`+"\n", p.text(name)))
}

// is reports whether a pod is there in the state of a version.
func (s *leaveServer) is(name string, version int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, there := s.pods[name]
	return there && p.version == version
}

// bookmark says to those who watch that they have everything.
func (s *leaveServer) bookmark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.log.Add(s.version, fmt.Sprintf(`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",`+
		`"metadata":{"resourceVersion":"%d"}}}`+"\n", s.version))
}

// begin notes that a process begins with the objects as they were at a version.
func (s *leaveServer) begin(from int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from, s.to = from, s.version
}

// compact has the server forget what was before this moment, and ends watches.
func (s *leaveServer) compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.compacted = s.version
	s.log.Cut()
}

func (s *leaveServer) List(context.Context, metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uid := range s.ended {
		if n := s.created[uid]; n > s.from && n <= s.to {
			s.unseen[uid] = true
		}
	}
	var items []string
	for _, name := range slices.Sorted(maps.Keys(s.pods)) {
		items = append(items, s.pods[name].text(name))
	}
	return io.NopCloser(strings.NewReader(fmt.Sprintf(
		`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`,
		s.version, strings.Join(items, ",")))), nil
}

func (s *leaveServer) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
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

// keptPods is what cuts of an informer make together, as texts.
type keptPods struct {
	version string
	objects map[event.Key]string
	gone    map[event.Key]string
	told    map[event.Key]keptPod
	joined  bool // the subscription is in it
	begins  bool // it knows nothing else
	killed  bool // what the last cut says of it
}

// keptPod is what the subscription knows of a name, and may know.
type keptPod struct {
	state   string // "" for none
	present bool
	same    bool
	gone    []string
}

// clone returns a copy.
func (k keptPods) clone() keptPods {
	k.objects, k.gone, k.told = maps.Clone(k.objects), maps.Clone(k.gone), maps.Clone(k.told)
	return k
}

// apply adds a cut.
func (k *keptPods) apply(cut *informer.InformerCut) {
	if cut.Whole || k.objects == nil {
		*k = keptPods{objects: map[event.Key]string{}, gone: map[event.Key]string{},
			told: map[event.Key]keptPod{}, joined: k.joined && !cut.Whole}
	}
	k.version, k.killed = cut.Version, cut.Killed
	for o := range cut.Objects {
		k.objects[o.Key()] = o.JSON()
		delete(k.gone, o.Key())
	}
	for _, gone := range cut.Gone {
		delete(k.objects, gone.Key)
		k.gone[gone.Key] = gone.Version
	}
	for _, t := range cut.Unfinished {
		if k.joined = true; t.Whole {
			clear(k.told)
			k.begins = t.Begins
		}
		for _, e := range t.Entries {
			if e.Ended {
				delete(k.told, e.Key)
				continue
			}
			is := keptPod{present: e.Present, same: e.Same}
			if e.State != nil {
				is.state = e.State.JSON()
			}
			for _, o := range e.Gone {
				is.gone = append(is.gone, o.JSON())
			}
			k.told[e.Key] = is
		}
	}
}

// stored returns what an informer begins with, nil if there was no cut.
func (k *keptPods) stored(subscription string, killed bool) *informer.Stored {
	if k.objects == nil || !k.joined {
		return nil
	}
	s := &informer.Stored{Version: k.version, Killed: killed,
		Unfinished: map[string][]informer.Unfinished{subscription: nil}}
	for _, text := range k.objects {
		s.Objects = append(s.Objects, mustParse(text))
	}
	for key, version := range k.gone {
		s.Gone = append(s.Gone, informer.Gone{Key: key, Version: version})
	}
	if k.begins {
		s.Begins = []string{subscription}
	}
	for key, is := range k.told {
		e := informer.Unfinished{Key: key, State: mustParse(is.state), Present: is.present,
			Same: is.same}
		for _, text := range is.gone {
			e.Gone = append(e.Gone, mustParse(text))
		}
		s.Unfinished[subscription] = append(s.Unfinished[subscription], e)
	}
	return s
}

// mustParse returns the object of a text, nil of none.
func mustParse(text string) *object.Object {
	if text == "" {
		return nil
	}
	o, err := parsed([]byte(text))
	if err != nil {
		panic(err)
	}
	return o
}
