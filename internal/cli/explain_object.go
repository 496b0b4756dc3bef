package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/rights"
	openapi "github.com/informerd/informerd/internal/schema"
)

// inTwoWords returns an error for an object of the cluster that is named as kubectl takes it, as in
// --object pod web. What is not a file among the arguments is its name.
func inTwoWords(kind, namespace string, args []string) error {
	if kind == "" || kind == "-" || strings.ContainsAny(kind, "./") || isFile(kind) {
		return nil
	}
	at := slices.IndexFunc(args, func(arg string) bool {
		_, ok := kube.ParseReference("kind/" + arg)
		return ok && !isFile(arg)
	})
	if at < 0 {
		return nil
	}
	name := args[at]
	known, err := openapi.Builtin()
	if err != nil {
		return nil // --object is reported by itself
	}
	found, _ := known.Find(kind)
	if namespace == "" {
		namespace = "NAMESPACE"
	}
	write := kind + "/" + namespace + "/" + name
	if strings.Contains(name, "/") || rights.WholeCluster(found.Group, found.Resource) {
		write = kind + "/" + name
	}
	return usage(fmt.Errorf("--object %s and %s: an object of the cluster is named in one word; write --object %s",
		kind, name, write))
}

func isFile(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
