package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// k8s acts on the script's cluster as kubectl would.
func k8s(ts *testscript.TestScript, args []string) {
	s := storyOf(ts)
	verb, args := args[0], args[1:]
	switch {
	case verb == "apply":
		for _, file := range args {
			ts.Check(s.apply(ts.MkAbs(file)))
		}
	case verb == "patch" && len(args) == 2:
		ts.Check(s.patch(args[0], args[1]))
	case verb == "scale" && len(args) == 2:
		ts.Check(s.patch(args[0]+"/scale",
			fmt.Sprintf(`{"spec":{"replicas":%d}}`, number(ts, args[1]))))
	case verb == "delete" && len(args) == 1:
		ts.Check(s.delete(args[0]))
	case verb == "get" && len(args) == 1:
		object, err := s.get(args[0])
		ts.Check(err)
		delete(object["metadata"].(map[string]any), "managedFields")
		fmt.Fprint(ts.Stdout(), pretty(object))
	case verb == "schema" && len(args) == 1:
		ts.Check(eventually(func() error {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			return s.cluster.discovery.RESTClient().Get().AbsPath("/openapi/v3/apis/" + args[0]).Do(
				ctx).Error()
		}))
	case verb == "account" && len(args) == 2:
		ts.Check(s.account(ts.MkAbs(args[0]), args[1]))
	case verb == "env" && len(args) == 3:
		object, err := s.get(args[1])
		ts.Check(err)
		value, found := field(object, args[2])
		if !found {
			ts.Fatalf("%s has no %s:\n%s", args[1], args[2], pretty(object))
		}
		ts.Setenv(args[0], plain(value))
	default:
		ts.Fatalf("usage: k8s apply FILE…, patch KIND/NAME[/SUBRESOURCE] JSON, scale KIND/NAME N, delete KIND/NAME, get KIND/NAME, account FILE NAME, schema GROUP/VERSION, env VARIABLE KIND/NAME FIELD")
	}
}

func (s *story) apply(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	documents := yaml.NewYAMLOrJSONDecoder(f, 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := documents.Decode(&object.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		err := s.cluster.retry(func(ctx context.Context) error {
			client, err := s.cluster.mapped(object.GroupVersionKind(),
				cmp.Or(object.GetNamespace(), s.namespace))
			if err != nil {
				return err
			}
			_, err = client.Apply(ctx, object.GetName(), object,
				metav1.ApplyOptions{FieldManager: "e2e", Force: true})
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}

// target splits KIND/NAME[/SUBRESOURCE].
func target(text string) (kind, name string, subresources []string, err error) {
	parts := strings.Split(text, "/")
	if len(parts) < 2 {
		return "", "", nil, fmt.Errorf("%q is not KIND/NAME", text)
	}
	return parts[0], parts[1], parts[2:], nil
}

func (s *story) patch(text, patch string) error {
	kind, name, subresources, err := target(text)
	if err != nil {
		return err
	}
	return s.cluster.retry(func(ctx context.Context) error {
		client, err := s.cluster.resource(kind, s.namespace)
		if err != nil {
			return err
		}
		_, err = client.Patch(ctx, name, types.MergePatchType, []byte(patch),
			metav1.PatchOptions{FieldManager: "e2e"}, subresources...)
		return err
	})
}

func (s *story) delete(text string) error {
	kind, name, _, err := target(text)
	if err != nil {
		return err
	}
	return s.cluster.retry(func(ctx context.Context) error {
		client, err := s.cluster.resource(kind, s.namespace)
		if err != nil {
			return err
		}
		now, background := int64(0), metav1.DeletePropagationBackground
		return client.Delete(ctx, name,
			metav1.DeleteOptions{GracePeriodSeconds: &now, PropagationPolicy: &background})
	})
}

func (s *story) get(text string) (object map[string]any, err error) {
	kind, name, _, err := target(text)
	if err != nil {
		return nil, err
	}
	err = s.cluster.retry(func(ctx context.Context) error {
		client, err := s.cluster.resource(kind, s.namespace)
		if err != nil {
			return err
		}
		found, err := client.Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			object = found.Object
		}
		return err
	})
	if apierrors.IsNotFound(err) {
		err = fmt.Errorf("%s in namespace %s: %w", text, s.namespace, err)
	}
	return object, err
}

// account writes a kubeconfig for a service account, with a token of its own.
func (s *story) account(file, name string) error {
	config, err := clientcmd.LoadFromFile(s.cluster.kubeconfig())
	if err != nil {
		return err
	}
	return s.cluster.retry(func(ctx context.Context) error {
		client, err := s.cluster.resource("serviceaccount", s.namespace)
		if err != nil {
			return err
		}
		request := &unstructured.Unstructured{}
		request.SetGroupVersionKind(schema.GroupVersionKind{Group: "authentication.k8s.io",
			Version: "v1", Kind: "TokenRequest"})
		request.SetName(name)
		answer, err := client.Create(ctx, request, metav1.CreateOptions{}, "token")
		if err != nil {
			return err
		}
		token, _, err := unstructured.NestedString(answer.Object, "status", "token")
		if err != nil {
			return err
		}
		for user := range config.AuthInfos {
			config.AuthInfos[user] = &api.AuthInfo{Token: token}
		}
		return clientcmd.WriteToFile(*config, file)
	})
}

// pretty returns JSON with sorted names, so equal values have equal texts.
func pretty(value any) string {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		panic(err) // it came from JSON
	}
	return string(text) + "\n"
}
