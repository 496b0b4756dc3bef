package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// defining is an informerd that listens to a custom resource, which comes and goes.
type defining struct {
	*writing
	group       string
	definitions dynamic.ResourceInterface
	process     *process
	address     string
	slack       time.Duration // by which everything may be late on a busy machine
}

const definingConfig = `apiVersion: informerd.dev/v1alpha1
kind: Config
http: {address: "127.0.0.1:0"}
informers:
  gadgets: {resource: gadgets.GROUP}
listeners:
  all: {informer: gadgets, outputs: [out]}
  large: {informer: gadgets, filter: object.spec.size > 3, outputs: [out]}
  marked: {informer: gadgets, on: [add], outputs: [mark]}
  maps: {informer: {resource: configmaps, namespaces: [NAMESPACE]}, outputs: [out]}
outputs:
  out: {stdout: {}}
  mark: {patch: {patch: '{"metadata": {"labels": {"seen": "yes"}}}'}}
`

func newDefining(t *testing.T) *defining {
	t.Helper()
	d := &defining{writing: newWriting(t, "definitions")}
	d.group = d.namespace + ".example.com"
	d.definitions = d.clusterWide.Resource(schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	dir := t.TempDir()
	config := strings.NewReplacer("GROUP", d.group, "NAMESPACE", d.namespace).Replace(
		definingConfig)
	file := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if err := exec.Command(informerdBin(), "version").Run(); err != nil {
		t.Fatal(err)
	}
	d.slack = 20 * time.Since(begun)
	p := &process{cmd: exec.Command(informerdBin(), "run", "--config", file),
		done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig())
	if p.out, err = newStream(filepath.Join(dir, "out")); err == nil {
		p.err, err = newStream(filepath.Join(dir, "err"))
	}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	if err == nil {
		err = p.start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	t.Cleanup(func() {
		_ = d.definitions.Delete(context.Background(), "gadgets."+d.group, metav1.DeleteOptions{})
	})
	if d.address, err = p.address(); err != nil {
		t.Fatal(err)
	}
	d.process = p
	return d
}

// versionOf returns a version of a definition.
func versionOf(name string, served, stored bool, fields ...string) map[string]any {
	spec := map[string]any{}
	for _, f := range fields {
		spec[f] = map[string]any{"type": "integer"}
	}
	return map[string]any{"name": name, "served": served, "storage": stored,
		"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object",
			"properties": map[string]any{"spec": map[string]any{"type": "object",
				"properties": spec}}}}}
}

// define makes the definition, once the one before is gone, and returns when the API server has
// taken it.
func (d *defining) define(versions ...any) {
	d.Helper()
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gadgets." + d.group},
		"spec": map[string]any{"group": d.group, "scope": "Namespaced", "versions": versions,
			"names": map[string]any{"plural": "gadgets", "kind": "Gadget"}}}}
	d.must(eventually(func() error {
		_, err := d.definitions.Create(d.Context(), definition, metav1.CreateOptions{})
		return err
	}))
}

// redefine changes the versions of the definition.
func (d *defining) redefine(versions ...any) {
	d.Helper()
	patch, err := (&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "x",
		"spec": map[string]any{"versions": versions}}}).MarshalJSON()
	d.must(err)
	patch = []byte(strings.NewReplacer(`"apiVersion":"v1",`, "", `"kind":"x",`, "").Replace(
		string(patch)))
	_, err = d.definitions.Patch(d.Context(), "gadgets."+d.group, types.MergePatchType, patch,
		metav1.PatchOptions{})
	d.must(err)
}

func (d *defining) must(err error) {
	d.Helper()
	if err != nil {
		d.Fatalf("%v\n%s", err, d.process.written())
	}
}

// gadget makes an object as soon as the API server takes it.
func (d *defining) gadget(version, name string, spec map[string]any) {
	d.Helper()
	gadgets := d.clusterWide.Resource(schema.GroupVersionResource{Group: d.group, Version: version,
		Resource: "gadgets"}).Namespace(d.namespace)
	object := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": d.group + "/" + version, "kind": "Gadget",
		"metadata": map[string]any{"name": name}, "spec": spec}}
	d.must(eventually(func() error {
		_, err := gadgets.Create(d.Context(), object, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	}))
}

// events waits until a listener has had at least n events of an op, and returns all of them.
func (d *defining) events(listener, op string, n int) (found []map[string]any) {
	d.Helper()
	d.must(d.process.await(d.process.out, func(lines string) error {
		all, err := parseEvents(lines)
		if err != nil {
			return err
		}
		found = nil
		for _, e := range all {
			if e["op"] == op && strings.HasSuffix(e["source"].(string), "/"+listener) {
				found = append(found, e)
			}
		}
		if len(found) < n {
			return fmt.Errorf("%d of %d events %s of %s", len(found), n, op, listener)
		}
		return nil
	}))
	return found
}

// ready waits for an answer of /readyz.
func (d *defining) ready(patterns ...string) {
	d.Helper()
	d.must(eventually(func() error {
		got, err := get("http://" + d.address + "/readyz")
		if err == nil {
			err = expected(got, patterns)
		}
		if err != nil {
			return fmt.Errorf("%w\n%s", err, got)
		}
		return nil
	}))
}

// soon logs how long something took, and fails if that was too long. It takes about a second, and
// some more if the schema cannot be read at first; without news of the definition it would take half
// a minute, or not happen at all.
func (d *defining) soon(what string, since time.Time) {
	d.Helper()
	took := time.Since(since)
	d.Logf("%s after %v", what, took.Round(time.Millisecond))
	if took > 10*time.Second+d.slack {
		d.Errorf("%s took %v, of which %v for a busy machine", what, took, d.slack)
	}
}

// A custom resource comes after the start, is deleted and made again with another schema, and then
// served in another version only. Its listeners get it at once each time, the others notice
// nothing, nothing of the second life is missing, and expressions are checked against the schema
// that there is.
func TestResourcesComeAndGo(t *testing.T) {
	t.Parallel()
	d := newDefining(t)
	d.ready(`^not ready: 3 of 4 listeners$`, `^listener "large": "no resource .*gadgets\.`)

	d.define(versionOf("v1", true, true, "size", "weight"))
	defined := time.Now()
	d.gadget("v1", "first", map[string]any{"size": int64(5)})
	made := time.Now()
	d.events("large", "add", 1)
	d.soon("the first event since the API server took the first object", made)
	d.Logf("%v after the definition was made", time.Since(defined).Round(time.Millisecond))
	d.ready(`^ok$`)

	// All objects end with the definition; another one comes at once, with other fields.
	d.must(d.definitions.Delete(t.Context(), "gadgets."+d.group, metav1.DeleteOptions{}))
	d.define(versionOf("v1", true, true, "color"))
	defined = time.Now()
	const objects = 40
	var makers sync.WaitGroup
	for i := range objects {
		makers.Go(func() {
			d.gadget("v1", fmt.Sprint("second-", i), map[string]any{"color": int64(i)})
		})
	}
	makers.Wait()
	made = time.Now()
	d.events("all", "add", 1+objects)
	d.soon(fmt.Sprintf("%d objects of the second life", objects), made)
	d.Logf("%v after the definition", time.Since(defined).Round(time.Millisecond))
	ended := d.events("all", "delete", 1)
	if len(ended) != 1 || !strings.HasSuffix(ended[0]["subject"].(string), "/first") {
		t.Errorf("ended have %v", ended)
	}
	d.ready(`^not ready: 1 of 4 listeners$`,
		`^listener "large": "its expressions do not fit .*c\.yaml:8:\d+: .*there is no field size in object\.spec`)

	// A definition that has the field heals it.
	d.redefine(versionOf("v1", true, true, "color", "size"))
	redefined := time.Now()
	d.ready(`^ok$`)
	d.soon("the schema was read", redefined)

	// Another version is followed, by outputs as well.
	d.redefine(versionOf("v1", true, false, "color", "size"),
		versionOf("v2", true, true, "color", "size"))
	d.redefine(versionOf("v1", false, false, "color", "size"),
		versionOf("v2", true, true, "color", "size"))
	redefined = time.Now()
	d.gadget("v2", "third", map[string]any{"size": int64(9)})
	last := d.events("large", "add", 2)
	d.Logf("the other version after %v", time.Since(redefined).Round(time.Millisecond))
	if v, _ := field(last[1], "data.object.apiVersion"); v != d.group+"/v2" {
		t.Errorf("the version is %v", v)
	}
	third := d.clusterWide.Resource(schema.GroupVersionResource{Group: d.group, Version: "v2",
		Resource: "gadgets"}).Namespace(d.namespace)
	d.must(eventually(func() error {
		list, err := third.List(t.Context(), metav1.ListOptions{LabelSelector: "seen=yes"})
		if err == nil && len(list.Items) < objects+1 {
			err = fmt.Errorf("only %d objects are patched", len(list.Items))
		}
		return err
	}))

	// Without the definition its listeners are not ready, and the others are.
	d.must(d.definitions.Delete(t.Context(), "gadgets."+d.group, metav1.DeleteOptions{}))
	d.events("all", "delete", 1+objects+1)
	d.ready(`^not ready: 3 of 4 listeners$`, `^listener "all": .*the resource was removed`)
	d.must(d.process.cmd.Process.Signal(syscall.SIGTERM))
	if <-d.process.done; !d.process.cmd.ProcessState.Success() {
		t.Errorf("informerd ended with %v:\n%s", d.process.cmd.ProcessState, d.process.written())
	}
	if log := d.process.written(); strings.Contains(log, "given up") {
		t.Errorf("there are dead letters:\n%s", log)
	}
}
