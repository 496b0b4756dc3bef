package kube

import (
	"os"
	"strings"
)

// podNamespaceFile is where a kubelet writes the namespace of the pod.
const podNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// PodNamespace returns the namespace of the pod that the process runs in, "" if it runs in none.
func PodNamespace() string {
	text, err := os.ReadFile(podNamespaceFile)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
