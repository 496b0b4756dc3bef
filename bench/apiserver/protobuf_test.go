package apiserver

import (
	"bytes"
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	apiwatch "k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	restwatch "k8s.io/client-go/rest/watch"

	"github.com/informerd/informerd/bench/objects"
)

// pod decodes a pod as apimachinery would encode it.
func pod(t *testing.T, text []byte) *corev1.Pod {
	t.Helper()
	var p corev1.Pod
	if err := json.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

func TestFramesAreWhatTheRealSerializersMake(t *testing.T) {
	raw := protobuf.NewRawSerializer(scheme.Scheme, scheme.Scheme)
	whole := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	var want bytes.Buffer
	framer := protobuf.LengthDelimitedFramer.NewFrameWriter(&want)
	encoder := restwatch.NewEncoder(streaming.NewEncoder(framer, raw), whole)
	for seed := range uint64(20) {
		text := objects.PodAt(seed, objects.Medium,
			objects.Revision{Number: 1, ResourceVersion: 1_000_000_001})
		want.Reset()
		if err := encoder.Encode(&apiwatch.Event{Type: apiwatch.Modified,
			Object: pod(t, text)}); err != nil {
			t.Fatal(err)
		}
		encoded, err := protobufPod(text)
		if err != nil {
			t.Fatal(err)
		}
		frame, object := protobufCodec{}.frame("MODIFIED", encoded)
		if !bytes.Equal(frame, want.Bytes()) {
			t.Fatalf("pod %d:\n%q\nwant\n%q", seed, frame, want.Bytes())
		}
		if !bytes.Equal(object, encoded) {
			t.Fatalf("pod %d: the object within the frame is %q", seed, object)
		}
	}
}

func TestAListIsWhatTheRealSerializerMakes(t *testing.T) {
	remaining := int64(5)
	list := corev1.PodList{
		TypeMeta: metav1.TypeMeta{Kind: "PodList", APIVersion: "v1"},
		ListMeta: metav1.ListMeta{ResourceVersion: "1000000000", Continue: "1000000000-3",
			RemainingItemCount: &remaining},
	}
	var page [][]byte
	for seed := range uint64(3) {
		text := objects.Pod(seed, objects.Medium)
		item := pod(t, text)
		item.TypeMeta = metav1.TypeMeta{}
		list.Items = append(list.Items, *item)
		raw, err := protobufPod(text)
		if err != nil {
			t.Fatal(err)
		}
		page = append(page, raw)
	}
	want, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), &list)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	meta := pageMeta{version: "1000000000", next: "1000000000-3", remaining: 5}
	if err := (protobufCodec{}).list(meta, page, func(b []byte) error {
		got.Write(b)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%q\nwant\n%q", got.Bytes(), want)
	}
}

// A typed client that prefers protobuf gets the same pods as one with JSON.
func TestClientsDecodeBothEncodings(t *testing.T) {
	cfg := small(objects.Pods)
	cfg.Collections[0].Protobuf = true
	cfg.Collections[0].Size = objects.Medium
	s := serve(t, cfg)
	type seen struct {
		list    *corev1.PodList
		changes []runtime.Object
	}
	ask := func(contentType string) (got seen) {
		config := s.config()
		config.ContentType, config.AcceptContentTypes = contentType, contentType+",application/json"
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		pods := client.CoreV1().Pods("")
		s.c.changes.reset()
		if got.list, err = pods.List(t.Context(), metav1.ListOptions{Limit: 7}); err != nil {
			t.Fatal(err)
		}
		w, err := pods.Watch(t.Context(),
			metav1.ListOptions{ResourceVersion: got.list.ResourceVersion})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Stop()
		if _, err := s.c.changes.release(3); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			e, ok := <-w.ResultChan()
			if !ok || e.Type != apiwatch.Modified {
				t.Fatalf("%s: %+v", contentType, e)
			}
			got.changes = append(got.changes, e.Object)
		}
		return got
	}
	fromJSON, fromProtobuf := ask("application/json"), ask("application/vnd.kubernetes.protobuf")
	if len(fromJSON.list.Items) != 7 || fromJSON.list.Continue == "" {
		t.Fatalf("%d items, continue %q", len(fromJSON.list.Items), fromJSON.list.Continue)
	}
	if !equality.Semantic.DeepEqual(fromJSON.list, fromProtobuf.list) {
		t.Error("the lists differ")
	}
	if !equality.Semantic.DeepEqual(fromJSON.changes, fromProtobuf.changes) {
		t.Error("the changes differ")
	}
}

func TestABookmarkDecodes(t *testing.T) {
	for _, endsList := range []bool{false, true} {
		body := protobufCodec{}.bookmark("42", endsList)
		var event metav1.WatchEvent
		if err := event.Unmarshal(body[4:]); err != nil {
			t.Fatal(err)
		}
		o, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), event.Object.Raw)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := o.(*corev1.Pod)
		if !ok || event.Type != "BOOKMARK" || p.ResourceVersion != "42" ||
			(p.Annotations["k8s.io/initial-events-end"] == "true") != endsList {
			t.Errorf("%s %+v", event.Type, o)
		}
	}
}
