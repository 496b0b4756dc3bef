package install

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	helm "helm.sh/helm/v4/pkg/cmd"
	"helm.sh/helm/v4/pkg/kube"
	kubectl "k8s.io/kubectl/pkg/cmd"
)

// TestMain runs the tests, or acts as one of the programs that the tests call.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "helm":
		os.Exit(runHelm())
	case "sandbox":
		os.Exit(runSandbox())
	case "kubectl":
		if code, done := execInPod(os.Args[1:]); done {
			os.Exit(code)
		}
		if kubectl.NewDefaultKubectlCommand().Execute() != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func runHelm() int {
	kube.ManagedFieldsManager = "helm"
	cmd, err := helm.NewRootCmd(os.Stdout, os.Args[1:], helm.SetupLogging)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if cmd.Execute() != nil {
		return 1
	}
	return 0
}
