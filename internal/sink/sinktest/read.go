package sinktest

import (
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/cloudevents/sdk-go/v2/binding/spec"
	ce "github.com/cloudevents/sdk-go/v2/event"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// readStructured reads structured JSON.
func readStructured(text string) (e ce.Event, err error) {
	err = e.UnmarshalJSON([]byte(text))
	return e, err
}

// Binary returns the text of a message in binary mode for Receiver.Taken: attributes without the
// protocol's prefix, datacontenttype with them, and decoded.
func Binary(attributes map[string]string, data []byte) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		fmt.Fprintf(&b, "%s: %q\n", name, attributes[name])
	}
	b.WriteByte('\n')
	b.Write(data)
	return b.String()
}

// BinaryText returns what Binary returns of m: Target.Text of a sink in binary mode.
func BinaryText(m sink.Message) string {
	attributes := maps.Collect(cloudevent.Attributes(m))
	if m.HasData() {
		attributes["datacontenttype"] = cloudevent.DataContentType
	}
	return Binary(attributes, cloudevent.AppendData(nil, m))
}

// ReadBinary reads what Binary returned with the CloudEvents SDK: Target.Read of a sink in binary
// mode.
func ReadBinary(text string) (ce.Event, error) {
	head, data, _ := strings.Cut(text, "\n\n")
	attributes := map[string]string{}
	for line := range strings.Lines(head) {
		name, quoted, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		value, err := strconv.Unquote(quoted)
		if err != nil {
			return ce.Event{}, fmt.Errorf("%q: %w", line, err)
		}
		attributes[name] = value
	}
	version := spec.WithPrefix("ce-").Version(attributes["specversion"])
	if version == nil {
		return ce.Event{}, fmt.Errorf("unknown specversion %q", attributes["specversion"])
	}
	e := ce.Event{Context: version.NewContext()}
	for name, value := range attributes {
		if err := version.SetAttribute(e.Context, "ce-"+name, value); err != nil {
			return e, fmt.Errorf("%s: %w", name, err)
		}
	}
	if data != "" {
		e.DataEncoded = []byte(data)
	}
	return e, nil
}

// HTTPTexts returns the texts of the messages of a request in structured, batch or binary mode. In
// binary mode they are those of Binary.
func HTTPTexts(header http.Header, body []byte) ([]string, error) {
	mediaType := ""
	if header.Get("Content-Type") != "" {
		var err error
		if mediaType, _, err = mime.ParseMediaType(header.Get("Content-Type")); err != nil {
			return nil, err
		}
	}
	switch mediaType {
	case cloudevent.ContentType:
		return []string{string(body)}, nil
	case cloudevent.BatchContentType:
		var batch []json.RawMessage
		if err := json.Unmarshal(body, &batch); err != nil {
			return nil, err
		}
		var texts []string
		for _, text := range batch {
			texts = append(texts, string(text))
		}
		return texts, nil
	}
	attributes, err := HeaderAttributes(header)
	if mediaType != "" {
		attributes["datacontenttype"] = mediaType
	}
	return []string{Binary(attributes, body)}, err
}

// HeaderAttributes returns the attributes in the headers ce-* of HTTP or NATS, decoded.
func HeaderAttributes(header map[string][]string) (map[string]string, error) {
	attributes := map[string]string{}
	for name, values := range header {
		name, ok := strings.CutPrefix(strings.ToLower(name), "ce-")
		if !ok {
			continue
		}
		if _, twice := attributes[name]; twice || len(values) != 1 {
			return attributes, fmt.Errorf("%s occurs several times", name)
		}
		value, err := url.PathUnescape(values[0])
		if err != nil {
			return attributes, fmt.Errorf("%s: %w", name, err)
		}
		attributes[name] = value
	}
	return attributes, nil
}
