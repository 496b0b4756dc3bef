package patch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Config is what a Sink is made of. Only API is required.
type Config struct {
	API  sink.KubeAPI
	Type Type
	// Patch makes the patch of a message. Default: the message's data.
	Patch  func(*sink.Message) (string, error)
	DryRun bool
	// Writes is shared by the outputs of a daemon. Default: the sink's own.
	Writes *Writes
	// Timeout bounds what is sent for a message. Default: sink.KubeTimeout.
	Timeout time.Duration
	// Looping records that an object's patches are paused, such as in a Kubernetes Event. Its error
	// is logged. Default: it is only logged.
	Looping func(ctx context.Context, m *sink.Message, note string) error
	// Log is where pauses are logged. Default: nowhere.
	Log *slog.Logger
}

// Sink is the output. Make one with New.
type Sink struct {
	Config
	gate sink.Gate
}

// writes is how many patches of one listener may be under way at the same time.
const writes = 16

// New returns a Sink. It sends nothing yet.
func New(c Config) (*Sink, error) {
	if c.API == nil {
		return nil, errors.New("patch: there is no API server")
	}
	if c.Type > Merge {
		return nil, fmt.Errorf("patch: unknown %v", c.Type)
	}
	c.Writes = cmp.Or(c.Writes, NewWrites())
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.Timeout = cmp.Or(c.Timeout, sink.KubeTimeout)
	return &Sink{Config: c}, nil
}

// Pace implements sink.Sink.
func (s *Sink) Pace() sink.Pace { return sink.Pace{Writes: writes, ByCluster: true} }

// Close implements sink.Sink.
func (s *Sink) Close(ctx context.Context) error {
	return sink.ErrorOf("patch", s.gate.Close(ctx))
}

// Write implements sink.Sink.
func (s *Sink) Write(ctx context.Context, messages []sink.Message) []error {
	return sink.Each(ctx, messages, func(m *sink.Message) error {
		if err := s.gate.Enter(ctx); err != nil {
			return err
		}
		defer s.gate.Leave()
		return sink.About("patch of", m, s.write(ctx, m))
	})
}

func (s *Sink) write(ctx context.Context, m *sink.Message) error {
	if m.Op == event.Delete {
		s.Writes.stats.skipped.Add(1)
		return nil
	}
	body, err := s.body(m)
	if err != nil {
		return sink.Permanent(err)
	}
	if body == nil {
		s.Writes.stats.skipped.Add(1)
		return nil
	}
	id := idOf(m.Object)
	if !s.DryRun {
		if err := s.mayPatch(ctx, m, id); err != nil {
			return err
		}
	}
	done := s.Writes.Of(m.Origin.Cluster, m.Origin.Listener).begin(id)
	made, base, err := s.patch(ctx, m, body)
	done(made, base)
	switch {
	case sink.IsPermanent(err) && m.Object.Value().Get("metadata").Get("deletionTimestamp").Text() != "":
		return sink.Moot(err) // what goes does not take all changes
	case err != nil:
		return err
	case made == "":
		s.Writes.stats.unchanged.Add(1)
	default:
		s.Writes.stats.changed.Add(1)
		s.of(m).loops.changed(id, time.Now())
	}
	return nil
}

// of returns what is known of a message's cluster.
func (s *Sink) of(m *sink.Message) *inCluster { return s.Writes.in(m.Origin.Cluster) }

// mayPatch returns the error of an object whose patches are paused.
func (s *Sink) mayPatch(ctx context.Context, m *sink.Message, id string) error {
	wait, pause := s.of(m).loops.check(id, time.Now())
	if wait == 0 {
		return nil
	}
	if pause > 0 {
		s.Writes.stats.pauses.Add(1)
		note := fmt.Sprintf("informerd has changed the object %d times within %v, last for listener %q; its patches are paused for %v",
			maxChanges, changesWithin, m.Origin.Listener, pause)
		log := s.Log.With("cluster", m.Origin.Cluster, "listener", m.Origin.Listener,
			"resource", m.Origin.Resource, "object", m.Object.Key().String())
		log.WarnContext(ctx, "patches of an object are paused: they seem to be a loop",
			"changes", maxChanges, "within", changesWithin, "pause", pause)
		if s.Looping != nil {
			if err := s.Looping(ctx, m, note); err != nil {
				log.WarnContext(ctx, "cannot record that the patches of an object are paused",
					"error", err)
			}
		}
	}
	return sink.Alone(sink.RetryAfter(ErrPaused, wait))
}

// ErrPaused is the error of a patch of an object whose patches are paused. It says nothing about
// the API server.
var ErrPaused = errors.New("the object was patched too often; its patches are paused")

// versionTries is how often a patch is sent if the object changes at the same time.
const versionTries = 5

// patch sends a patch. It returns the version that this made, "" if it changed nothing, and the
// version before.
func (s *Sink) patch(ctx context.Context, m *sink.Message, b *body) (made, base string, err error) {
	base = m.Object.ResourceVersion()
	deadline := time.Now().Add(s.Timeout)
	resource := s.of(m).versions.of(m.Origin)
	b.readAs(resource.GroupVersion().String())
	for try := 1; ; try++ {
		r := s.request(m, resource, b.on(m.Object, base))
		answer, err := sink.CallKube(ctx, s.API, time.Until(deadline), r)
		if err == nil {
			s.of(m).versions.there(resource)
			after, err := sink.ReadKubeMetadata(answer)
			// Without versions, as in some aggregated APIs, nothing is known to be own.
			if s.DryRun || base == "" || after.ResourceVersion == base {
				return "", base, err
			}
			return after.ResourceVersion, base, err
		}
		if !apierrors.IsConflict(err) {
			return "", base, s.goneError(err, m, resource)
		}
		if managers := conflicts(err); managers != "" {
			return "", base, sink.Permanent(fmt.Errorf(
				"server-side apply conflicts with other managers, which own these fields: %s",
				managers))
		}
		if try == versionTries {
			return "", base, sink.Alone(err)
		}
		if base, err = s.version(ctx, m, resource, deadline); err != nil {
			return "", base, err
		}
	}
}

func (s *Sink) request(m *sink.Message, resource schema.GroupVersionResource,
	body []byte) sink.KubeRequest {
	r := target(m, resource)
	r.Method, r.ContentType, r.Body = http.MethodPatch, s.Type.contentType(), body
	r.FieldManager, r.DryRun = "informerd/"+m.Origin.Listener, s.DryRun
	return r
}

// version returns the present version of a message's object.
func (s *Sink) version(ctx context.Context, m *sink.Message, resource schema.GroupVersionResource,
	deadline time.Time) (string, error) {
	r := target(m, resource)
	r.Method = http.MethodGet
	answer, err := sink.CallKube(ctx, s.API, time.Until(deadline), r)
	if err != nil {
		return "", s.goneError(err, m, resource)
	}
	found, err := sink.ReadKubeMetadata(answer)
	if err != nil {
		return "", err
	}
	if found.UID != m.Object.UID() {
		return "", sink.Moot(errReplaced)
	}
	return found.ResourceVersion, nil
}

var (
	errGone     = errors.New("the object no longer exists")
	errReplaced = errors.New("the object no longer exists; there is another one of its name")
)

// goneError returns err, or an error that says so if the object or its resource does not exist.
func (s *Sink) goneError(err error, m *sink.Message, resource schema.GroupVersionResource) error {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return err
	}
	if d := status.Status().Details; d == nil || d.Name != m.Object.Name() {
		return s.of(m).versions.absent(resource, err, time.Now())
	}
	return sink.Moot(errGone)
}

// conflicts returns the managers of an error of server-side apply, with their fields, "" for other
// errors.
func conflicts(err error) string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return ""
	}
	var list []string
	for _, c := range status.Status().Details.Causes {
		if c.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		if len(list) == maxConflicts {
			list = append(list, "…")
			break
		}
		// as in: conflict with "kubectl" using v1
		manager := strings.TrimPrefix(c.Message, "conflict with ")
		list = append(list, fmt.Sprintf("%s of %s", wording.Cut(c.Field, maxConflict),
			cmp.Or(wording.Cut(manager, maxConflict), "another manager")))
	}
	return strings.Join(list, ", ")
}

// What the error of a conflict has at most.
const (
	maxConflicts = 5
	maxConflict  = 200 // bytes
)

func target(m *sink.Message, r schema.GroupVersionResource) sink.KubeRequest {
	return sink.KubeRequest{Cluster: m.Origin.Cluster, Group: r.Group, Version: r.Version,
		Resource: r.Resource, Namespace: m.Object.Namespace(), Name: m.Object.Name(),
		MetadataOnly: true}
}
