// Package component has the programs of the control plane, each of which runs as its own process.
//
// It is the only package that links etcd and Kubernetes, so all other packages build in seconds.
package component

import (
	"fmt"
	"os"
	_ "time/tzdata" // time zones of CronJobs, on machines that have none

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // the client's metrics on /metrics
	_ "k8s.io/component-base/metrics/prometheus/version"  // the build's version on /metrics
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// Main runs one component until a signal stops it, and returns the exit status. The Kubernetes
// components take their own well-known flags; for etcd see runEtcd.
func Main(name string, args []string) int {
	// Only the requested command is created: creating one registers its flags and metrics with the
	// process.
	switch name {
	case "etcd":
		return runEtcd(args)
	case "kube-apiserver":
		return runCommand(apiserver.NewAPIServerCommand(), args)
	case "kube-controller-manager":
		return runCommand(controllermanager.NewControllerManagerCommand(), args)
	case "kube-scheduler":
		return runCommand(scheduler.NewSchedulerCommand(), args)
	}
	fmt.Fprintf(os.Stderr, "devcluster: unknown component %q\n", name)
	return 2
}

func runCommand(command *cobra.Command, args []string) int {
	command.SetArgs(args)
	return cli.Run(command)
}
