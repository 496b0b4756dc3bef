package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// asKubectl is the variable that makes this test program act as kubectl, for the commands of pages
// of the documentation. It supports
//
//	kubectl apply -f FILE
//	kubectl delete -f FILE…
//	kubectl create namespace NAME
//	kubectl scale KIND NAME --replicas=N
//	kubectl patch KIND NAME --type=merge -p PATCH
//	kubectl delete KIND NAME
//	kubectl get KIND NAME -o yaml
//
// with -n NAMESPACE, on the control plane whose folder $KUBECONFIG is in, and prints what kubectl
// prints. There are no nodes, so it also does what the node of a pod with activeDeadlineSeconds
// would have done some seconds later: it makes the pod fail.
const asKubectl = "KUBECTL_IN_TEST"

func kubectl(args []string) error {
	flags := pflag.NewFlagSet("kubectl", pflag.ContinueOnError)
	namespace := flags.StringP("namespace", "n", "default", "")
	files := flags.StringArrayP("filename", "f", nil, "")
	replicas := flags.Int("replicas", 1, "")
	patch := flags.StringP("patch", "p", "", "")
	kind := flags.String("type", "strategic", "")
	output := flags.StringP("output", "o", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s := &story{cluster: &cluster{dir: filepath.Dir(os.Getenv("KUBECONFIG"))},
		namespace: *namespace}
	if err := s.cluster.connect(); err != nil {
		return err
	}
	words := flags.Args()
	if len(*files) > 0 && len(words) == 1 {
		for _, file := range *files {
			if err := s.kubectlFile(words[0], file); err != nil {
				return err
			}
		}
		return nil
	}
	unsupported := fmt.Errorf("unsupported command: %q", args)
	if len(words) != 3 {
		return unsupported
	}
	target := words[1] + "/" + words[2]
	switch {
	case words[0] == "create" && words[1] == "namespace":
		fmt.Printf("namespace/%s created\n", words[2])
		return s.cluster.createNamespace(words[2])
	case words[0] == "scale":
		fmt.Printf("%s scaled\n", strings.Replace(target, "deployment/", "deployment.apps/", 1))
		return s.patch(target+"/scale", fmt.Sprintf(`{"spec":{"replicas":%d}}`, *replicas))
	case words[0] == "patch" && *kind == "merge":
		fmt.Printf("%s patched\n", strings.Replace(target, "deployment/", "deployment.apps/", 1))
		return s.patch(target, *patch)
	case words[0] == "delete":
		fmt.Printf("%s %q deleted\n", words[1], words[2])
		return s.delete(target)
	case words[0] == "get" && *output == "yaml":
		object, err := s.get(target)
		fmt.Println(pretty(object))
		return err
	}
	return unsupported
}

// kubectlFile applies or deletes the objects of a file.
func (s *story) kubectlFile(verb, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for part := range strings.SplitSeq("\n"+string(text), "\n---\n") {
		object := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(part), &object.Object); err != nil {
			return err
		}
		if object.GetNamespace() != "" {
			s.namespace = object.GetNamespace()
		}
		shown := strings.ToLower(object.GetKind())
		if group := object.GroupVersionKind().Group; group != "" {
			shown += "." + group
		}
		switch {
		case verb == "apply" && object.GetKind() == "Pod":
			err = s.runPod(file, object)
		case verb == "apply":
			fmt.Printf("%s/%s created\n", shown, object.GetName())
		case verb == "delete":
			fmt.Printf("%s %q deleted\n", shown, object.GetName())
			err = s.delete(object.GetKind() + "/" + object.GetName())
		default:
			err = fmt.Errorf("unsupported command: %s", verb)
		}
		if err != nil {
			return err
		}
		if verb == "apply" && object.GetKind() == "Pod" {
			return nil
		}
	}
	if verb == "apply" {
		return s.apply(file)
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
