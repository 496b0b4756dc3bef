package stress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	namespaces  = 4
	numberField = "n" // of a ConfigMap's data
	// requestTimeout ends a request that a server has accepted and no longer answers.
	requestTimeout = 10 * time.Second
	// retryPause is the time between two requests while the server is away.
	retryPause = 50 * time.Millisecond
)

func namespace(i int) string { return fmt.Sprintf("stress-%d", i%namespaces) }

// ours reports whether the test has written the object: the API server has ConfigMaps of its own.
func ours(key event.Key) bool { return strings.HasPrefix(key.Namespace, "stress-") }

// writer changes objects that no other writer changes. It checks the outcome of each request that
// failed, so that truth has every state.
type writer struct {
	client  dynamic.Interface
	truth   *truth
	rng     *rand.Rand
	objects []*objectText
	unclear int // requests whose outcome had to be checked
}

// objectText is a name and its current object.
type objectText struct {
	key     event.Key
	number  int
	alive   bool
	uid     types.UID
	version string
}

func newWriters(client dynamic.Interface, tr *truth, s size) []*writer {
	writers := make([]*writer, s.writers)
	for i := range writers {
		writers[i] = &writer{client: client, truth: tr,
			rng: rand.New(rand.NewPCG(s.seed, uint64(i)))}
	}
	for i := range s.objects {
		w := writers[i%s.writers]
		w.objects = append(w.objects,
			&objectText{key: event.Key{Namespace: namespace(i / s.writers),
				Name: fmt.Sprintf("object-%d", i)}})
	}
	return writers
}

// fill creates the missing objects, up to a share of all.
func (w *writer) fill(ctx context.Context, share float64) error {
	for _, o := range w.objects[:int(share*float64(len(w.objects)))] {
		for !o.alive {
			if err := w.create(ctx, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// change runs until stop is closed. Half of the changes are to a tenth of the objects.
func (w *writer) change(ctx context.Context, stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		default:
		}
		among := len(w.objects)
		if w.rng.IntN(2) == 0 {
			among = max(1, among/10)
		}
		if err := w.step(ctx, w.objects[w.rng.IntN(among)]); err != nil {
			return err
		}
	}
}

func (w *writer) step(ctx context.Context, o *objectText) error {
	if !o.alive {
		return w.create(ctx, o)
	}
	switch w.rng.IntN(7) {
	case 0:
		return w.delete(ctx, o)
	case 1:
		if err := w.delete(ctx, o); err != nil || o.alive {
			return err
		}
		return w.create(ctx, o)
	default:
		return w.update(ctx, o)
	}
}

func (w *writer) configMaps(o *objectText) dynamic.ResourceInterface {
	return w.client.Resource(configMaps.GroupVersionResource).Namespace(o.key.Namespace)
}

func (w *writer) create(ctx context.Context, o *objectText) error {
	return w.write(ctx, o, func(ctx context.Context) (*unstructured.Unstructured, error) {
		return w.configMaps(o).Create(ctx, w.next(o), metav1.CreateOptions{})
	})
}

func (w *writer) update(ctx context.Context, o *objectText) error {
	return w.write(ctx, o, func(ctx context.Context) (*unstructured.Unstructured, error) {
		next := w.next(o)
		next.SetUID(o.uid)
		next.SetResourceVersion(o.version)
		return w.configMaps(o).Update(ctx, next, metav1.UpdateOptions{})
	})
}

// delete has the known state as its precondition, so that no unrecorded state can be deleted.
func (w *writer) delete(ctx context.Context, o *objectText) error {
	return w.write(ctx, o, func(ctx context.Context) (*unstructured.Unstructured, error) {
		known := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &o.uid,
			ResourceVersion: &o.version}}
		return nil, w.configMaps(o).Delete(ctx, o.key.Name, known)
	})
}

// next sets new content, which is small and varied.
func (w *writer) next(o *objectText) *unstructured.Unstructured {
	o.number++
	metadata := map[string]any{"namespace": o.key.Namespace, "name": o.key.Name}
	data := map[string]any{numberField: strconv.Itoa(o.number)}
	next := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata,
		"data": data}
	if w.rng.IntN(2) == 0 {
		metadata["labels"] = map[string]any{"app": "app-" + strconv.Itoa(w.rng.IntN(20)),
			"tier": "t" + strconv.Itoa(w.rng.IntN(3))}
	}
	if w.rng.IntN(3) == 0 {
		metadata["annotations"] = map[string]any{"note": `"quoted" \ and ` +
			"\n\t\u2028 grüße <&> \U0001f600"}
	}
	if w.rng.IntN(2) == 0 {
		data["text"] = strings.Repeat(`{"n":"-1"},`, w.rng.IntN(60))
	}
	if w.rng.IntN(8) == 0 {
		next["binaryData"] = map[string]any{"bytes": strings.Repeat("AAAA", w.rng.IntN(60))}
	}
	return &unstructured.Unstructured{Object: next}
}

// write sends a request and records its outcome. The request's error does not decide: the server,
// or the connection to it, may have gone before or after the request was carried out.
func (w *writer) write(ctx context.Context, o *objectText,
	request func(context.Context) (*unstructured.Unstructured, error)) error {
	own, cancel := context.WithTimeout(ctx, requestTimeout)
	now, err := request(own)
	cancel()
	if err != nil {
		w.unclear++
		if now, err = w.look(ctx, o, err); err != nil {
			return err
		}
	}
	w.note(o, now)
	return nil
}

// note records the current state, nil for none.
func (w *writer) note(o *objectText, now *unstructured.Unstructured) {
	if o.alive && (now == nil || now.GetUID() != o.uid) {
		w.truth.deleted(o.key)
		o.alive = false
	}
	if now == nil || o.alive && now.GetResourceVersion() == o.version {
		return
	}
	o.alive, o.uid, o.version = true, now.GetUID(), now.GetResourceVersion()
	// "" is noticed later
	number, _, _ := unstructured.NestedString(now.Object, "data", numberField)
	w.truth.wrote(o.key, string(o.uid), state{version: mustVersion(o.version), number: number,
		at: time.Now()})
}

// look repeats the request until the server returns the current state; nil is none.
func (w *writer) look(ctx context.Context, o *objectText, cause error) (*unstructured.Unstructured,
	error) {
	var now *unstructured.Unstructured
	err := retry(ctx, retryPause, func(ctx context.Context) (err error) {
		now, err = w.configMaps(o).Get(ctx, o.key.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			now, err = nil, nil
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the outcome for %s after %w: %w", o.key, cause, err)
	}
	return now, nil
}

// retry repeats a request until it succeeds or ctx is done.
func retry(ctx context.Context, pause time.Duration, request func(context.Context) error) error {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		own, cancel := context.WithTimeout(ctx, requestTimeout)
		err := request(own)
		cancel()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}

func mustVersion(text string) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		panic(err) // the API server and etcd count
	}
	return n
}

func createNamespaces(ctx context.Context, client dynamic.Interface) error {
	for i := range namespaces {
		err := retry(ctx, retryPause, func(ctx context.Context) error {
			_, err := client.Resource(schema.GroupVersionResource{Version: "v1",
				Resource: "namespaces"}).Create(ctx,
				&unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "v1", "kind": "Namespace",
					"metadata": map[string]any{"name": namespace(i)},
				}}, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// list returns the objects at the API server at the end.
func list(ctx context.Context, client dynamic.Interface) (final, error) {
	f := final{}
	for i := range namespaces {
		err := retry(ctx, retryPause, func(ctx context.Context) error {
			found, err := client.Resource(configMaps.GroupVersionResource).Namespace(
				namespace(i)).List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			for _, o := range found.Items {
				f[event.Key{Namespace: o.GetNamespace(), Name: o.GetName()}] = identity{
					string(o.GetUID()), mustVersion(o.GetResourceVersion())}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}
