// Crashloop is a handler that reports pods whose containers keep restarting. See README.md.
package main

import (
	"fmt"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

// eventType is the type of the emitted events.
const eventType = "dev.informerd.examples.crashloop"

// maxContainers is how many containers of a pod are examined.
const maxContainers = 16

// config is the handler's configuration.
type config struct {
	Threshold int64 `json:"threshold"`
	MaxPods   int   `json:"maxPods"`
}

// finding is the data of an emitted event.
type finding struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Container string `json:"container"` // the one with the most restarts
	Restarts  int64  `json:"restarts"`  // of all containers
	Threshold int64  `json:"threshold"`
}

// container holds the paths of one container's status.
type container struct {
	name, restarts *informerd.FieldPath
}

var (
	namespace  = informerd.Path("metadata.namespace")
	name       = informerd.Path("metadata.name")
	uid        = informerd.Path("metadata.uid")
	statuses   = informerd.Path("status.containerStatuses")
	containers = containerPaths()

	settings config
	pods     *counts
)

func containerPaths() (cs []container) {
	for i := range maxContainers {
		status := fmt.Sprintf("status.containerStatuses[%d].", i)
		cs = append(cs, container{informerd.Path(status + "name"),
			informerd.Path(status + "restartCount")})
	}
	return cs
}

func init() {
	informerd.Register(informerd.Handler{Configure: configure, OnEvent: onEvent})
}

func main() {}

func configure() error {
	settings = config{Threshold: 5, MaxPods: 10_000}
	if err := informerd.Config(&settings); err != nil {
		return err
	}
	if settings.Threshold < 0 {
		return fmt.Errorf("threshold is %d, it must not be negative", settings.Threshold)
	}
	if settings.MaxPods < 1 {
		return fmt.Errorf("maxPods is %d, it must be at least 1", settings.MaxPods)
	}
	pods = newCounts(settings.MaxPods)
	return nil
}

func onEvent(e *informerd.Event) informerd.Verdict {
	id := e.Object.String(uid)
	if e.Op == informerd.Delete {
		pods.forget(id)
		return informerd.Drop
	}
	// Most updates of a pod change something else.
	if e.Op == informerd.Update && !e.Missed && !e.Changed(statuses) {
		return informerd.Drop
	}
	restarts, worst := restartsOf(e.Object)
	if restarts <= settings.Threshold || !pods.set(id, restarts) {
		return informerd.Drop
	}
	err := informerd.Emit(eventType, finding{
		Namespace: e.Object.String(namespace),
		Name:      e.Object.String(name),
		UID:       id,
		Container: worst,
		Restarts:  restarts,
		Threshold: settings.Threshold,
	})
	if err != nil {
		return e.Fail(err.Error())
	}
	return informerd.Done
}

// restartsOf returns the sum of the restarts of a pod's containers, and the one with the most.
func restartsOf(pod informerd.Object) (sum int64, worst string) {
	most := int64(0)
	for _, c := range containers {
		n := pod.Get(c.restarts)
		if !n.Exists() {
			break
		}
		restarts, _ := n.Int()
		sum += restarts
		if restarts > most {
			most, worst = restarts, pod.String(c.name)
		}
	}
	return sum, worst
}
