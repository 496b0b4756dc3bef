package contender

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/informerd/informerd/bench/measure"
)

// typedInformer is client-go's informer of pods as Go structs, with the filter written in Go: the
// usual design for a single purpose.
type typedInformer struct {
	running
	client kubernetes.Interface
}

func newTyped(cfg *rest.Config, protobuf bool) (*typedInformer, error) {
	cfg.ContentType = runtime.ContentTypeJSON
	cfg.AcceptContentTypes = runtime.ContentTypeJSON
	if protobuf {
		cfg.ContentType = runtime.ContentTypeProtobuf
		cfg.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	}
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	return &typedInformer{client: client}, nil
}

// Start implements Contender.
func (i *typedInformer) Start(ctx context.Context, t *Tally) (measure.Process, error) {
	factory := informers.NewSharedInformerFactory(i.client, 0)
	changed := func(o any) {
		pod, known := o.(*corev1.Pod)
		if !known { // cache.DeletedFinalStateUnknown: a delete was missed, and with it a change
			return
		}
		if t.Recording() {
			t.See(pod.ResourceVersion)
		}
		t.Change(podMatches(pod))
	}
	_, err := factory.Core().V1().Pods().Informer().AddEventHandler(
		cache.ResourceEventHandlerDetailedFuncs{
			AddFunc: func(o any, initial bool) {
				if initial {
					t.List(podMatches(o.(*corev1.Pod)))
				} else {
					changed(o)
				}
			},
			UpdateFunc: func(_, o any) { changed(o) },
			DeleteFunc: changed,
		})
	if err != nil {
		return measure.Process{}, err
	}
	return i.start(ctx, func(ctx context.Context) error {
		factory.Start(ctx.Done())
		<-ctx.Done()
		factory.Shutdown()
		return nil
	})
}

// podMatches is the filter of pods in Go.
func podMatches(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed && strings.HasPrefix(pod.Spec.NodeName, "ip-")
}
