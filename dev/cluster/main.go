// Command devcluster runs a real Kubernetes control plane on loopback ports, for tests and
// demonstrations.
//
// One program contains etcd, kube-apiserver, kube-controller-manager and kube-scheduler, and starts
// itself once for each of them, so that each can be killed and restarted alone. README.md describes
// its use.
package main

import (
	"os"

	"github.com/informerd/informerd/dev/cluster/internal/cli"
	"github.com/informerd/informerd/dev/cluster/internal/cluster"
	"github.com/informerd/informerd/dev/cluster/internal/component"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == cluster.ComponentCommand {
		os.Exit(component.Main(os.Args[2], os.Args[3:]))
	}
	os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr))
}
