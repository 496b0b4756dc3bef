package apiserver

import (
	"fmt"

	"github.com/informerd/informerd/bench/objects"
)

// jsonCodec writes as API servers since 1.34 do: a list item by item, one frame per line.
type jsonCodec struct{ kind *objects.Kind }

func (jsonCodec) contentType() string      { return "application/json" }
func (jsonCodec) watchContentType() string { return "application/json" }

func (jsonCodec) frame(event string, object []byte) (frame, text []byte) {
	head := `{"type":"` + event + `","object":`
	frame = make([]byte, 0, len(head)+len(object)+2)
	frame = append(append(append(frame, head...), object...), "}\n"...)
	return frame, frame[len(head) : len(head)+len(object)]
}

func (c jsonCodec) bookmark(version string, endsList bool) []byte {
	annotations := ""
	if endsList {
		annotations = `,"annotations":{"k8s.io/initial-events-end":"true"}`
	}
	return fmt.Appendf(nil, `{"type":"BOOKMARK","object":{"kind":%q,"apiVersion":%q,"metadata":{"resourceVersion":%q%s}}}`+"\n",
		c.kind.Name, c.kind.APIVersion(), version, annotations)
}

func (c jsonCodec) list(meta pageMeta, page [][]byte, write func([]byte) error) error {
	buf := fmt.Appendf(nil, `{"kind":"%sList","apiVersion":%q,"metadata":{"resourceVersion":%q`,
		c.kind.Name, c.kind.APIVersion(), meta.version)
	if meta.next != "" {
		buf = fmt.Appendf(buf, `,"continue":%q,"remainingItemCount":%d`, meta.next, meta.remaining)
	}
	buf = append(buf, `},"items":[`...)
	for i, text := range page {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = c.kind.AppendListItem(buf, text)
		if len(buf) >= writeSize {
			if err := write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	return write(append(buf, "]}\n"...))
}
