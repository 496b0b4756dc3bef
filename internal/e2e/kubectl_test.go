package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// asKubectl is the variable that makes this test program act as kubectl, for the commands of
// docs/writing-handlers.md. It supports
//
//	kubectl apply -f FILE       one Pod
//	kubectl delete -f FILE…
//
// on the control plane whose folder $KUBECONFIG is in, and prints what kubectl prints. There are no
// nodes, so it also does what the node of a pod with activeDeadlineSeconds would have done some
// seconds later: it makes the pod fail.
const asKubectl = "KUBECTL_IN_TEST"

func kubectl(args []string) error {
	s := &story{cluster: &cluster{dir: filepath.Dir(os.Getenv("KUBECONFIG"))}}
	if err := s.cluster.connect(); err != nil {
		return err
	}
	if len(args) < 3 || len(args)%2 == 0 || args[0] == "apply" && len(args) != 3 {
		return fmt.Errorf("unsupported command: %q", args)
	}
	for i := 1; i < len(args); i += 2 {
		text, err := os.ReadFile(args[i+1])
		if err != nil || args[i] != "-f" {
			return errors.Join(err, fmt.Errorf("unsupported command: %q", args))
		}
		pod := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(text, &pod.Object); err != nil {
			return err
		}
		s.namespace = pod.GetNamespace()
		switch args[0] {
		case "apply":
			err = s.runPod(args[i+1], pod)
		case "delete":
			err = s.delete("Pod/" + pod.GetName())
			fmt.Printf("pod %q deleted\n", pod.GetName())
		default:
			err = fmt.Errorf("unsupported command: %s", args[0])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runPod makes a pod and lets its deadline pass.
func (s *story) runPod(file string, pod *unstructured.Unstructured) error {
	target := "Pod/" + pod.GetName()
	if _, err := s.get(target); !apierrors.IsNotFound(err) {
		return errors.Join(err, fmt.Errorf("%s already exists", target))
	}
	if _, found, err := unstructured.NestedFieldNoCopy(pod.Object, "spec",
		"activeDeadlineSeconds"); !found {
		return errors.Join(err, fmt.Errorf("%s would need a node to run", target))
	}
	if err := s.apply(file); err != nil {
		return err
	}
	fmt.Printf("pod/%s created\n", pod.GetName())
	return s.patch(target+"/status", `{"status": {"phase": "Failed", "reason": "DeadlineExceeded",
		"message": "Pod was active on the node longer than the specified deadline"}}`)
}
