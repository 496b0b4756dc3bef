package cloudevent

import "github.com/informerd/informerd/internal/sink"

// The media types of what Append and AppendBatch write.
const (
	ContentType      = "application/cloudevents+json"
	BatchContentType = "application/cloudevents-batch+json"
)

// AppendBatch appends messages as the JSON batch format: an array of what Append writes, in the
// same order, without a line break.
func AppendBatch(dst []byte, messages []sink.Message) []byte {
	dst = append(dst, '[')
	for i, m := range messages {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = Append(dst, m)
	}
	return append(dst, ']')
}
