package lease

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/kube"
)

// Client asks an API server for Leases and ConfigMaps. It is safe for concurrent use, and has
// connections of its own, so that nothing else that is asked of the server delays it.
type Client struct{ rest rest.Interface }

// NewClient returns a client for the server of the configuration, without connecting to it.
func NewClient(cfg *rest.Config) (*Client, error) {
	c, err := kube.NewJSONClient(cfg)
	if err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

func (c *Client) get(ctx context.Context, path string, object any) error {
	return kube.ReadJSON(c.rest.Get().AbsPath(path).Do(ctx), object)
}

// write sends an object by POST or PUT, and reads what the server has made of it.
func (c *Client) write(ctx context.Context, verb, path string, object, written any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return kube.ReadJSON(c.rest.Verb(verb).AbsPath(path).Body(body).
		SetHeader("Content-Type", runtime.ContentTypeJSON).Do(ctx), written)
}

// writeLease creates a Lease that has no version yet, or updates the one of that version.
func (c *Client) writeLease(ctx context.Context, l *coordinationv1.Lease) (
	written coordinationv1.Lease, err error) {
	verb, path := http.MethodPut, leasesPath(l.Namespace)+"/"+l.Name
	if l.ResourceVersion == "" {
		verb, path = http.MethodPost, leasesPath(l.Namespace)
	}
	err = c.write(ctx, verb, path, l, &written)
	return written, err
}

// deleteLease deletes a Lease unless it has changed.
func (c *Client) deleteLease(ctx context.Context, l *coordinationv1.Lease) error {
	body, err := json.Marshal(metav1.DeleteOptions{
		TypeMeta:      metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions: &metav1.Preconditions{UID: &l.UID, ResourceVersion: &l.ResourceVersion},
	})
	if err != nil {
		return err
	}
	return c.rest.Delete().AbsPath(leasesPath(l.Namespace)+"/"+l.Name).Body(body).
		SetHeader("Content-Type", runtime.ContentTypeJSON).Do(ctx).Error()
}

// leases returns those of a namespace that have a label.
func (c *Client) leases(ctx context.Context, namespace string, label labels.Set) (
	[]coordinationv1.Lease, error) {
	var list coordinationv1.LeaseList
	err := kube.ReadJSON(c.rest.Get().AbsPath(leasesPath(namespace)).
		Param("labelSelector", label.String()).Do(ctx), &list)
	return list.Items, err
}

// watch calls changed with each state of a Lease that comes after the present one, until the server
// or ctx ends that.
func (c *Client) watch(ctx context.Context, path, name string,
	changed func(*coordinationv1.Lease)) error {
	one := fields.OneTermEqualSelector(metav1.ObjectNameField, name).String()
	var list metav1.PartialObjectMetadataList
	err := kube.ReadJSON(c.rest.Get().AbsPath(path).Param("fieldSelector", one).Do(ctx), &list)
	if err != nil {
		return err
	}
	frames, err := c.rest.Get().AbsPath(path).Param("fieldSelector", one).Param("watch", "true").
		Param("resourceVersion", list.ResourceVersion).Stream(ctx)
	if err != nil {
		return err
	}
	defer frames.Close()
	for d := json.NewDecoder(frames); ; {
		var frame struct {
			Type   string
			Object coordinationv1.Lease
		}
		switch err := d.Decode(&frame); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case frame.Type == "ERROR":
			return errors.New("the watch is refused")
		}
		changed(&frame.Object)
	}
}
