package install

import (
	"path/filepath"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
)

// wrongValues are values that the chart refuses, and what it says.
var wrongValues = []struct{ values, says string }{
	{"replica: 1", "additional properties 'replica' not allowed"},
	{"replicas: 0", "at '/replicas': minimum: got 0, want 1"},
	{"replicas: two", "at '/replicas': got string, want integer"},
	{"replicas: 100", "at '/replicas': maximum: got 100, want 16"},
	{"config: [a]", "at '/config': got array, want"},
	{"config: 3", "at '/config': got number, want"},
	{"image: informerd:1", "at '/image': got string, want object"},
	{"image: {name: x}", "at '/image': additional properties 'name' not allowed"},
	{"image: {pullPolicy: Sometimes}", "at '/image/pullPolicy': value must be one of 'Always', 'IfNotPresent', 'Never'"},
	{"image: {digest: 'sha256:12'}", "at '/image/digest': 'sha256:12' does not match pattern"},
	{"image: {tag: 'a b'}", "at '/image/tag': 'a b' does not match pattern"},
	{"image: {tag: 1.2}", "at '/image/tag': got number, want string"},
	{"imagePullSecrets: [mine]", "at '/imagePullSecrets/0': got string, want object"},
	{"fullnameOverride: Not_A_Name", "at '/fullnameOverride': 'Not_A_Name' does not match pattern"},
	{"files: {../a.yaml: x}", "'../a.yaml' does not match pattern"},
	{"files: {/etc/passwd: x}", "'/etc/passwd' does not match pattern"},
	{"files: {informerd.yaml: x}", "'not' failed"},
	{"files: {a.yaml: 1}", "at '/files/a.yaml': got number, want string or object"},
	{"binaryFiles: {a.wasm: 'no base64!'}", "at '/binaryFiles/a.wasm': 'no base64!' does not match pattern"},
	{"configMaps: [{name: a, folder: b}]", "at '/configMaps/0': missing property 'keys'"},
	{"configMaps: [{name: a, folder: ../b, keys: [c]}]", "at '/configMaps/0/folder': '../b' does not match pattern"},
	{"claims: [{name: a, mountPath: relative}]", "at '/claims/0/mountPath': 'relative' does not match pattern"},
	{"secrets: {slack: x}", "at '/secrets': got object, want array"},
	{"rbac: {digest: abc}", "at '/rbac/digest': 'abc' does not match pattern"},
	{"rbac: {cluster: [{resources: [pods], verbs: [list]}]}", "at '/rbac/cluster/0': 'oneOf' failed"},
	{"rbac: {namespaces: {Shop: []}}", "'Shop' does not match pattern"},
	{"state: {volume: nfs}", "at '/state/volume': value must be one of 'claim', 'ephemeral'"},
	{"state: {accessMode: ReadWriteMany}", "at '/state/accessMode': value must be one of 'ReadWriteOncePod', 'ReadWriteOnce'"},
	{"state: {size: large}", "at '/state/size': 'large' does not match pattern"},
	{"state: {size: 1}", "at '/state/size': got number, want string"},
	{"log: {level: trace}", "at '/log/level': value must be one of 'debug', 'info', 'warn', 'error'"},
	{"goMemLimit: 80%", "at '/goMemLimit': '80%' does not match pattern"},
	{"terminationGracePeriodSeconds: 30s", "at '/terminationGracePeriodSeconds': got string, want null or integer"},
	{"resources: {memory: 1Gi}", "at '/resources': additional properties 'memory' not allowed"},
	{"env: {A: b}", "at '/env': got object, want array"},
	{"env: [{value: b}]", "at '/env/0': missing property 'name'"},
	{"env: [{name: A, value: 1}]", "at '/env/0/value': got number, want string"},
	{"labels: {a: true}", "at '/labels/a': got boolean, want string"},
	{"affinity: {nodes: {}}", "at '/affinity': additional properties 'nodes' not allowed"},
	{"podDisruptionBudget: {maxUnavailable: half}", "at '/podDisruptionBudget/maxUnavailable': 'half' does not match pattern"},
	{"autoscaling: {targetCPU: 0}", "at '/autoscaling/targetCPU': minimum: got 0, want 1"},
	{"networkPolicy: {apiServer: {ports: [0]}}", "at '/networkPolicy/apiServer/ports/0': minimum: got 0, want 1"},
	{"networkPolicy: {apiServer: {cidrs: [10.0.0.1]}}", "at '/networkPolicy/apiServer/cidrs/0': '10.0.0.1' does not match pattern"},
	{"serviceMonitor: true", "at '/serviceMonitor': got boolean, want object"},
	{"serviceMonitor: {interval: 30}", "at '/serviceMonitor/interval': got number, want string"},
	{"probes: {livenessPeriodSeconds: 0}", "at '/probes/livenessPeriodSeconds': minimum: got 0, want 1"},
}

func TestWrongValues(t *testing.T) {
	c := theChart(t)
	for _, w := range wrongValues {
		_, err := render(c, "informerd", "informerd", values(t, w.values))
		if err == nil || !strings.Contains(err.Error(), w.says) {
			t.Errorf("%s: %v", w.values, err)
		}
	}
}

// wrongTogether are values each of which is right, but not with the others.
var wrongTogether = []struct{ values, says string }{
	{plain + "autoscaling: {enabled: true}", "autoscaling: it needs sharding in the configuration, or one replica works and the others stand by"},
	{sharded + "autoscaling: {enabled: true}", "autoscaling.maxReplicas: 8 replicas have no more to do than the 4 shards of the configuration"},
	{"config: {kind: Config}", "rbac: this configuration has no rights yet: informerd rbac informerd.yaml -o helm > release.yaml"},
	{"files: {policies/mine.yaml: {kind: Policy}}", "rbac: this configuration has no rights yet"},
	{"config: {kind: Config}\nrbac: {digest: 'sha256:" + strings.Repeat("0", 64) + "'}",
		"rbac: these rights were made for another configuration: write them again with informerd rbac"},
	{"config: '{'\nrbac: {create: false}", "config: this is not a configuration: "},
	{"replicas: 2", "replicas: 2 replicas need leaderElection in the configuration"},
	{"config: {state: {dir: state}}\nrbac: {create: false}", "config: state.dir \"state\": the chart mounts a volume"},
	{"config: {state: {dir: /state}}\nrbac: {create: false}", "config: state.dir \"/state\": the chart mounts a volume"},
	{"config: {http: {address: 'localhost:1'}}\nrbac: {create: false}\nserviceMonitor: {enabled: true}",
		"serviceMonitor: Prometheus can read /metrics only if the configuration has http:"},
	{"serviceAccount: {create: false}", "serviceAccount.name: name the account"},
}

func TestWrongTogether(t *testing.T) {
	c := theChart(t)
	for _, w := range wrongTogether {
		_, err := render(c, "informerd", "informerd", values(t, w.values))
		if err == nil || !strings.Contains(err.Error(), w.says) {
			t.Errorf("%s: %v", w.values, err)
		}
	}
}

// TestLint is helm lint --strict, with the default values and with all that there is.
func TestLint(t *testing.T) {
	for name, text := range map[string]string{"default": "", "everything": everything} {
		l := lint.RunAll(filepath.Join(repository(t), "deploy", "chart", "informerd"), values(t, text), "informerd")
		for _, m := range l.Messages {
			if m.Severity > support.InfoSev {
				t.Errorf("%s: %v", name, m)
			}
		}
	}
}
