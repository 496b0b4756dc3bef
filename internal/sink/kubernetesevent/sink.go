package kubernetesevent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/lru"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/wording"
)

// Config is what a Sink is made of. Only API is required.
type Config struct {
	API sink.KubeAPI
	// Instance is the reportingInstance. Default: informerd- and the host's name.
	Instance string
	// Timeout bounds a request. Default: sink.KubeTimeout.
	Timeout time.Duration
	// Interval is the time between two writes of a series. Default: 1s.
	Interval time.Duration
}

// Sink is the output. Make one with New.
type Sink struct {
	api      sink.KubeAPI
	instance string
	timeout  time.Duration
	series   *seriesCache
	gate     sink.Gate
}

const (
	fieldManager = "informerd"
	writes       = 32 // at the same time, for a listener
)

// New returns a Sink. It writes nothing yet.
func New(c Config) (*Sink, error) {
	if c.API == nil {
		return nil, fmt.Errorf("kubernetesEvent: there is no API server")
	}
	if c.Instance == "" {
		host, err := os.Hostname()
		if err != nil {
			return nil, fmt.Errorf("kubernetesEvent: the host's name is not known: %w", err)
		}
		c.Instance = "informerd-" + host
	}
	return &Sink{api: c.API, instance: wording.Cut(c.Instance, maxInstance),
		timeout: cmp.Or(c.Timeout, sink.KubeTimeout),
		series:  &seriesCache{interval: cmp.Or(c.Interval, time.Second), known: lru.New(maxSeries)}}, nil
}

// Pace implements sink.Sink.
func (s *Sink) Pace() sink.Pace { return sink.Pace{Writes: writes, ByCluster: true} }

// Close implements sink.Sink.
func (s *Sink) Close(ctx context.Context) error {
	return sink.ErrorOf("kubernetesEvent", s.gate.Close(ctx))
}

// Write implements sink.Sink.
func (s *Sink) Write(ctx context.Context, messages []sink.Message) []error {
	return sink.Each(ctx, messages, func(m *sink.Message) error {
		if isOwn(m) {
			return nil
		}
		return s.Record(ctx, m, describe(m))
	})
}

// Record writes an Event about a message's object that says something else than the message. It
// returns when the API server has it, with an error as Write does.
func (s *Sink) Record(ctx context.Context, m *sink.Message, w What) error {
	if err := s.gate.Enter(ctx); err != nil {
		return err
	}
	defer s.gate.Leave()
	return sink.About("Kubernetes Event about", m, s.record(ctx, s.newEvent(m, w)))
}

func (s *Sink) record(ctx context.Context, e *kubeEvent) error {
	known := s.series.of(e)
	if err := known.lock(ctx, s.gate.Closed()); err != nil {
		return err
	}
	defer known.unlock()
	if known.continues(e, time.Now()) {
		if err := s.series.pause(ctx, known, s.gate.Closed()); err != nil {
			return err
		}
		err := s.extend(ctx, known, e)
		if !apierrors.IsNotFound(err) {
			return err
		}
		known.name = "" // it has expired, or its namespace is gone
	}
	return s.create(ctx, known, e)
}

func (s *Sink) create(ctx context.Context, known *series, e *kubeEvent) error {
	body, _ := json.Marshal(e) // texts and times always have a JSON form
	err := s.send(ctx, sink.KubeRequest{Method: http.MethodPost, Cluster: e.cluster,
		Namespace: e.Namespace, Body: body})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	// An Event of this name exists if the answer to the same message was lost.
	known.name, known.count, known.written = e.Name, 1, time.Now()
	return nil
}

// extend counts one more in the Event of a series.
func (s *Sink) extend(ctx context.Context, known *series, e *kubeEvent) error {
	body, _ := json.Marshal(map[string]any{"series": map[string]any{ // they always have a JSON form
		"count": known.count + 1, "lastObservedTime": e.EventTime}})
	err := s.send(ctx, sink.KubeRequest{Method: http.MethodPatch, Cluster: e.cluster,
		Namespace: e.Namespace, Name: known.name, ContentType: sink.MergePatch, Body: body})
	if err == nil {
		known.count, known.written = known.count+1, time.Now()
	}
	return err
}

func (s *Sink) send(ctx context.Context, r sink.KubeRequest) error {
	r.Group, r.Version, r.Resource = "events.k8s.io", "v1", "events"
	r.FieldManager, r.MetadataOnly = fieldManager, true
	answer, err := sink.CallKube(ctx, s.api, s.timeout, r)
	if err != nil {
		return err
	}
	_, err = sink.ReadKubeMetadata(answer)
	return err
}
