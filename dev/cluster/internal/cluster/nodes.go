package cluster

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	nodestages "sigs.k8s.io/kwok/kustomize/stage/node/fast"
	podstages "sigs.k8s.io/kwok/kustomize/stage/pod/fast"
)

// kwokStages is kwok's configuration: nodes become ready, and pods run, complete and disappear, at
// once.
func kwokStages() string {
	return strings.Join([]string{
		nodestages.DefaultNodeInit,
		podstages.DefaultPodReady,
		podstages.DefaultPodComplete,
		podstages.DefaultPodDelete,
	}, "\n---\n")
}

// node returns the i-th node, counted from one. It has room for many pods: the capacity of nodes is
// not what tests are about.
func node(i int) *corev1.Node {
	name := fmt.Sprintf("node-%d", i)
	room := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("256"),
		corev1.ResourceMemory: resource.MustParse("1Ti"),
		corev1.ResourcePods:   resource.MustParse("20000"),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				corev1.LabelHostname:   name,
				corev1.LabelOSStable:   "linux",
				corev1.LabelArchStable: runtime.GOARCH,
			},
			Annotations: map[string]string{"kwok.x-k8s.io/node": "fake"},
		},
		Status: corev1.NodeStatus{
			Capacity:    room,
			Allocatable: room,
			NodeInfo: corev1.NodeSystemInfo{Architecture: runtime.GOARCH,
				OperatingSystem: "linux"},
		},
	}
}

func createNodes(ctx context.Context, client kubernetes.Interface, n int) error {
	for i := 1; i <= n; i++ {
		if _, err := client.CoreV1().Nodes().Create(ctx, node(i),
			metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("cannot create the node %s: %w", node(i).Name, err)
		}
	}
	return nil
}

// canRunPods returns nil if a pod created now will be scheduled and run, otherwise what is missing.
func canRunPods(ctx context.Context, client kubernetes.Interface) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("cannot list the nodes: %w", err)
	}
	for _, n := range nodes.Items {
		if !isReady(&n) {
			return fmt.Errorf("the node %s is not ready", n.Name)
		}
		// new nodes are tainted until the controller manager sees that they are ready
		if len(n.Spec.Taints) > 0 {
			return fmt.Errorf("the node %s still has the taint %s", n.Name,
				n.Spec.Taints[0].ToString())
		}
	}
	// Pods are rejected until their namespace has its service account.
	_, err = client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default",
		metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("cannot get the default service account: %w", err)
	}
	return nil
}

func isReady(n *corev1.Node) bool {
	for _, condition := range n.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
