package slack

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
)

// maxText is how many characters a text may have.
const maxText = 4000

var verbs = map[event.Op]string{event.Add: "added", event.Update: "updated",
	event.Delete: "deleted", event.Resync: "unchanged"}

// text returns the default text of a message, one line: an object that could begin another one
// could say what no rule has found.
func text(m *sink.Message) string {
	var text string
	if m.Body == sink.BodyData {
		text = textOf(m.Data)
	}
	if r := m.Report; r != nil {
		state := "resolved"
		if r.Violated {
			state = cmp.Or(r.Severity, "violated")
		}
		text = fmt.Sprintf("[%s] %s: %s", state, r.Rule, cmp.Or(text, r.Message, "violated"))
		if r.Repeats > 0 {
			text += ", still"
		}
	}
	text = cmp.Or(text, verbs[m.Op], m.Type)
	name := m.Object.Name()
	if namespace := m.Object.Namespace(); namespace != "" {
		name = namespace + "/" + name
	}
	return escape(strings.Map(inLine, fmt.Sprintf("%s (%s %s, %s)", text,
		cmp.Or(m.Origin.Kind, m.Origin.Resource), name, m.Origin.Cluster)))
}

func inLine(r rune) rune {
	if unicode.IsSpace(r) || !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

// textOf returns the text in data: data itself, or a field of it.
func textOf(data string) string {
	var text string
	if json.Unmarshal([]byte(data), &text) == nil {
		return text
	}
	var fields struct{ Text, Message string }
	if json.Unmarshal([]byte(data), &fields) != nil {
		return ""
	}
	return cmp.Or(fields.Text, fields.Message)
}

// escape makes a text that Slack shows as it is.
func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// shortened cuts a text that is too long for Slack, and not within an escaped character.
func shortened(text string) string {
	if len(text) <= maxText || utf8.RuneCountInString(text) <= maxText {
		return text
	}
	n, end := 0, 0
	for i := range text {
		if n == maxText-1 {
			end = i
			break
		}
		n++
	}
	text = text[:end]
	if at := strings.LastIndexByte(text, '&'); at >= 0 && len(text)-at < len("&amp;") &&
		!strings.Contains(text[at:], ";") {
		text = text[:at]
	}
	return text + "…"
}
