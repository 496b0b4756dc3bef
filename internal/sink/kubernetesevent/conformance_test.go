package kubernetesevent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/internal/wording"
)

var _ sink.Sink = (*Sink)(nil)

var eventsResource = schema.GroupResource{Group: "events.k8s.io", Resource: "events"}

// server is the part of an API server that has Events.
type server struct {
	*sinktest.Log
	fence *sink.Fence // that a kube.Writer would have

	mu       sync.Mutex // guards the fields below
	events   map[string]*eventsv1.Event
	requests []string
}

func newServer() *server {
	return &server{Log: sinktest.NewLog(), events: map[string]*eventsv1.Event{}}
}

func (s *server) Do(ctx context.Context, r sink.KubeRequest) ([]byte, error) {
	for range 2 { // before the request, and for the connection
		if err := s.fence.Check(); err != nil {
			return nil, err
		}
	}
	if r.Group != "events.k8s.io" || r.Resource != "events" || r.Namespace == "" {
		return nil, fmt.Errorf("unexpected request %+v", r)
	}
	s.mu.Lock()
	s.requests = append(s.requests, r.Method)
	s.mu.Unlock()
	if r.Method == http.MethodPatch {
		return s.patch(r)
	}
	var e eventsv1.Event
	if err := json.Unmarshal(r.Body, &e); err != nil {
		return nil, err
	}
	if s.get(e.Name) != nil {
		return nil, apierrors.NewAlreadyExists(eventsResource, e.Name)
	}
	behaviour := s.Take(ctx.Done(), e.Note)
	if behaviour == sinktest.Healthy || behaviour == sinktest.Break {
		s.mu.Lock()
		s.events[e.Name] = &e
		s.mu.Unlock()
	}
	switch behaviour {
	case sinktest.Refuse:
		return nil, apierrors.NewForbidden(eventsResource, e.Name, errors.New("no"))
	case sinktest.Fail:
		return nil, apierrors.NewServiceUnavailable("no")
	case sinktest.Hang:
		return nil, ctx.Err()
	case sinktest.Break:
		return nil, errors.New("connection reset")
	}
	return r.Body, nil
}

func (s *server) get(name string) *eventsv1.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.events[name]
}

func (s *server) patch(r sink.KubeRequest) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.events[r.Name]
	if e == nil {
		return nil, apierrors.NewNotFound(eventsResource, r.Name)
	}
	if err := json.Unmarshal(r.Body, e); err != nil {
		return nil, err
	}
	return json.Marshal(e)
}

// noteIn returns a note that differs for each message of the suite.
func noteIn(m sink.Message) string {
	return fmt.Sprintf("%s %s %s", m.ResourceVersion, m.Object.Name(), m.ID)
}

func TestConformance(t *testing.T) {
	sinktest.Run(t, sinktest.Target{
		New: func(t *testing.T, f *sink.Fence) (sink.Sink, sinktest.Receiver) {
			to := newServer()
			to.fence = f
			s, err := New(Config{API: to, Interval: time.Nanosecond})
			if err != nil {
				t.Fatal(err)
			}
			return s, to
		},
		Prepare: func(m sink.Message) sink.Message {
			note, err := json.Marshal(noteIn(m))
			if err != nil {
				t.Fatal(err)
			}
			m.Report, m.Body, m.Data = nil, sink.BodyData, string(note)
			return m
		},
		Text: func(m sink.Message) string { return wording.Cut(noteIn(m), maxNote) },
		Skip: map[string]string{
			"odd messages/*: read": "an Event has a note, and no CloudEvent",
		},
	})
}
