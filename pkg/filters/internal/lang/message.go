package lang

import (
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Message is what an output is about to send, as the expressions of outputs see it.
type Message struct {
	// Event is what the message is about. Its Op is 0 if a rule reports since time has passed;
	// op is "" then.
	Event event.Event

	Cluster, Listener    string // their names in the configuration
	ClusterLabels        map[string]string
	Resource             string // "deployments.apps", "pods"
	Namespace, Name, UID string // of the object
	Type, ID, Subject    string // the attributes of the CloudEvent

	// What a rule reports. If Rule is "", none does, and rule, severity, message, violated and
	// since are nil.
	Rule, Severity, Message string
	Violated                bool
	Since                   time.Time

	// Data is what a handler made, as the text of one valid JSON value; "" if there is none.
	Data string
}

// MessageTexts are the variables of messages that are always texts.
var MessageTexts = []string{"resource", "namespace", "name", "uid", "type", "id", "subject"}

// MessageValues are the variables of messages that may be nil.
var MessageValues = []string{"rule", "severity", "message", "violated", "since", "data"}

// MessageVariables are the variables that only messages have.
var MessageVariables = slices.Concat(MessageTexts, MessageValues)
