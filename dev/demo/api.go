package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
)

// namespace is where the demo acts.
const namespace = "default"

// pollEvery is the interval of polling the API server for something that takes a moment.
const pollEvery = 200 * time.Millisecond

// api acts on the cluster as a user of kubectl would.
type api struct {
	deployments, pods dynamic.ResourceInterface
}

func connect(kubeconfig string) (*api, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("cannot read the control plane's kubeconfig: %w", err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for the API server: %w", err)
	}
	return &api{
		deployments: client.Resource(schema.GroupVersionResource{Group: "apps", Version: "v1",
			Resource: "deployments"}).Namespace(namespace),
		pods: client.Resource(schema.GroupVersionResource{Version: "v1",
			Resource: "pods"}).Namespace(namespace),
	}, nil
}

// Create makes a Deployment whose pods have one container; all have the Deployment's name.
func (a *api) Create(ctx context.Context, name, image string, replicas int) error {
	labels := map[string]any{"app": name}
	_, err := a.deployments.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1",
		"kind":       "Deployment",
		"metadata":   map[string]any{"name": name, "labels": labels},
		"spec": map[string]any{
			"replicas": int64(replicas),
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{
				"metadata": map[string]any{"labels": labels},
				"spec": map[string]any{
					"containers": []any{map[string]any{"name": name, "image": image}}},
			},
		},
	}}, metav1.CreateOptions{})
	return err
}

// Scale sets a Deployment's replicas.
func (a *api) Scale(ctx context.Context, name string, replicas int) error {
	return patch(ctx, a.deployments, name,
		map[string]any{"spec": map[string]any{"replicas": replicas}})
}

// SetImage sets the image of a Deployment's container.
func (a *api) SetImage(ctx context.Context, name, image string) error {
	containers := []any{map[string]any{"name": name, "image": image}}
	return patch(ctx, a.deployments, name, map[string]any{
		"spec": map[string]any{
			"template": map[string]any{"spec": map[string]any{"containers": containers}}},
	})
}

// Restart sets a pod's container status to so many restarts, as a kubelet would.
func (a *api) Restart(ctx context.Context, pod, container string, times int) error {
	statuses := []any{map[string]any{"name": container, "restartCount": times}}
	return patch(ctx, a.pods, pod,
		map[string]any{"status": map[string]any{"containerStatuses": statuses}}, "status")
}

// Delete deletes a Deployment, whose pods are then deleted, too.
func (a *api) Delete(ctx context.Context, name string) error {
	return a.deployments.Delete(ctx, name, metav1.DeleteOptions{})
}

// RunningPods waits until a Deployment has so many pods, all of them running with the image, and
// returns their names.
func (a *api) RunningPods(ctx context.Context, deployment, image string, count int) ([]string,
	error) {
	for {
		list, err := a.pods.List(ctx, metav1.ListOptions{LabelSelector: "app=" + deployment})
		if err != nil {
			return nil, err
		}
		names, waitingFor := running(list.Items, image)
		if waitingFor == "" && len(names) == count {
			return names, nil
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d pods run with %s, %s: %w", len(names), count, image,
				waitingFor, context.Cause(ctx))
		}
	}
}

// running returns the names of the pods that run with the image, and why the first other one does
// not.
func running(pods []unstructured.Unstructured, image string) (names []string, not string) {
	for _, p := range pods {
		phase, _, _ := unstructured.NestedString(p.Object, "status", "phase")
		containers, _, _ := unstructured.NestedSlice(p.Object, "spec", "containers")
		has := false
		for _, c := range containers {
			fields, _ := c.(map[string]any)
			has = has || fields["image"] == image
		}
		switch {
		case phase == "Running" && has && p.GetDeletionTimestamp() == nil:
			names = append(names, p.GetName())
		case not == "":
			not = p.GetName() + " does not"
		}
	}
	return names, not
}

func patch(ctx context.Context, on dynamic.ResourceInterface, name string, body any,
	subresource ...string) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	_, err = on.Patch(ctx, name, types.StrategicMergePatchType, text, metav1.PatchOptions{},
		subresource...)
	if err != nil {
		return fmt.Errorf("patch %s: %w", strings.Join(append([]string{name}, subresource...), "/"),
			err)
	}
	return nil
}
