package deadletter

import (
	"encoding/json"
	"time"
)

// Reasons of letters.
const (
	FilterFailed   = "filter-failed"
	RuleFailed     = "rule-failed"
	HandlerFailed  = "handler-failed"  // crashed or failed on its last attempt
	HandlerRefused = "handler-refused" // the handler says that a retry is no use
	Refused        = "refused"         // by the output, permanently
	Expired        = "expired"         // by retry.giveUpAfter
	OutputRemoved  = "output-removed"  // by a reload, with messages waiting
	// ListenerRemoved: a reload has removed the listener, whose outputs did not take all in time.
	ListenerRemoved = "listener-removed"
)

// Reasons returns all reasons, in the order of an event's path.
func Reasons() []string {
	return []string{FilterFailed, RuleFailed, HandlerFailed, HandlerRefused, Refused, Expired,
		OutputRemoved, ListenerRemoved}
}

// Letter is an event that was given up, or the message that was made of it. Names of fields are
// those of its JSON form.
type Letter struct {
	// ID is set by Put, and sorts by time. A letter that is put with an ID takes the place of the
	// letter of that ID, which is still there until it is deleted.
	ID string `json:"id,omitempty"`
	// Stored is when the letter was put. It is set by Put.
	Stored time.Time `json:"stored,omitzero"`
	// Superseded: something newer of the object has been delivered since. It is set by the store.
	Superseded bool `json:"superseded,omitempty"`

	Listener string    `json:"listener"`
	Output   string    `json:"output,omitempty"` // empty if no message was made
	Reason   string    `json:"reason"`
	Error    string    `json:"error,omitempty"` // Put cuts it off at 4 KiB
	Attempts int       `json:"attempts,omitempty"`
	First    time.Time `json:"first,omitzero"` // the first attempt that failed
	Last     time.Time `json:"last,omitzero"`
	Handler  string    `json:"handler,omitempty"`  // the SHA-256 of the module
	Config   string    `json:"config,omitempty"`   // the digest of the listener's configuration
	Rule     string    `json:"rule,omitempty"`     // whose report the message is
	Since    time.Time `json:"since,omitzero"`     // when the violation began that it reports
	Resolved bool      `json:"resolved,omitempty"` // it reports the violation's end
	Text     string    `json:"text,omitempty"`     // what the rule says of the violation

	Cluster         string `json:"cluster,omitempty"`
	Resource        string `json:"resource,omitempty"` // "deployments.apps"
	Group           string `json:"group,omitempty"`
	Version         string `json:"version,omitempty"`
	Plural          string `json:"plural,omitempty"`
	Kind            string `json:"kind,omitempty"`
	Namespace       string `json:"namespace,omitempty"`
	Name            string `json:"name,omitempty"`
	UID             string `json:"uid,omitempty"`
	ResourceVersion string `json:"resourceVersion,omitempty"`

	Op                string `json:"op,omitempty"` // empty for a report that time caused
	Initial           bool   `json:"initial,omitempty"`
	FinalStateUnknown bool   `json:"finalStateUnknown,omitempty"`
	Missed            int    `json:"missed,omitempty"`
	Resumed           bool   `json:"resumed,omitempty"`

	Object  json.RawMessage `json:"object,omitempty"`
	Old     json.RawMessage `json:"old,omitempty"`
	Message json.RawMessage `json:"message,omitempty"` // the CloudEvent, if one was made
}

// maxError is how many bytes of a letter's error are kept.
const maxError = 4 << 10

// Limits bound a Store. The zero value does not.
type Limits struct {
	MaxBytes       int64         // of all letters
	NamespaceBytes int64         // of those of one namespace, or without one
	MaxAge         time.Duration // letters are removed that are older
	// Drop has Put return ErrDropped without room, since nobody will try again.
	Drop bool
}
