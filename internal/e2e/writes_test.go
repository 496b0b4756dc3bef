package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/kubernetesevent"
	"github.com/informerd/informerd/internal/sink/patch"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// writing is a namespace of the shared control plane with the ConfigMap that outputs write to.
type writing struct {
	*testing.T
	api         *kube.Writer
	namespace   string
	maps        dynamic.ResourceInterface
	events      dynamic.ResourceInterface
	clusterWide dynamic.Interface
}

const mapName = "settings"

var namespaces atomic.Int64

func newWriting(t *testing.T, namespace string) *writing {
	t.Helper()
	needs(t)
	c, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := kube.RESTConfig(kube.Options{Kubeconfig: c.kubeconfig()})
	if err != nil {
		t.Fatal(err)
	}
	api, err := kube.NewWriter(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.CloseIdleConnections)
	// the test may run several times
	namespace = fmt.Sprint("go-", namespace, "-", namespaces.Add(1))
	if err := c.createNamespace(namespace); err != nil {
		t.Fatal(err)
	}
	of := func(group, resource string) dynamic.ResourceInterface {
		return c.dynamic.Resource(schema.GroupVersionResource{Group: group, Version: "v1",
			Resource: resource}).Namespace(namespace)
	}
	w := &writing{t, api, namespace, of("", "configmaps"), of("events.k8s.io", "events"), c.dynamic}
	w.create()
	return w
}

func (w *writing) create() {
	w.Helper()
	_, err := w.maps.Create(w.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": mapName},
		"data": map[string]any{"a": "1"},
	}}, metav1.CreateOptions{FieldManager: "someone"})
	if err != nil {
		w.Fatal(err)
	}
}

// get returns the ConfigMap as an informer has it.
func (w *writing) get() *object.Object {
	w.Helper()
	found, err := w.maps.Get(w.Context(), mapName, metav1.GetOptions{})
	if err != nil {
		w.Fatal(err)
	}
	return w.parse(found)
}

func (w *writing) parse(found *unstructured.Unstructured) *object.Object {
	w.Helper()
	text, err := found.MarshalJSON()
	if err != nil {
		w.Fatal(err)
	}
	var p object.Parser
	o, err := p.Parse(text)
	if err != nil {
		w.Fatal(err)
	}
	return o
}

// change changes the ConfigMap as somebody else.
func (w *writing) change(key, value string) *object.Object {
	w.Helper()
	found, err := w.maps.Patch(w.Context(), mapName, types.MergePatchType,
		fmt.Appendf(nil, `{"data":{%q:%q}}`, key, value),
		metav1.PatchOptions{FieldManager: "someone"})
	if err != nil {
		w.Fatal(err)
	}
	return w.parse(found)
}

func (w *writing) replace() {
	w.Helper()
	if err := w.maps.Delete(w.Context(), mapName, metav1.DeleteOptions{}); err != nil {
		w.Fatal(err)
	}
	w.create()
}

// message returns a message about an object with data.
func (w *writing) message(o *object.Object, data string) sink.Message {
	return sink.Message{
		Origin: &sink.Origin{Cluster: "c", Listener: "fixer", Resource: "configmaps",
			Version: "v1", Plural: "configmaps", Kind: "ConfigMap"},
		ID: "id-" + o.ResourceVersion(), Type: "com.example.fixed", Time: time.Now(),
		Op: event.Update, Object: o, Body: sink.BodyData, Data: data,
	}
}

func (w *writing) patch(typ patch.Type, writes *patch.Writes, dryRun bool) *patch.Sink {
	w.Helper()
	s, err := patch.New(patch.Config{API: w.api, Type: typ, Writes: writes, DryRun: dryRun})
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// wantData fails unless the ConfigMap has exactly these data, as JSON.
func (w *writing) wantData(want string) {
	w.Helper()
	if got := object.MustCompilePath("data").Lookup(w.get()).Raw(); got != want {
		w.Errorf("data is %s, want %s", got, want)
	}
}

func writeTo(s sink.Sink, m sink.Message) error {
	if errs := s.Write(context.Background(), []sink.Message{m}); errs != nil {
		return errs[0]
	}
	return nil
}

// wantRefused fails unless the error is permanent and has the text.
func (w *writing) wantRefused(err error, text string) {
	w.Helper()
	if !sink.IsPermanent(err) || !strings.Contains(err.Error(), text) {
		w.Errorf("permanent %t: %v; want %q", sink.IsPermanent(err), err, text)
	}
}

// wantMoot fails unless the error is about something that is going, and has the text.
func (w *writing) wantMoot(err error, text string) {
	w.Helper()
	if w.wantRefused(err, text); !sink.IsMoot(err) {
		w.Errorf("it is not moot: %v", err)
	}
}

func TestPatchesOnTheAPIServer(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "patches")
	writes := patch.NewWrites()
	own := writes.Of("c", "fixer")
	update := func(old, o *object.Object) *event.Event {
		return &event.Event{Op: event.Update, Object: o, Old: old}
	}
	for _, tt := range []struct {
		typ        patch.Type
		data, want string
	}{
		{patch.Apply, `{"data":{"b":"2"}}`, `{"a":"1","b":"2"}`},
		{patch.Merge, `{"data":{"c":"3","b":null}}`, `{"a":"1","c":"3"}`},
		{patch.JSON, `[{"op":"add","path":"/data/d","value":"4"}]`,
			`{"a":"1","c":"3","d":"4"}`},
	} {
		s := w.patch(tt.typ, writes, false)
		before := w.get()
		if err := writeTo(s, w.message(before, tt.data)); err != nil {
			t.Fatalf("%v: %v", tt.typ, err)
		}
		w.wantData(tt.want)
		after := w.get()
		if !own.Own(t.Context(), update(before, after)) {
			t.Errorf("%v: the write is not own", tt.typ)
		}
		if writes.Of("c", "another").Own(t.Context(), update(before, after)) {
			t.Errorf("%v: the write is another listener's", tt.typ)
		}

		// Somebody else changes the object, and the patch is for its state before.
		changed := w.change("a", "1"+tt.typ.String())
		if err := writeTo(s, w.message(after, tt.data)); err != nil {
			t.Fatalf("%v again: %v", tt.typ, err)
		}
		if last := w.get(); tt.typ != patch.JSON && last.ResourceVersion() !=
			changed.ResourceVersion() {
			t.Errorf("%v again: changed the object", tt.typ)
		}
		if own.Own(t.Context(), update(after, changed)) {
			t.Errorf("%v: another's write is own", tt.typ)
		}
		w.change("a", "1")
	}
	managers, err := w.maps.Get(t.Context(), mapName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range managers.GetManagedFields() {
		names = append(names, f.Manager+" "+string(f.Operation))
	}
	if got := strings.Join(names, ", "); !strings.Contains(got, "informerd/fixer Update") {
		t.Errorf("managers are %s", got)
	}
}

func TestPatchesThatTheAPIServerRefuses(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "refused-patches")
	apply, merge, operations := w.patch(patch.Apply, nil, false), w.patch(patch.Merge, nil, false),
		w.patch(patch.JSON, nil, false)
	before := w.get()
	w.wantRefused(writeTo(apply, w.message(before, `{"data":{"a":"2"}}`)),
		`.data.a of "someone"`)
	w.wantRefused(writeTo(merge, w.message(before, `{"data":{"secret key":"hunter2"}}`)),
		`the API server answered 422 Invalid: "data[secret key]"`)
	w.wantRefused(writeTo(merge, w.message(before, `{"data":["hunter2"]}`)),
		`the API server answered 4`)
	w.wantRefused(writeTo(operations, w.message(before,
		`[{"op":"test","path":"/data/a","value":"hunter2"}]`)), `the API server answered 422`)
	w.wantRefused(writeTo(operations, w.message(before, `[{"op":"jump"}]`)),
		`the API server answered 4`)
	dry := w.patch(patch.Merge, nil, true)
	if err := writeTo(dry, w.message(before, `{"data":{"a":"2"}}`)); err != nil {
		t.Errorf("dry run: %v", err)
	}
	w.wantRefused(writeTo(dry, w.message(before, `{"data":{"secret key":""}}`)), "Invalid")
	w.wantData(`{"a":"1"}`)

	w.replace()
	const again = "there is another one of its name"
	for _, s := range []*patch.Sink{apply, merge} {
		w.wantMoot(writeTo(s, w.message(before, `{"data":{"b":"2"}}`)), again)
	}
	w.wantRefused(writeTo(operations, w.message(before,
		`[{"op":"add","path":"/data/b","value":"2"}]`)), again)
	w.wantData(`{"a":"1"}`)
	if err := w.maps.Delete(t.Context(), mapName, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	const gone = "the object no longer exists"
	for _, s := range []*patch.Sink{apply, merge} {
		w.wantMoot(writeTo(s, w.message(before, `{"data":{"b":"2"}}`)), gone)
	}
	w.wantRefused(writeTo(operations, w.message(before,
		`[{"op":"add","path":"/data/b","value":"2"}]`)), gone)
	if _, err := w.maps.Get(t.Context(), mapName, metav1.GetOptions{}); err == nil {
		t.Error("apply has created the object")
	}
	unknown := w.message(before, `{"data":{"b":"2"}}`)
	unknown.Origin = &sink.Origin{Listener: "fixer", Version: "v1", Plural: "nonsense"}
	err := writeTo(merge, unknown) // a resource may come back
	if sink.IsPermanent(err) || !strings.Contains(err.Error(), "the API server answered 404") {
		t.Errorf("permanent %t: %v", sink.IsPermanent(err), err)
	}
}

// list returns the Events of the namespace.
func (w *writing) list(events dynamic.ResourceInterface) (list []eventsv1.Event) {
	w.Helper()
	found, err := events.List(w.Context(), metav1.ListOptions{})
	if err != nil {
		w.Fatal(err)
	}
	for _, item := range found.Items {
		var e eventsv1.Event
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(item.Object,
			&e); err != nil {
			w.Fatal(err)
		}
		if e.ReportingController == kubernetesevent.Controller {
			list = append(list, e)
		}
	}
	return list
}

func TestKubernetesEventsOnTheAPIServer(t *testing.T) {
	t.Parallel()
	w := newWriting(t, "events-about")
	s, err := kubernetesevent.New(kubernetesevent.Config{API: w.api,
		Interval: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	o := w.get()
	violated := w.message(o, "")
	violated.Body, violated.Report = sink.BodyReport, &sink.Report{Rule: "too-large",
		Severity: "high", Message: strings.Repeat("größer", 300), Violated: true}
	for range 3 {
		if err := writeTo(s, violated); err != nil {
			t.Fatal(err)
		}
	}
	got := w.list(w.events)
	if len(got) != 1 {
		t.Fatalf("%d events: %+v", len(got), got)
	}
	e := got[0]
	if e.Type != "Warning" || e.Reason != "TooLarge" || e.Action != "Violated" ||
		string(e.Regarding.UID) != o.UID() || e.Regarding.Name != mapName || e.Series == nil ||
		e.Series.Count != 3 || len(e.Note) > 1024 || len(e.Note) < 1000 {
		t.Errorf("got %+v, series %+v", e, e.Series)
	}
	// Deleted meanwhile, it begins again.
	if err := w.events.Delete(t.Context(), e.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := writeTo(s, violated); err != nil {
		t.Fatal(err)
	}
	if got = w.list(w.events); len(got) != 1 || got[0].Series != nil {
		t.Errorf("after it was deleted: %+v", got)
	}
	// Another process writes the same message again.
	other, err := kubernetesevent.New(kubernetesevent.Config{API: w.api})
	if err != nil {
		t.Fatal(err)
	}
	if err := writeTo(other, violated); err != nil {
		t.Fatal(err)
	}
	if got = w.list(w.events); len(got) != 1 {
		t.Errorf("after it was written again: %+v", got)
	}

	w.eventsOfTheCluster(s)

	missing := w.message(o, `"x"`)
	var p object.Parser
	if missing.Object, err = p.Parse([]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":` +
		`{"name":"a","namespace":"no-such-namespace","uid":"u","resourceVersion":"1"}}`)); err != nil {
		t.Fatal(err)
	}
	w.wantMoot(writeTo(s, missing), "the API server answered 404")

	// Without controllers, the namespace is being deleted without end.
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	if err := w.clusterWide.Resource(gvr).Delete(t.Context(), w.namespace,
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := writeTo(s, violated); err != nil { // one more of a series
		t.Error(err)
	}
	w.wantMoot(writeTo(s, w.message(o, `"too late"`)), "being terminated")
}

// eventsOfTheCluster: Events about cluster-scoped objects are in the namespace default.
func (w *writing) eventsOfTheCluster(s sink.Sink) {
	w.Helper()
	gvr := schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	found, err := w.clusterWide.Resource(gvr).Get(w.Context(), w.namespace,
		metav1.GetOptions{})
	if err != nil {
		w.Fatal(err)
	}
	m := w.message(w.parse(found), "")
	m.Origin = &sink.Origin{Listener: "all", Version: "v1", Plural: "namespaces",
		Resource: "namespaces", Kind: "Namespace"}
	m.Body, m.Type = sink.BodyObject, "dev.informerd.object.updated"
	if err := writeTo(s, m); err != nil {
		w.Fatal(err)
	}
	gvr = schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1", Resource: "events"}
	for _, e := range w.list(w.clusterWide.Resource(gvr).Namespace("default")) {
		if e.Regarding.Name == w.namespace && e.Regarding.Kind == "Namespace" {
			if e.Reason != "ObjectUpdated" || e.Type != "Normal" ||
				e.Note != "all: Namespace updated" {
				w.Errorf("got %+v", e)
			}
			return
		}
	}
	w.Error("there is no Event about the namespace")
}
