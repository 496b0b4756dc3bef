package contender

import (
	"context"
	"fmt"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/informerd/informerd/bench/measure"
)

// dynamicInformer is client-go's informer for any resource, with the filter as a compiled
// expression on the decoded object: the usual design where users configure resources and filters.
type dynamicInformer struct {
	running
	client  dynamic.Interface
	gvr     schema.GroupVersionResource
	program *vm.Program
	lean    bool // drop managedFields before the cache
}

func newDynamic(cfg *rest.Config, s Setup, lean bool) (*dynamicInformer, error) {
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	program, err := expr.Compile(s.Filter, expr.AsBool(), expr.AllowUndefinedVariables())
	if err != nil {
		return nil, fmt.Errorf("the filter: %w", err)
	}
	gvr := schema.GroupVersionResource{Group: s.Kind.Group, Version: s.Kind.Version,
		Resource: s.Kind.Resource}
	return &dynamicInformer{client: client, gvr: gvr, program: program, lean: lean}, nil
}

// Start implements Contender.
func (d *dynamicInformer) Start(ctx context.Context, t *Tally) (measure.Process, error) {
	factory := dynamicinformer.NewDynamicSharedInformerFactory(d.client, 0)
	informer := factory.ForResource(d.gvr).Informer()
	if d.lean {
		if err := informer.SetTransform(dropManagedFields); err != nil {
			return measure.Process{}, err
		}
	}
	env, machine := map[string]any{}, &vm.VM{}
	matches := func(o *unstructured.Unstructured) bool {
		env["object"] = o.Object
		matched, err := machine.Run(d.program, env)
		return err == nil && matched.(bool)
	}
	changed := func(o any) {
		u, known := o.(*unstructured.Unstructured)
		if !known { // cache.DeletedFinalStateUnknown: a delete was missed, and with it a change
			return
		}
		if t.Recording() {
			t.See(u.GetResourceVersion())
		}
		t.Change(matches(u))
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(o any, initial bool) {
			if initial {
				t.List(matches(o.(*unstructured.Unstructured)))
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
	return d.start(ctx, func(ctx context.Context) error {
		factory.Start(ctx.Done())
		<-ctx.Done()
		factory.Shutdown()
		return nil
	})
}

func dropManagedFields(o any) (any, error) {
	if u, ok := o.(*unstructured.Unstructured); ok {
		unstructured.RemoveNestedField(u.Object, "metadata", "managedFields")
	}
	return o, nil
}
