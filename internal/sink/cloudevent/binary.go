package cloudevent

import (
	"iter"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/sink"
)

// DataContentType is the attribute datacontenttype of every message with data. Protocols have their
// own place for it in binary mode, so Attributes leaves it out.
const DataContentType = "application/json"

// Attributes returns m's attributes for binary mode, but for datacontenttype: names without the
// protocol's prefix, and values in CloudEvents' canonical form, in valid UTF-8 and the order of
// Append. HTTP wants the values through HeaderValue, Kafka as they are. None is empty.
func Attributes(m sink.Message) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		var op, missed, rule, severity string
		if m.Op != 0 {
			op = m.Op.String()
		}
		if m.Missed > 0 {
			missed = strconv.Itoa(min(m.Missed, math.MaxInt32))
		}
		if m.Report != nil {
			rule, severity = m.Report.Rule, m.Report.Severity
		}
		for _, a := range [...]struct{ name, value string }{
			{"specversion", "1.0"},
			{"id", m.ID},
			{"source", m.Origin.Source},
			{"type", m.Type},
			{"subject", m.Subject},
			{"time", m.Time.UTC().Format(time.RFC3339Nano)},
			{"op", op},
			{"resourceversion", m.ResourceVersion},
			{"oldresourceversion", m.OldResourceVersion},
			{"uid", m.UID},
			{"initial", trueOrEmpty(m.Initial)},
			{"finalstateunknown", trueOrEmpty(m.FinalStateUnknown)},
			{"missed", missed},
			{"resumed", trueOrEmpty(m.Resumed)},
			{"rule", rule},
			{"severity", severity},
			{"handler", m.Handler},
			{"traceparent", m.TraceParent},
		} {
			if a.value != "" && !yield(a.name, validUTF8(a.value)) {
				return
			}
		}
	}
}

func trueOrEmpty(b bool) string {
	if b {
		return "true"
	}
	return ""
}

// validUTF8 replaces each byte that is not UTF-8 by U+FFFD, as appendString does.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// HeaderValue returns an attribute's value as the HTTP protocol binding 1.0.2 (section 3.1.3.2)
// wants it in a header: printable ASCII, with everything else, spaces, double quotes and percent
// signs as %XX. The receiver decodes it once.
func HeaderValue(value string) string {
	const digits = "0123456789ABCDEF"
	n := 0
	for i := range len(value) {
		if !plainInHeader(value[i]) {
			n++
		}
	}
	if n == 0 {
		return value
	}
	encoded := make([]byte, 0, len(value)+2*n)
	for i := range len(value) {
		if c := value[i]; plainInHeader(c) {
			encoded = append(encoded, c)
		} else {
			encoded = append(encoded, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(encoded)
}

// plainInHeader reports whether a byte of UTF-8 is not encoded in a header.
func plainInHeader(c byte) bool { return ' ' < c && c < 0x7f && c != '"' && c != '%' }
