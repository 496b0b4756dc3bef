package sink

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Message is one CloudEvent: its attributes, ready to be written, and its data as raw JSON. It is
// passed by value. Package cloudevent makes Messages.
type Message struct {
	// The attributes of CloudEvents 1.0. None of them is empty, and Source and Subject are
	// percent-encoded.
	ID      string
	Source  string
	Type    string
	Subject string
	Time    time.Time // when informerd observed the change

	// The extension attributes. What is empty, false or 0 is left out of the message.
	Op                 event.Op
	ResourceVersion    string
	OldResourceVersion string // update only
	UID                string
	Initial            bool
	FinalStateUnknown  bool
	Missed             int
	Rule, Severity     string // of the rule that reports
	Handler            string // the SHA-256 of the module that made the data instead of informerd

	// Data is the event's data as JSON, if it is not empty. Whoever sets it has checked that it is
	// valid.
	Data string
	// Object and Old are the data {"object":…,"old":…} if Data is empty. A Message with neither
	// Data nor Object has no data.
	Object, Old *object.Object
}
