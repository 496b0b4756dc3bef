// Owner-team is a handler that reports pods that do not start, with the team that owns them. See
// README.md.
package main

import (
	"errors"
	"fmt"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
)

// eventType is the type of the emitted events.
const eventType = "dev.informerd.examples.owner-team"

// maxContainers is how many containers of a pod are examined, and how many of its init containers.
const maxContainers = 8

// finding is the data of an emitted event.
type finding struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	Container string `json:"container"` // the first that waits for such a reason
	Reason    string `json:"reason"`
	Owner     owner  `json:"owner"`
	Team      string `json:"team,omitempty"`
	TeamOf    string `json:"teamOf,omitempty"` // the kind of the object that has the team
}

// container holds the paths of one container's status.
type container struct {
	name, reason *informerd.FieldPath
}

var (
	namespace = informerd.Path("metadata.namespace")
	name      = informerd.Path("metadata.name")
	uid       = informerd.Path("metadata.uid")
	status    = informerd.Path("status")

	containers     = containerPaths("containerStatuses")
	initContainers = containerPaths("initContainerStatuses")

	settings config
)

func containerPaths(list string) (cs []container) {
	for i := range maxContainers {
		c := fmt.Sprintf("status.%s[%d].", list, i)
		cs = append(cs, container{informerd.Path(c + "name"),
			informerd.Path(c + "state.waiting.reason")})
	}
	return cs
}

func init() {
	informerd.Register(informerd.Handler{Configure: configure, OnEvent: onEvent})
}

func main() {}

func configure() (err error) {
	if settings, err = readConfig(); err != nil {
		return err
	}
	if err := openCaches(settings); err != nil {
		return err
	}
	// The fields needed for a pod with one running container. Few events need those of further
	// ones.
	return informerd.Prefetch(containers[0].name, containers[0].reason, containers[1].name,
		initContainers[0].name)
}

func onEvent(e *informerd.Event) informerd.Verdict {
	if e.Op == informerd.Delete {
		return informerd.Drop
	}
	// Many updates of a pod change something else.
	if e.Op == informerd.Update && !e.Missed && !e.Changed(status) {
		return informerd.Drop
	}
	f := finding{}
	if f.Container, f.Reason = waiting(e.Object); f.Reason == "" {
		return informerd.Drop
	}
	f.Namespace, f.Name, f.UID = e.Object.String(namespace), e.Object.String(name),
		e.Object.String(uid)
	known, err := remember(f)
	if err != nil {
		return e.Fail(err.Error())
	}
	if known {
		return informerd.Drop
	}
	if err := report(e.Object, f); err != nil {
		forget(f) // the report failed
		return e.Fail(err.Error())
	}
	return informerd.Done
}

// waiting returns a container that waits for one of the reasons, and the reason.
func waiting(pod informerd.Object) (name, reason string) {
	for _, list := range [][]container{containers, initContainers} {
		for _, c := range list {
			if !pod.Has(c.name) {
				break
			}
			if reason := pod.String(c.reason); settings.reports(reason) {
				return pod.String(c.name), reason
			}
		}
	}
	return "", ""
}

// report finds the pod's owner, and emits the event.
func report(pod informerd.Object, f finding) error {
	top, owning, err := ownerOf(pod, f)
	if err != nil {
		return err
	}
	f.Owner = top
	if f.Team, f.TeamOf, err = teamOf(owning, f.Namespace); err != nil {
		return err
	}
	return informerd.Emit(eventType, f)
}

// remember reports whether the pod was already reported, and records that it is now. All workers
// share the records.
func remember(f finding) (known bool, err error) {
	ours, err := informerd.KVCAS(key(f), nil, []byte(f.Reason), settings.repeat)
	if errors.Is(err, informerd.ErrQuota) { // better twice than not at all
		return false, nil
	}
	return !ours, err
}

func forget(f finding) { _ = informerd.KVDelete(key(f)) }

func key(f finding) string { return "reported/" + f.UID }
