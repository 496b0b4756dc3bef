package manual

import (
	"strings"

	"github.com/spf13/cobra"
)

// Examples are those of the commands that have none of their own, one a line.
var Examples = map[string]string{
	"": `informerd init
informerd run informerd.yaml
informerd watch pods -n shop`,
	"run": `informerd run informerd.yaml
informerd run -c informerd.yaml --kubeconfig ~/.kube/config --context staging
informerd init --from pods --stdout | informerd run -c -`,
	"plan": `informerd plan informerd.yaml
informerd plan informerd.yaml -l pods
informerd plan informerd.yaml -o json | jq '.outputs[] | {name, to}'`,
	"explain": `informerd explain informerd.yaml --object pod/shop/web
informerd explain informerd.yaml -l pods --object new.yaml --old old.yaml
kubectl get pods,deployments -A -o yaml | informerd explain informerd.yaml --object - --summary
informerd explain informerd.yaml --object pod.yaml -o json | jq '.rules[] | select(.result == "violated")'`,
	"reload": `informerd reload informerd.yaml`,
	"dlq":    `informerd dlq ls -c informerd.yaml`,
	"dlq ls": `informerd dlq ls -c informerd.yaml
informerd dlq ls -c informerd.yaml --to slack --older 1h
informerd dlq ls -c informerd.yaml --filter 'object.metadata.namespace == "shop"' -o json`,
	"dlq show": `informerd dlq show -c informerd.yaml 2h6y0001`,
	"dlq replay": `informerd dlq replay -c informerd.yaml --listener pods
informerd dlq replay -c informerd.yaml --reason handler-failed --with fixed.wasm`,
	"dlq drop": `informerd dlq drop -c informerd.yaml --superseded
informerd dlq drop -c informerd.yaml --older 24h`,
	"checkpoint":      `informerd checkpoint show informerd.yaml`,
	"checkpoint show": `informerd checkpoint show informerd.yaml`,
	"rbac": `informerd rbac informerd.yaml | kubectl apply -f -
informerd rbac informerd.yaml -n monitoring --name alerts`,
	"rbac check": `informerd rbac check informerd.yaml
informerd rbac check informerd.yaml --as system:serviceaccount:monitoring:informerd`,
	"status": `informerd status -c informerd.yaml
informerd status -c informerd.yaml pods
informerd status -c informerd.yaml -o json`,
	"top": `informerd top -c informerd.yaml
informerd top -c informerd.yaml --sort waiting --interval 5s`,
	"audit": `informerd audit -c informerd.yaml pods`,
	"plugin": `informerd plugin new --lang go my-handler
informerd plugin inspect my-handler.wasm`,
	"plugin new":     `informerd plugin new --lang rust my-handler`,
	"plugin inspect": `informerd plugin inspect my-handler.wasm`,
	"plugin run": `informerd plugin run my-handler.wasm --event pod.yaml
kubectl get pods -o yaml | informerd plugin run my-handler.wasm --event -`,
	"plugin test": `informerd plugin test cases
informerd plugin test --update cases`,
	"plugin bench": `informerd plugin bench my-handler.wasm --event pods.yaml
informerd plugin bench old.wasm new.wasm --event pods.yaml`,
	"convert": `informerd convert informerd.yaml > converted.yaml
informerd convert --write --to informerd.dev/v1beta1 informerd.yaml policies/*.yaml`,
	"version": `informerd version`,
	"man":     `informerd man /usr/local/share/man/man1`,
}

// ExampleOf returns the examples of a command as cobra shows them. Its path is without informerd.
func ExampleOf(path string) string {
	return "  " + strings.ReplaceAll(Examples[path], "\n", "\n  ")
}

// AddExamples adds the examples to a command and to those below it.
func AddExamples(cmd *cobra.Command) {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	if Examples[path] != "" && cmd.Example == "" {
		cmd.Example = ExampleOf(path)
	}
	for _, below := range cmd.Commands() {
		AddExamples(below)
	}
}
