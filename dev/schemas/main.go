// Command schemas makes the built-in schemas of internal/schema from a running control plane.
//
//	go run ./dev/schemas --kubeconfig FILE [--output internal/schema/builtin.gz]
//
// "make schemas" starts a control plane for it and stops it. The same Kubernetes version always
// yields the same schemas, whatever else is in the cluster, and the output contains that version.
// If the control plane lacks one of the groups, the command fails and writes nothing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gvschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/schema"
)

// groups are the stable groups that every cluster has. A name without a group that exists in
// several means the first.
var groups = []gvschema.GroupVersion{
	{Group: "", Version: "v1"},
	{Group: "apps", Version: "v1"},
	{Group: "batch", Version: "v1"},
	{Group: "autoscaling", Version: "v2"},
	{Group: "networking.k8s.io", Version: "v1"},
	{Group: "policy", Version: "v1"},
	{Group: "rbac.authorization.k8s.io", Version: "v1"},
	{Group: "storage.k8s.io", Version: "v1"},
	{Group: "discovery.k8s.io", Version: "v1"},
	{Group: "coordination.k8s.io", Version: "v1"},
	{Group: "events.k8s.io", Version: "v1"},
	{Group: "scheduling.k8s.io", Version: "v1"},
	{Group: "apiextensions.k8s.io", Version: "v1"},
	{Group: "admissionregistration.k8s.io", Version: "v1"},
	{Group: "certificates.k8s.io", Version: "v1"},
	{Group: "node.k8s.io", Version: "v1"},
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the control plane's kubeconfig `file`")
	output := flag.String("output", "internal/schema/builtin.gz", "the `file` to write")
	flag.Parse()
	if *kubeconfig == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *kubeconfig, *output); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig, output string) error {
	packed, version, err := generate(ctx, kubeconfig)
	if err != nil {
		return err
	}
	// Written to a temporary file first: a half-written one would break every build.
	temporary, err := os.CreateTemp(filepath.Dir(output), ".schemas")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(packed)
	if err := errors.Join(err, temporary.Chmod(0o644), temporary.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), output); err != nil {
		return err
	}
	fmt.Printf("%s: schemas of Kubernetes %s, %d bytes\n", output, version, len(packed))
	return nil
}

// generate returns the schemas of all groups in the form that is embedded in the program.
func generate(ctx context.Context, kubeconfig string) (packed []byte, version string, err error) {
	cfg, err := kube.RESTConfig(kube.Options{Kubeconfig: kubeconfig})
	if err != nil {
		return nil, "", err
	}
	client, err := discovery.NewDiscoveryClientForConfig(cfg)
	if err != nil {
		return nil, "", err
	}
	server, err := client.ServerVersionWithContext(ctx)
	if err != nil {
		return nil, "", err
	}
	resolver, err := kube.NewResolver(cfg)
	if err != nil {
		return nil, "", err
	}
	var all []schema.Entry
	for _, gv := range groups {
		document, err := resolver.OpenAPI(ctx, gv)
		if err != nil {
			return nil, "", err
		}
		set, err := schema.Parse(document)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", gv, err)
		}
		resources, err := client.ServerResourcesForGroupVersionWithContext(ctx, gv.String())
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", gv, err)
		}
		entries := set.Entries()
		if err := describe(entries, gv, resources.APIResources); err != nil {
			return nil, "", err
		}
		all = append(all, entries...)
	}
	packed, err = encode(schema.NewSet(all).Entries(), server.GitVersion)
	return packed, server.GitVersion, err
}

// describe adds short names, and checks that every resource that can be watched has a schema.
func describe(entries []schema.Entry, gv gvschema.GroupVersion, resources []metav1.APIResource) error {
	for _, r := range resources {
		if strings.Contains(r.Name, "/") || !slices.Contains(r.Verbs, "watch") {
			continue
		}
		i := slices.IndexFunc(entries, func(e schema.Entry) bool {
			return e.Group == gv.Group && e.Version == gv.Version && e.Resource == r.Name
		})
		if i < 0 {
			return fmt.Errorf("%s: the document has no schema of %s", gv, r.Name)
		}
		entries[i].ShortNames = r.ShortNames
	}
	return nil
}
