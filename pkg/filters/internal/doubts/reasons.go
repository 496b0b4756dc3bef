package doubts

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// WaitingReasons are what the kubelet writes into state.waiting of containers.
var WaitingReasons = []string{"CrashLoopBackOff", "ImagePullBackOff", "ErrImagePull",
	"CreateContainerConfigError", "CreateContainerError", "InvalidImageName", "ErrImageNeverPull",
	"RunContainerError", "ContainerCreating", "PodInitializing"}

// TerminatedReasons are what it writes into state.terminated.
var TerminatedReasons = []string{"OOMKilled", "Error", "Completed", "ContainerCannotRun",
	"DeadlineExceeded", "Evicted", "StartError"}

// EventTypes are those of Events:
// https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/event-v1/
var EventTypes = []string{"Normal", "Warning"}

// Meant has words that people write for a reason or a type, in lower case.
var Meant = map[string]string{
	"oom": "OOMKilled", "oomkill": "OOMKilled", "outofmemory": "OOMKilled", "oom killed": "OOMKilled",
	"oomkiller": "OOMKilled", "oomerror": "OOMKilled", "memory": "OOMKilled",
	"crashloop": "CrashLoopBackOff", "crashlooping": "CrashLoopBackOff", "crash": "CrashLoopBackOff",
	"crashbackoff": "CrashLoopBackOff", "backoff": "CrashLoopBackOff",
	"imagepullerror": "ErrImagePull", "imagepull": "ImagePullBackOff", "imagepullfailed": "ErrImagePull",
	"errimagepullbackoff": "ImagePullBackOff", "complete": "Completed", "succeeded": "Completed",
	"failed": "Error", "creating": "ContainerCreating", "initializing": "PodInitializing",
	"info": "Normal", "information": "Normal", "error": "Warning", "warn": "Warning",
	"critical": "Warning", "failure": "Warning", "err": "Warning",
}

// eventReasons are reasons of the Events of Kubernetes' own components.
var eventReasons = []string{"BackOff", "FailedScheduling", "FailedMount", "FailedAttachVolume",
	"Unhealthy", "Evicted", "NodeNotReady", "SystemOOM", "OOMKilling", "FailedCreate",
	"FailedCreatePodSandBox", "ScalingReplicaSet", "SuccessfulCreate", "Preempted",
	"ProvisioningFailed", "BackoffLimitExceeded", "DeadlineExceeded", "FailedKillPod",
	"FailedGetResourceMetric", "FailedComputeMetricsReplicas", "ProbeWarning", "TriggeredScaleUp"}

// eventReasonMeant has reasons that are of containers and conditions, and that of the Event which
// is about them.
var eventReasonMeant = map[string]string{
	"CrashLoopBackOff": "BackOff", "ImagePullBackOff": "BackOff", "ErrImagePull": "Failed",
	"Unschedulable": "FailedScheduling", "NotReady": "NodeNotReady",
}

// eventReason warns about a reason that the Events of Kubernetes do not have.
func (f *finder) eventReason(c comparison) {
	keys := ofObject(c.value)
	text, ok := c.to.(*ast.StringNode)
	if !ok || f.Objects != "Event" || len(keys) != 1 || keys[0] != "reason" ||
		c.operator != "==" && c.operator != "!=" || slices.Contains(eventReasons, text.Value) {
		return
	}
	meant := eventReasonMeant[text.Value]
	for _, known := range eventReasons {
		if strings.EqualFold(known, text.Value) || len(known) > 6 && OneLetter(known, text.Value) {
			meant = known
		}
	}
	word := strings.ToLower(text.Value)
	switch {
	case meant != "":
		f.doubt(text, text, quoted(meant), "the reason of an Event is probably never %q", text.Value)
	case Meant[word] == "OOMKilled" || word == "oomkilled":
		f.doubt(text, text, "", "the reason of an Event is probably never %q: it is the reason of a container, which pods have in .lastState.terminated.reason of their containerStatuses", text.Value)
	}
}

// podReason warns about the reason of a container where that of the whole pod is read.
func (f *finder) podReason(c comparison) {
	keys := ofObject(c.value)
	text, ok := c.to.(*ast.StringNode)
	if !ok || f.Objects != "Pod" || len(keys) != 2 || keys[0] != "status" || keys[1] != "reason" ||
		c.operator != "==" && c.operator != "!=" {
		return
	}
	write := ofContainer(text.Value)
	if write == "" {
		return
	}
	if c.operator == "!=" {
		write = "not " + write
	}
	f.doubt(text, c.whole, write, "%q is the reason of a container, and not of a whole pod",
		text.Value)
}

// ofContainer returns what asks whether a container of a pod has a reason, "" if none has it.
func ofContainer(reason string) string {
	switch {
	case slices.Contains(WaitingReasons, reason):
		return "any(object.status.containerStatuses, .state.waiting.reason == " +
			strconv.Quote(reason) + ")"
	case reason == "OOMKilled":
		return `any(object.status.containerStatuses, .lastState.terminated.reason == "OOMKilled")`
	}
	return ""
}

// PhaseInstead returns what to ask in place of a phase that objects of a kind do not have: much of
// what kubectl shows as the status is no phase. It is "" if nothing is known.
func PhaseInstead(objects, word string) string {
	if objects == "Pod" || objects == "Node" {
		switch strings.ToLower(word) {
		case "ready", "healthy":
			return `condition("Ready").status == "True"`
		case "notready", "unready", "unhealthy":
			return `condition("Ready").status != "True"`
		}
	}
	if objects == "Node" && word == "SchedulingDisabled" {
		return "object.spec.unschedulable"
	}
	if objects != "Pod" {
		return ""
	}
	if write := ofContainer(word); write != "" {
		return write
	}
	switch strings.ToLower(word) {
	case "crashloop", "crashlooping":
		return ofContainer("CrashLoopBackOff")
	case "terminating", "deleting", "deleted":
		return "object.metadata.deletionTimestamp != nil"
	case "evicted":
		return `object.status.reason == "Evicted"`
	case "completed", "complete", "success", "successful", "done", "finished":
		return `object.status.phase == "Succeeded"`
	case "error", "crashed", "failure", "errored", "terminated":
		return `object.status.phase == "Failed"`
	case "unschedulable", "unscheduled":
		return `condition("PodScheduled").status == "False"`
	}
	return ""
}

// OneLetter reports whether two texts differ in one letter that is another one, is missing or is
// too many.
func OneLetter(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	if len(a)-len(b) > 1 || a == b || len(b) < 4 {
		return false
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return a[i+1:] == b[i+1:]
	}
	return a[i+1:] == b[i:]
}
