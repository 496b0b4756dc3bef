package kubernetesevent

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Controller is the reportingController of all Events.
const Controller = "informerd.dev/informerd"

const listenerAnnotation = "informerd.dev/listener"

// Limits of the API server, in bytes.
const (
	maxNote     = 1024
	maxReason   = 128
	maxInstance = 128
	maxName     = 253
)

// What says what happened, in an Event.
type What struct {
	Warning              bool // the type is Warning, not Normal
	Reason, Action, Note string
}

var actionOf = map[event.Op]string{
	event.Add: "Added", event.Update: "Updated", event.Delete: "Deleted", event.Resync: "Resynced",
}

// objectType is how the types of messages that informerd makes of an object's events begin.
const objectType = "dev.informerd.object."

// describe returns what an Event says of a message.
func describe(m *sink.Message) What {
	if r := m.Report; r != nil {
		return describeReport(m, r)
	}
	w := What{Reason: reasonOfType(m.Type), Action: "Observed"}
	action := cmp.Or(actionOf[m.Op], "Observed")
	if strings.HasPrefix(m.Type, objectType) {
		w.Reason, w.Action = "Object"+action, action
	}
	if m.Body == sink.BodyData {
		w.Note = noteOf(m.Data)
	}
	w.Note = cmp.Or(w.Note, fmt.Sprintf("%s: %s %s", m.Origin.Listener, m.Object.Kind(),
		strings.ToLower(action)))
	return w
}

func describeReport(m *sink.Message, r *sink.Report) What {
	w := What{Reason: camelCase(r.Rule), Action: "Violated", Note: r.Message}
	if m.Body == sink.BodyData {
		w.Note = cmp.Or(noteOf(m.Data), w.Note)
	}
	if r.Violated {
		w.Warning = r.Severity != "info" && r.Severity != "low"
		w.Note = cmp.Or(w.Note, fmt.Sprintf("rule %q is violated", r.Rule))
		return w
	}
	const resolved = "Resolved"
	w.Action = resolved
	w.Reason = w.Reason[:min(len(w.Reason), maxReason-len(resolved))] + resolved
	w.Note = cmp.Or(w.Note, fmt.Sprintf("rule %q is no longer violated", r.Rule))
	return w
}

// noteOf returns the text in a message's data.
func noteOf(data string) string {
	var text string
	if json.Unmarshal([]byte(data), &text) == nil {
		return text // "" for null
	}
	var fields struct{ Note, Message any }
	if json.Unmarshal([]byte(data), &fields) == nil {
		for _, field := range []any{fields.Note, fields.Message} {
			if text, ok := field.(string); ok && text != "" {
				return text
			}
		}
	}
	return data
}

// reasonOfType returns the reason for a message of a handler's own type.
func reasonOfType(typ string) string {
	last := strings.TrimRight(typ, ".")
	return camelCase(last[strings.LastIndexByte(last, '.')+1:])
}

// camelCase joins the words of a name, which anything but ASCII letters and digits separates.
func camelCase(name string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9')
	}) {
		b.WriteString(strings.ToUpper(word[:1]))
		b.WriteString(word[1:])
	}
	text := cmp.Or(b.String(), "Observed")
	return text[:min(len(text), maxReason)]
}

// kubeEvent is what is used of an Event of events.k8s.io/v1: k8s.io/api/events/v1 would link and
// register every type of Kubernetes' core.
type kubeEvent struct {
	cluster string // that it is written to
	metav1.TypeMeta
	metav1.ObjectMeta   `json:"metadata"`
	EventTime           metav1.MicroTime `json:"eventTime"`
	ReportingController string           `json:"reportingController"`
	ReportingInstance   string           `json:"reportingInstance,omitempty"`
	Action              string           `json:"action,omitempty"`
	Reason              string           `json:"reason,omitempty"`
	Regarding           reference        `json:"regarding"`
	Note                string           `json:"note,omitempty"`
	Type                string           `json:"type,omitempty"`
}

// reference is the object that an Event is about.
type reference struct {
	Kind            string    `json:"kind,omitempty"`
	Namespace       string    `json:"namespace,omitempty"`
	Name            string    `json:"name,omitempty"`
	UID             types.UID `json:"uid,omitempty"`
	APIVersion      string    `json:"apiVersion,omitempty"`
	ResourceVersion string    `json:"resourceVersion,omitempty"`
}

// newEvent returns the Event of a message.
func (s *Sink) newEvent(m *sink.Message, w What) *kubeEvent {
	o := m.Object
	e := &kubeEvent{
		cluster:  m.Origin.Cluster,
		TypeMeta: metav1.TypeMeta{APIVersion: "events.k8s.io/v1", Kind: "Event"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: cmp.Or(o.Namespace(), metav1.NamespaceDefault),
			Annotations: map[string]string{
				listenerAnnotation: m.Origin.Listener, "informerd.dev/message": m.ID,
			},
		},
		EventTime:           observed(m),
		ReportingController: Controller,
		ReportingInstance:   s.instance,
		Action:              w.Action,
		Reason:              w.Reason,
		Type:                "Normal",
		Note:                wording.Cut(w.Note, maxNote),
		Regarding: reference{
			APIVersion: o.APIVersion(), Kind: o.Kind(), Namespace: o.Namespace(), Name: o.Name(),
			UID: types.UID(o.UID()), ResourceVersion: o.ResourceVersion(),
		},
	}
	if w.Warning {
		e.Type = "Warning"
	}
	e.Name = nameOf(m, e)
	return e
}

func observed(m *sink.Message) metav1.MicroTime {
	if m.Time.IsZero() {
		return metav1.NewMicroTime(time.Now())
	}
	return metav1.NewMicroTime(m.Time)
}

// nameOf returns the name of a message's Event. It is the same if the message is written again.
func nameOf(m *sink.Message, e *kubeEvent) string {
	h := sha256.New()
	for _, part := range []string{m.Origin.Listener, m.ID, e.Type, e.Reason, e.Action, e.Note} {
		fmt.Fprintf(h, "%d:%s,", len(part), part)
	}
	hash := hex.EncodeToString(h.Sum(nil)[:8])
	prefix := m.Object.Name()
	prefix = prefix[:min(len(prefix), maxName-1-len(hash))]
	if len(validation.NameIsDNSSubdomain(prefix+"."+hash, false)) > 0 {
		prefix = "informerd" // such as for the ClusterRole system:node
	}
	return prefix + "." + hash
}

var (
	reportingController = object.MustCompilePath("reportingController")
	reportingComponent  = object.MustCompilePath("reportingComponent")
)

// isOwn reports whether a message is about one of informerd's own Events.
func isOwn(m *sink.Message) bool {
	return m.Object.Kind() == "Event" &&
		(reportingController.Lookup(m.Object).Text() == Controller ||
			reportingComponent.Lookup(m.Object).Text() == Controller)
}
