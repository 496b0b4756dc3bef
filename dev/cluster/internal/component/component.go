// Package component holds the programs that make up the control plane, each to be run as a process
// of its own.
//
// It is the only package that links etcd and Kubernetes, so that everything else here builds in
// seconds.
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

// Main runs one component until it is told to stop by a signal, and returns the exit status. The
// Kubernetes components take their own well-known flags; for etcd see runEtcd.
func Main(name string, args []string) int {
	// The commands are made one at a time: making one registers its flags and metrics with the
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
	fmt.Fprintf(os.Stderr, "devcluster: there is no component %q\n", name)
	return 2
}

func runCommand(command *cobra.Command, args []string) int {
	command.SetArgs(args)
	return cli.Run(command)
}
