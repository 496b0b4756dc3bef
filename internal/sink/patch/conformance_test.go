package patch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/informer/event"
)

var _ sink.Sink = (*Sink)(nil)

// api is an API made of one function.
type api func(ctx context.Context, r sink.KubeRequest) ([]byte, error)

func (f api) Do(ctx context.Context, r sink.KubeRequest) ([]byte, error) { return f(ctx, r) }

var pods = schema.GroupResource{Resource: "pods"}

// answer is the metadata of a Pod that the server answers with.
func answer(name, uid, version string) []byte {
	text, err := json.Marshal(map[string]any{"metadata": sink.KubeMetadata{Name: name, UID: uid,
		ResourceVersion: version}})
	if err != nil {
		panic(err)
	}
	return text
}

// annotated is a patch of the suite.
type annotated struct {
	Metadata struct {
		Name            string            `json:"name,omitempty"`
		UID             string            `json:"uid,omitempty"`
		ResourceVersion string            `json:"resourceVersion,omitempty"`
		Annotations     map[string]string `json:"annotations"`
	} `json:"metadata"`
}

// annotationOf is what the patch of a message changes.
func annotationOf(m sink.Message) string {
	return fmt.Sprintf("%s %s %s", m.ResourceVersion, m.Object.Name(), m.ID)
}

func TestConformance(t *testing.T) {
	sinktest.Run(t, sinktest.Target{
		New: func(t *testing.T, f *sink.Fence) (sink.Sink, sinktest.Receiver) {
			log := sinktest.NewLog()
			s, err := New(Config{Type: Merge, API: api(func(ctx context.Context,
				r sink.KubeRequest) ([]byte, error) {
				for range 2 { // before the request, and for the connection
					if err := f.Check(); err != nil {
						return nil, err
					}
				}
				var p annotated
				if err := json.Unmarshal(r.Body, &p); err != nil {
					return nil, err
				}
				switch log.Take(ctx.Done(), p.Metadata.Annotations["message"]) {
				case sinktest.Refuse:
					return nil, apierrors.NewForbidden(pods, r.Name, errors.New("no"))
				case sinktest.Fail:
					return nil, apierrors.NewServiceUnavailable("no")
				case sinktest.Hang:
					return nil, ctx.Err()
				case sinktest.Break:
					return nil, errors.New("connection reset")
				}
				// The version of the message, or else it would be a loop.
				return answer(p.Metadata.Name, p.Metadata.UID, p.Metadata.ResourceVersion), nil
			})})
			if err != nil {
				t.Fatal(err)
			}
			return s, log
		},
		Prepare: func(m sink.Message) sink.Message {
			var p annotated
			p.Metadata.Annotations = map[string]string{"message": annotationOf(m)}
			data, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			m.Report, m.Body, m.Data = nil, sink.BodyData, string(data)
			if m.Op == event.Delete {
				m.Op = event.Update
			}
			return m
		},
		Text: annotationOf,
		Skip: map[string]string{
			"odd messages/*: read": "a patch is no CloudEvent",
		},
	})
}
