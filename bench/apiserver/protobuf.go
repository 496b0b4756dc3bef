package apiserver

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// protobufCodec writes pods as API servers do: each object in an envelope with its type, frames
// prefixed with their length. It handles bytes made by protobufPod, so that a list need not be
// encoded while a client is measured. Tests check that the bytes equal those of apimachinery's
// serializers.
type protobufCodec struct{}

const protobufType = "application/vnd.kubernetes.protobuf"

func (protobufCodec) contentType() string      { return protobufType }
func (protobufCodec) watchContentType() string { return protobufType + ";stream=watch" }

// protobufPod encodes a pod's JSON, without the envelope.
func protobufPod(text []byte) ([]byte, error) {
	var pod corev1.Pod
	if err := json.Unmarshal(text, &pod); err != nil {
		return nil, fmt.Errorf("cannot decode a pod: %w", err)
	}
	raw, err := pod.Marshal()
	if err != nil {
		return nil, fmt.Errorf("cannot encode a pod as protobuf: %w", err)
	}
	return raw, nil
}

// protobufMagic is the prefix of each object's envelope.
const protobufMagic = "k8s\x00"

// marshaler is a type apimachinery has generated protobuf code for.
type marshaler interface{ Marshal() ([]byte, error) }

// must encodes values whose encoding cannot fail: they contain only texts and bytes.
func must(m marshaler) []byte {
	raw, err := m.Marshal()
	if err != nil {
		panic("apiserver: cannot encode as protobuf: " + err.Error())
	}
	return raw
}

func envelope(kind string, raw []byte) []byte {
	u := &runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: kind}, Raw: raw}
	return append([]byte(protobufMagic), must(u)...)
}

// envelopeTail is the number of bytes after the object in an envelope: two empty texts.
const envelopeTail = 4

func (protobufCodec) frame(event string, object []byte) (frame, text []byte) {
	body := must(&metav1.WatchEvent{Type: event,
		Object: runtime.RawExtension{Raw: envelope("Pod", object)}})
	frame = append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
	end := len(frame) - envelopeTail
	return frame, frame[end-len(object) : end]
}

func (c protobufCodec) bookmark(version string, endsList bool) []byte {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
	if endsList {
		pod.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	frame, _ := c.frame("BOOKMARK", must(pod))
	return frame
}

// list writes a PodList: field 1 is its metadata, each field 2 an item.
func (protobufCodec) list(meta pageMeta, page [][]byte, write func([]byte) error) error {
	listMeta := metav1.ListMeta{ResourceVersion: meta.version, Continue: meta.next}
	if meta.next != "" {
		listMeta.RemainingItemCount = &meta.remaining
	}
	buf := appendField(nil, 1, must(&listMeta))
	for _, raw := range page {
		buf = appendField(buf, 2, raw)
	}
	return write(envelope("PodList", buf))
}

// appendField appends a protobuf field of bytes.
func appendField(to []byte, number byte, value []byte) []byte {
	const bytesType = 2
	to = append(to, number<<3|bytesType)
	to = binary.AppendUvarint(to, uint64(len(value)))
	return append(to, value...)
}
