package lease

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/backoff"
)

// MaxRecord is how many bytes of data a Record may have: less than the 1 MiB of a ConfigMap, whose
// keys count as well.
const MaxRecord = 900_000

// ErrTaken is the error of a write to a record that somebody else has written since.
var ErrTaken = errors.New("another replica has claimed what the leader writes down")

// Label is one of each Lease and Record that is made for shards, and of each Record.
const Label = "informerd.dev/lease"

// writePause is the longest time between two tries to write a record.
const writePause = time.Second

// Record is what a leader writes down for its successor: a ConfigMap. Make one with NewRecord. One
// goroutine at a time uses it.
type Record struct {
	client    *Client
	namespace string
	name      string
	identity  string
	owners    []metav1.OwnerReference // of a ConfigMap that is made here
	meta      metav1.ObjectMeta       // of the ConfigMap as it was claimed or written last
	available bool                    // it exists
	claimed   *Content
}

// Content is what a record has.
type Content struct {
	Data map[string][]byte
	// Holder is who has written it, and Final that he wrote nothing else and did nothing after it.
	Holder string
	Final  bool
}

// configMap is what is used of a ConfigMap: k8s.io/api/core/v1 would link and register every type of
// Kubernetes' core.
type configMap struct {
	metav1.ObjectMeta `json:"metadata"`
	Data              map[string]string `json:"data,omitempty"`
	BinaryData        map[string][]byte `json:"binaryData,omitempty"`
}

func (r *Record) path() string { return "/api/v1/namespaces/" + r.namespace + "/configmaps" }

// These are keys that no part of the data has: names do not begin like that.
const (
	holderKey = "_holder"
	finalKey  = "_stopped"
)

// NewRecord returns the record of a Lease.
func NewRecord(client *Client, cfg Config) *Record {
	return &Record{client: client, namespace: cfg.Namespace, name: RecordName(cfg.Name),
		identity: cfg.Identity, owners: cfg.Owners}
}

// RecordName returns the name of the ConfigMap that belongs to a Lease.
func RecordName(lease string) string { return lease + "-progress" }

// Read returns what the record has, the zero Content if there is none.
func (r *Record) Read(ctx context.Context) (Content, error) {
	c, _, err := r.read(ctx)
	return c, err
}

func (r *Record) read(ctx context.Context) (Content, *configMap, error) {
	m := &configMap{}
	err := r.client.get(ctx, r.path()+"/"+r.name, m)
	if apierrors.IsNotFound(err) {
		return Content{}, nil, nil
	}
	if err != nil {
		return Content{}, nil, err
	}
	return Content{Data: m.BinaryData, Holder: m.Data[holderKey], Final: m.Data[finalKey] != ""},
		m, nil
}

// Claim returns what the record has, which nobody but this replica can write from then on. It is
// not Final any more for others. Call it again after an error.
func (r *Record) Claim(ctx context.Context) (Content, error) {
	for {
		c, m, err := r.read(ctx)
		if err != nil {
			return c, err
		}
		if r.claimed != nil && c.Holder == r.identity {
			c = *r.claimed // a try that was cut off was successful
		}
		r.claimed = &c
		r.found(m)
		if err = r.put(ctx, Content{Data: c.Data}); err == nil {
			return c, nil
		}
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			return c, err
		}
	}
}

// found notes which ConfigMap there is, nil for none.
func (r *Record) found(m *configMap) {
	if r.available = m != nil; r.available {
		r.meta = m.ObjectMeta // with labels that somebody else has put there
		return
	}
	r.meta = metav1.ObjectMeta{Name: r.name, OwnerReferences: r.owners,
		Labels: map[string]string{Label: "progress"}}
}

// put writes the record once. The content is what is there already, or what has been made since
// this replica has claimed the record.
func (r *Record) put(ctx context.Context, c Content) error {
	m := &configMap{
		ObjectMeta: r.meta,
		Data:       map[string]string{holderKey: r.identity}, BinaryData: c.Data,
	}
	if c.Final {
		m.Data[finalKey] = "yes"
	}
	written, verb, path := &configMap{}, http.MethodPost, r.path()
	if r.available {
		verb, path = http.MethodPut, path+"/"+r.name
	}
	err := r.client.write(ctx, verb, path, m, written)
	if err == nil {
		r.found(written)
	}
	return err
}

// Write writes the record, which this replica has claimed, also if somebody has deleted or emptied
// it. It tries until ctx is done, or the server refuses it. The error is ErrTaken if another replica
// has claimed it since.
func (r *Record) Write(ctx context.Context, c Content) error {
	var cause error // of the last try that ctx has not ended
	for {
		err := r.put(ctx, c)
		if apierrors.IsConflict(err) || apierrors.IsNotFound(err) ||
			apierrors.IsAlreadyExists(err) {
			if err = r.own(ctx); err == nil {
				continue
			}
		}
		switch {
		case err == nil:
			return nil
		case errors.Is(err, ErrTaken):
			return err
		case apierrors.IsForbidden(err) || apierrors.IsInvalid(err) ||
			apierrors.IsRequestEntityTooLargeError(err):
			return fmt.Errorf("the ConfigMap %s cannot be written: %w", r.name, err)
		}
		if ctx.Err() == nil || cause == nil {
			cause = err
		}
		if backoff.Sleep(ctx, writePause) != nil {
			return fmt.Errorf("the ConfigMap %s cannot be written: %w", r.name, cause)
		}
	}
}

// own finds out which version there is of a record that is not the one written last: that of a try
// that was cut off, what somebody who is no replica has made of it, or none. The error is ErrTaken
// if it is another replica's.
func (r *Record) own(ctx context.Context) error {
	now, m, err := r.read(ctx)
	switch {
	case err != nil:
		return err
	case m == nil:
		r.found(nil)
	case now.Holder == r.identity || now.Holder == "": // whoever claims it says so
		r.found(m)
	default:
		return ErrTaken
	}
	return nil
}
