package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/patch"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// patched is an API that records which versions its patches made.
type patched struct {
	sink.KubeAPI
	mu   sync.Mutex
	made map[string]bool
}

func (p *patched) Do(ctx context.Context, r sink.KubeRequest) ([]byte, error) {
	answer, err := p.KubeAPI.Do(ctx, r)
	if err != nil || r.Method != "PATCH" {
		return answer, err
	}
	after, err := sink.ReadKubeMetadata(answer)
	p.mu.Lock()
	p.made[after.ResourceVersion] = true
	p.mu.Unlock()
	return answer, err
}

// A listener patches each object at each event, while somebody else changes the objects as well. It
// gets every change of theirs, and none of its own.
func TestOwnWritesAmongOthers(t *testing.T) {
	t.Parallel()
	const objects, changes = 20, 4
	w := newWriting(t, "own-writes")
	api := &patched{KubeAPI: w.api, made: map[string]bool{}}
	writes := patch.NewWrites()
	s, err := patch.New(patch.Config{API: api, Type: patch.Merge, Writes: writes})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var workers sync.WaitGroup
	t.Cleanup(func() {
		cancel()
		workers.Wait()
	})

	var mu sync.Mutex
	passed := map[string]bool{} // versions that were not own
	all := map[string]bool{}
	events := map[string]chan watch.Event{}
	ended := make(chan string, objects)
	for n := range objects {
		name := fmt.Sprint("map-", n)
		created, err := w.maps.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name},
		}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		changed := make(chan watch.Event, 100)
		events[name] = changed
		last := w.parse(created)
		// A worker has the events of an object in order.
		workers.Go(func() {
			for e := range changed {
				o := w.parse(e.Object.(*unstructured.Unstructured))
				if o.ResourceVersion() == last.ResourceVersion() {
					continue // it was created
				}
				own := writes.Of("c", "fixer").Own(ctx, &event.Event{Op: event.Update, Object: o,
					Old: last})
				last = o
				mu.Lock()
				all[o.ResourceVersion()] = true
				if !own {
					passed[o.ResourceVersion()] = true
				}
				mu.Unlock()
				if end, _ := object.MustCompilePath("data.end").Lookup(o).Any().(string); end !=
					"" && own {
					ended <- name
				}
				if own {
					continue
				}
				workers.Go(func() { // as an output does, which has its own pace
					m := w.message(o, fmt.Sprintf(`{"data":{"seen":%q}}`, o.ResourceVersion()))
					if err := writeTo(s, m); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
	watcher, err := w.maps.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	workers.Go(func() {
		defer watcher.Stop()
		defer func() {
			for _, c := range events {
				close(c)
			}
		}()
		for {
			select {
			case e := <-watcher.ResultChan():
				o, ok := e.Object.(*unstructured.Unstructured)
				if ok && events[o.GetName()] != nil {
					events[o.GetName()] <- e
				}
			case <-ctx.Done():
				return
			}
		}
	})
	for n := range changes {
		for name := range events {
			data := fmt.Sprintf(`{"data":{"n":"%d"}}`, n)
			if n == changes-1 {
				data = `{"data":{"end":"yes"}}`
			}
			if _, err := w.maps.Patch(ctx, name, types.MergePatchType, []byte(data),
				metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range objects {
		select {
		case <-ended:
		case <-time.After(patience):
			t.Fatal("the last write of some object did not come, or is not own")
		}
	}
	cancel()
	workers.Wait()
	var wrong []string
	own := 0
	for _, version := range slices.Sorted(maps.Keys(all)) {
		if api.made[version] {
			own++
		}
		if api.made[version] == passed[version] {
			wrong = append(wrong, fmt.Sprintf("%s own %t", version, api.made[version]))
		}
	}
	t.Logf("%d versions, of which %d own", len(all), own)
	if len(wrong) > 0 {
		t.Errorf("of %d versions, of which %d own, wrong are %v", len(all), own, wrong)
	}
}
