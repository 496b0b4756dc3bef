package kubernetesevent

import (
	"fmt"

	"github.com/informerd/informerd/internal/sink"
)

// Shown is what is to be seen of the Event that a message becomes, as kubectl shows it.
type Shown struct {
	Namespace string    `json:"namespace"`
	Type      string    `json:"type"`
	Reason    string    `json:"reason"`
	Action    string    `json:"action"`
	Note      string    `json:"note"`
	Regarding Regarding `json:"regarding"`
}

// Regarding is the object that an Event is about.
type Regarding struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// Show returns the Event that a message becomes, false if it becomes none, since it is about one.
func Show(m *sink.Message) (Shown, bool) {
	if isOwn(m) {
		return Shown{}, false
	}
	e := (&Sink{}).newEvent(m, describe(m))
	r := e.Regarding
	return Shown{e.Namespace, e.Type, e.Reason, e.Action, e.Note,
		Regarding{r.APIVersion, r.Kind, r.Namespace, r.Name}}, true
}

// String returns it as one line.
func (s Shown) String() string {
	name := s.Regarding.Name
	if s.Regarding.Namespace != "" {
		name = s.Regarding.Namespace + "/" + name
	}
	return fmt.Sprintf("%s, reason %s, action %s, about the %s %s, in the namespace %s: %q", s.Type,
		s.Reason, s.Action, s.Regarding.Kind, name, s.Namespace, s.Note)
}
