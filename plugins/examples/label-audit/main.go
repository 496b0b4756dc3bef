// Label-audit is a handler that reports objects that lack required labels. See README.md.
package main

import (
	"errors"
	"fmt"
	"strings"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

// eventType is the type of the emitted events.
const eventType = "dev.informerd.examples.label-audit"

// config is the handler's configuration.
type config struct {
	Required   []string `json:"required"`
	MaxObjects int      `json:"maxObjects"`
}

// finding is the data of an emitted event. Missing is empty once all labels are there.
type finding struct {
	Kind      string   `json:"kind"`
	Namespace string   `json:"namespace,omitempty"`
	Name      string   `json:"name"`
	UID       string   `json:"uid"`
	Missing   []string `json:"missing"`
}

// label is one required label.
type label struct {
	key  string
	path *informerd.FieldPath
}

var (
	kind      = informerd.Path("kind")
	namespace = informerd.Path("metadata.namespace")
	name      = informerd.Path("metadata.name")
	uid       = informerd.Path("metadata.uid")

	required []label
	found    *findings
)

func init() {
	informerd.Register(informerd.Handler{Configure: configure, OnEvent: onEvent})
}

func main() {}

func configure() error {
	c := config{MaxObjects: 10_000}
	if err := informerd.Config(&c); err != nil {
		return err
	}
	if len(c.Required) == 0 {
		return errors.New("required is empty: name at least one label")
	}
	if c.MaxObjects < 1 {
		return fmt.Errorf("maxObjects is %d, it must be at least 1", c.MaxObjects)
	}
	required, found = nil, newFindings(c.MaxObjects)
	for _, key := range c.Required {
		if key == "" || strings.ContainsAny(key, `"\[]`) {
			return fmt.Errorf("required: %q is not a label key", key)
		}
		path, err := informerd.Compile(`metadata.labels["` + key + `"]`)
		if err != nil {
			return fmt.Errorf("required: %w", err)
		}
		required = append(required, label{key, path})
	}
	return nil
}

func onEvent(e *informerd.Event) informerd.Verdict {
	id := e.Object.String(uid)
	if e.Op == informerd.Delete {
		found.forget(id)
		return informerd.Drop
	}
	missing := []string{}
	for _, l := range required {
		if e.Object.String(l.path) == "" {
			missing = append(missing, l.key)
		}
	}
	if !found.set(id, strings.Join(missing, " ")) {
		return informerd.Drop
	}
	err := informerd.Emit(eventType, finding{
		Kind:      e.Object.String(kind),
		Namespace: e.Object.String(namespace),
		Name:      e.Object.String(name),
		UID:       id,
		Missing:   missing,
	})
	if err != nil {
		return e.Fail(err.Error())
	}
	return informerd.Done
}
