package sink

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Message is one CloudEvent: its attributes, ready to be written, and where its data is. Package
// cloudevent makes Messages and writes them.
type Message struct {
	Origin *Origin // shared by the messages of a listener

	// The attributes of CloudEvents 1.0. None of them is empty, and Subject is percent-encoded.
	ID      string
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
	Resumed            bool
	Handler            string // the SHA-256 of the module that made the data instead of informerd
	TraceParent        string // the trace that the receiver goes on with

	// Report is what a rule reports, nil if the message is no report.
	Report *Report
	// Body is where the data is.
	Body Body
	// Data is the data with BodyData: one JSON value, or nothing if the message has no data.
	// Whoever sets it has checked that it is valid.
	Data string
	// Object is what the message is about, and never nil. Old is its state before, of an update.
	Object, Old *object.Object
}

// Body is where a message's data is.
type Body uint8

const (
	BodyObject Body = iota // {"object":…} with Object, and "old" with Old
	BodyReport             // the rule's report, with Object
	BodyData               // Data
)

// HasData reports whether the message has data.
func (m *Message) HasData() bool { return m.Body != BodyData || m.Data != "" }

// Origin is where the messages of a listener come from.
type Origin struct {
	Cluster, Listener string // their names in the configuration
	ClusterLabels     map[string]string
	Shard             string // of the listener; empty: all objects
	// Resource is "<resource>.<group>", or "<resource>" in the core group.
	Resource string
	// Source is the attribute of CloudEvents, percent-encoded.
	Source string
	// Group, Version, Plural and Kind are the resource's on the API server.
	Group, Version, Plural, Kind string
}

// Report is what a rule reports of an object.
type Report struct {
	Rule, Severity, Message string
	Violated                bool      // else resolved
	Since                   time.Time // when the violation began
	// Repeats is how often the violation was reported before.
	Repeats int
	// Repeat is after what time it is reported again, as long as it lasts; 0: never.
	Repeat time.Duration
}
