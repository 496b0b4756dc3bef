package definitions

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/watchlog"
	"github.com/informerd/informerd/pkg/informer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is an API server of definitions.
type server struct {
	mu      sync.Mutex
	version int
	texts   map[string]string
	order   []string
	log     *watchlog.Log
	gone    int  // watches from this version or an older one are refused with 410
	forbid  bool // nothing is allowed
	lists   int
	watches int
}

func newServer() *server { return &server{texts: map[string]string{}, log: watchlog.New()} }

// scoped is the server with a selector.
type scoped struct {
	*server
	scope informer.Scope
}

func (s *server) ListWatcher(_ informer.Resource, scope informer.Scope) informer.ListWatcher {
	return scoped{s, scope}
}

func (s scoped) List(context.Context, metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	if s.forbid {
		return nil, apierrors.NewForbidden(definitionResource.GVR.GroupResource(), "", nil)
	}
	var items []string
	for _, name := range s.order {
		if s.scope.FieldSelector == "" || s.scope.FieldSelector == "metadata.name="+name {
			items = append(items, s.texts[name])
		}
	}
	return io.NopCloser(strings.NewReader(fmt.Sprintf(
		`{"kind":"CustomResourceDefinitionList","apiVersion":"apiextensions.k8s.io/v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`,
		s.version, strings.Join(items, ",")))), nil
}

func (s scoped) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from, _ := strconv.Atoi(opts.ResourceVersion)
	switch {
	case s.forbid:
		return nil, apierrors.NewForbidden(definitionResource.GVR.GroupResource(), "", nil)
	case opts.SendInitialEvents != nil:
		return nil, apierrors.NewBadRequest("lists are not streamed")
	case from <= s.gone && s.gone > 0:
		return nil, apierrors.NewResourceExpired("too old")
	}
	s.watches++
	return s.log.Watch(ctx, from, ""), nil
}

// crd is a definition as a server has it.
type crd struct {
	plural, group, uid string
	kind, scope        string // Gadget, Namespaced
	generation         int
	established        bool
	refused            string // why its names are not accepted
	more               string // members of spec
}

func (c crd) name() string { return c.plural + "." + c.group }

func (c crd) text(version int) string {
	conditions := []string{}
	if c.refused != "" {
		conditions = append(conditions, fmt.Sprintf(
			`{"type":"NamesAccepted","status":"False","reason":"Conflict","message":%q}`,
			c.refused))
	}
	conditions = append(conditions, fmt.Sprintf(`{"type":"Established","status":%q}`,
		map[bool]string{true: "True", false: "False"}[c.established]))
	if c.kind == "" {
		c.kind = "Gadget"
	}
	if c.scope == "" {
		c.scope = "Namespaced"
	}
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":%q,"uid":%q,"resourceVersion":"%d","generation":%d,"annotations":{"last-applied":"%s"}},"spec":{"group":%q,"scope":%q,%s"names":{"plural":%q,"singular":%q,"kind":%q,"shortNames":["gd"]}},"status":{"conditions":[%s]}}`,
		c.name(), c.uid, version, c.generation, strings.Repeat("x", 100), c.group, c.scope, c.more,
		c.plural, strings.ToLower(c.kind), c.kind, strings.Join(conditions, ","))
}

// apply creates or changes a definition; quietly, as if the watch had missed it.
func (s *server) apply(c crd, quietly ...bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	typ := "MODIFIED"
	if s.texts[c.name()] == "" {
		typ, s.order = "ADDED", append(s.order, c.name())
	}
	s.texts[c.name()] = c.text(s.version)
	s.send(typ, s.texts[c.name()], quietly)
}

func (s *server) remove(c crd, quietly ...bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	delete(s.texts, c.name())
	s.order = slices.DeleteFunc(s.order, func(name string) bool { return name == c.name() })
	s.send("DELETED", c.text(s.version), quietly)
}

func (s *server) send(typ, text string, quietly []bool) {
	if len(quietly) == 0 {
		s.log.Add(s.version, fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", typ, text))
	}
}

// compact ends all watches, and has the next ones refused.
func (s *server) compact() {
	s.mu.Lock()
	s.gone = s.version
	s.version++
	s.mu.Unlock()
	s.log.Cut()
}

func (s *server) allow(allowed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forbid = !allowed
}

// seen collects what a Watch passes on.
type seen struct {
	*Watch
	*server
	t    *testing.T
	logs *bytes.Buffer
	mu   sync.Mutex
	got  []string
}

// take returns what came since the last take, once nothing moves any more.
func (s *seen) take() string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	got := strings.Join(s.got, ", ")
	s.got = nil
	return got
}

func (s *seen) expect(want string) {
	s.t.Helper()
	if got := s.take(); got != want {
		s.t.Errorf("got %s\nwant %s", got, want)
	}
}

// watching runs f with a Watch, which has begun if begin is set.
func watching(t *testing.T, begin bool, f func(s *seen)) {
	synctest.Test(t, func(t *testing.T) {
		k := newServer()
		s := &seen{server: k, t: t, logs: &bytes.Buffer{}}
		s.Watch = New(k, slog.New(slog.NewTextHandler(s.logs, nil)))
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			err := s.Run(ctx, func(d *Definition, gone bool) {
				s.mu.Lock()
				defer s.mu.Unlock()
				text := d.Resource().String() + " " + d.UID + "/" + strconv.FormatInt(d.Generation,
					10)
				if s.Get(d.Resource()) != nil != !gone {
					t.Error("what was passed on is not known")
				}
				switch {
				case gone:
					text += " gone"
				case d.Established:
					text += " established"
				case d.Reason != "":
					text += " (" + d.Reason + ")"
				}
				s.got = append(s.got, text)
			})
			if err != nil {
				t.Error(err)
			}
		})
		defer running.Wait()
		defer cancel()
		if begin {
			s.Begin()
		}
		f(s)
	})
}
