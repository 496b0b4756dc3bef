package memory

import "time"

// Object is what a running informerd knows of an object at one of its listeners, or what one knew
// whose checkpoint is read. Its fields are the form in which commands get it.
type Object struct {
	Listener bool   `json:"listener"`         // it has the listener
	Digest   string `json:"digest,omitempty"` // of the listener's configuration there
	Idle     string `json:"idle,omitempty"`   // why the listener gets no events
	Has      bool   `json:"has,omitempty"`    // the listener's informer has the object
	UID      string `json:"uid,omitempty"`    // of the object that it has
	// Outputs are those of the listener there, nil if that is not known.
	Outputs []string `json:"outputs,omitempty"`
	// Selected is whether the object is selected, where that does not follow from its state. Member
	// is the same wherever the informer has the object; nil if that is not known.
	Selected *bool `json:"selected,omitempty"`
	Member   *bool `json:"member,omitempty"`
	Rules    Rules `json:"rules,omitempty"`
	// Fixed is what a reload would refuse to change there, nil if that is not known.
	Fixed *Fixed `json:"fixed,omitempty"`

	// Checkpoint is the last cut of the checkpoint that it was read from, zero if it is what a
	// running informerd has told. Lists is whether the informer is another one than there.
	Checkpoint time.Time `json:"-"`
	Last       []byte    `json:"-"` // the object, in the state that the checkpoint has of it
	Lists      bool      `json:"-"`
}
