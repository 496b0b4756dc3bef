package cloudevent

import (
	"bytes"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/object"
)

// The media types of what Append writes, and of JSON arrays of that.
const (
	ContentType      = "application/cloudevents+json"
	BatchContentType = "application/cloudevents-batch+json"
)

// Append appends m as structured JSON, without a line break. It is what a structured-mode output
// sends.
func Append(dst []byte, m sink.Message) []byte {
	dst = append(dst, `{"specversion":"1.0"`...)
	dst = appendText(dst, "id", m.ID)
	dst = appendText(dst, "source", m.Origin.Source)
	dst = appendText(dst, "type", m.Type)
	dst = appendText(dst, "subject", m.Subject)
	dst = append(dst, `,"time":"`...)
	dst = m.Time.UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, '"')
	if m.HasData() {
		dst = append(dst, `,"datacontenttype":"application/json"`...)
	}
	if m.Op != 0 {
		dst = appendText(dst, "op", m.Op.String())
	}
	dst = appendText(dst, "resourceversion", m.ResourceVersion)
	dst = appendText(dst, "oldresourceversion", m.OldResourceVersion)
	dst = appendText(dst, "uid", m.UID)
	if m.Initial {
		dst = append(dst, `,"initial":true`...)
	}
	if m.FinalStateUnknown {
		dst = append(dst, `,"finalstateunknown":true`...)
	}
	if m.Missed > 0 {
		dst = append(dst, `,"missed":`...)
		// CloudEvents' Integer has 32 bits.
		dst = strconv.AppendInt(dst, int64(min(m.Missed, math.MaxInt32)), 10)
	}
	if m.Resumed {
		dst = append(dst, `,"resumed":true`...)
	}
	if m.Report != nil {
		dst = appendText(dst, "rule", m.Report.Rule)
		dst = appendText(dst, "severity", m.Report.Severity)
	}
	dst = appendText(dst, "handler", m.Handler)
	dst = appendText(dst, "traceparent", m.TraceParent)
	if m.HasData() {
		dst = append(dst, `,"data":`...)
		dst = AppendData(dst, m)
	}
	return append(dst, '}')
}

// AppendData appends m's data alone, as an output in binary mode sends it: nothing if there is
// none.
func AppendData(dst []byte, m sink.Message) []byte {
	switch m.Body {
	case sink.BodyReport:
		return appendReport(dst, m)
	case sink.BodyData:
		return withoutLineBreaks(append(dst, m.Data...), len(dst))
	}
	dst = appendObject(append(dst, `{"object":`...), m.Object)
	if m.Old != nil {
		dst = appendObject(append(dst, `,"old":`...), m.Old)
	}
	return append(dst, '}')
}

// appendObject appends an object's text without its line breaks.
func appendObject(dst []byte, o *object.Object) []byte {
	return withoutLineBreaks(o.AppendJSON(dst), len(dst))
}

// withoutLineBreaks removes the line breaks from the valid JSON that was appended to dst from an
// offset on. They are only between tokens, since strings have them escaped. API servers send none,
// so this is usually two quick searches.
func withoutLineBreaks(dst []byte, from int) []byte {
	text := dst[from:]
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return dst
	}
	kept := dst[:from]
	for _, c := range text {
		if c != '\n' && c != '\r' {
			kept = append(kept, c)
		}
	}
	return kept
}

// appendText appends an attribute, unless it is empty.
func appendText(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return appendString(dst, value)
}

// appendString appends s as a JSON string. It escapes what JSON wants escaped and no more: no HTML.
// Bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0
	for plain < len(s) && ' ' <= s[plain] && s[plain] < utf8.RuneSelf && s[plain] != '"' &&
		s[plain] != '\\' {
		plain++
	}
	dst = append(dst, s[:plain]...) // usually all of it
	for _, r := range s[plain:] {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ':
			dst = append(dst, '\\', 'u', '0', '0', digits[r>>4], digits[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}
