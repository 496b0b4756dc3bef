package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
)

const (
	objectTypes   = "dev.informerd.object."
	typeAdded     = objectTypes + "added"
	typeUpdated   = objectTypes + "updated"
	typeDeleted   = objectTypes + "deleted"
	typeResynced  = objectTypes + "resynced"
	typeCrashloop = "dev.informerd.examples.crashloop"
)

// cloudEvent is one line of informerd's stdout, with the fields that the demo uses.
type cloudEvent struct {
	Listener string `json:"-"` // the end of Source

	SpecVersion       string          `json:"specversion"`
	Type              string          `json:"type"`
	Source            string          `json:"source"`
	Subject           string          `json:"subject"`
	Initial           bool            `json:"initial"`
	FinalStateUnknown bool            `json:"finalstateunknown"`
	Missed            int             `json:"missed"`
	Resumed           bool            `json:"resumed"`
	Data              json.RawMessage `json:"data"`
}

// change is the data of an event about an object.
type change struct {
	Object object  `json:"object"`
	Old    *object `json:"old"`
}

// finding is the data of an event that the crashloop handler emits.
type finding struct {
	Container string `json:"container"`
	Restarts  int    `json:"restarts"`
	Threshold int    `json:"threshold"`
}

// object is the fields of Deployments and Pods that the demo uses.
type object struct {
	Kind string `json:"kind"`
	Spec struct {
		Replicas int    `json:"replicas"`
		NodeName string `json:"nodeName"`
		Template struct {
			Spec struct {
				Containers []struct {
					Image string `json:"image"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
	Status struct {
		Phase             string `json:"phase"`
		ContainerStatuses []struct {
			RestartCount int `json:"restartCount"`
		} `json:"containerStatuses"`
	} `json:"status"`
}

// parseEvent reads a line of informerd's stdout.
func parseEvent(line []byte) (cloudEvent, error) {
	var e cloudEvent
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("not JSON: %w", err)
	}
	if e.SpecVersion != "1.0" || e.Type == "" || e.Subject == "" {
		return e, errors.New("not a CloudEvent 1.0 with a type and a subject")
	}
	cluster, listener := path.Split(e.Source)
	if !strings.HasPrefix(cluster, "/clusters/") || !strings.HasSuffix(cluster, "/listeners/") {
		return e, fmt.Errorf("the source %q is not /clusters/<cluster>/listeners/<listener>",
			e.Source)
	}
	var err error
	if e.Listener, err = url.PathUnescape(listener); err != nil {
		return e, fmt.Errorf("the source %q: %w", e.Source, err)
	}
	return e, nil
}

// Change returns the event's object, or false if it is not about one.
func (e cloudEvent) Change() (change, bool) {
	var c change
	if !strings.HasPrefix(e.Type, objectTypes) || json.Unmarshal(e.Data, &c) != nil {
		return c, false
	}
	return c, true
}

// Finding returns the finding of the crashloop handler, or false if the event is not its own.
func (e cloudEvent) Finding() (finding, bool) {
	var f finding
	if e.Type != typeCrashloop || json.Unmarshal(e.Data, &f) != nil {
		return f, false
	}
	return f, true
}

// Short returns the event in one line: listener, type, subject and its relevant fields.
func (e cloudEvent) Short() string {
	var notes []string
	if c, ok := e.Change(); ok {
		notes = c.notes()
	} else if f, ok := e.Finding(); ok {
		notes = append(notes, fmt.Sprintf("%s: %d restarts, threshold %d", f.Container, f.Restarts,
			f.Threshold))
	}
	if e.Initial {
		notes = append(notes, "initial")
	}
	if e.FinalStateUnknown {
		notes = append(notes, "final state unknown")
	}
	if e.Missed > 0 {
		notes = append(notes, fmt.Sprintf("missed %d", e.Missed))
	}
	if e.Resumed {
		notes = append(notes, "resumed")
	}
	return fmt.Sprintf("%-11s  %-8s  %-33s  %s", e.Listener,
		strings.TrimPrefix(e.Type, objectTypes), e.Subject, strings.Join(notes, ", "))
}

// notes returns what differs from the old state or, without one, the state of the object.
func (c change) notes() []string {
	var notes []string
	note := func(format string, now, old any) {
		switch {
		case c.Old == nil:
			notes = append(notes, fmt.Sprintf(format, fmt.Sprint(now)))
		case now != old:
			notes = append(notes, fmt.Sprintf(format, fmt.Sprintf("%v -> %v", old, now)))
		}
	}
	old := c.Old
	if old == nil {
		old = &object{}
	}
	switch c.Object.Kind {
	case "Deployment":
		note("replicas %s", c.Object.Spec.Replicas, old.Spec.Replicas)
		note("image %s", c.Object.image(), old.image())
	case "Pod":
		note("%s", c.Object.Status.Phase, old.Status.Phase)
		note("on %s", c.Object.Spec.NodeName, old.Spec.NodeName)
		note("restarts %s", c.Object.restarts(), old.restarts())
	}
	return notes
}

// image returns the image of the first container, since the demo's Deployments have one.
func (o object) image() string {
	if len(o.Spec.Template.Spec.Containers) == 0 {
		return ""
	}
	return o.Spec.Template.Spec.Containers[0].Image
}

func (o object) restarts() (n int) {
	for _, s := range o.Status.ContainerStatuses {
		n += s.RestartCount
	}
	return n
}
