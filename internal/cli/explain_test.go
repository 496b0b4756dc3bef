package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const explained = `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  namespaces: {informer: {resource: namespaces}, rules: [{name: r, deny: label("team") == nil}], outputs: [out]}
  pods: {informer: {resource: pods}, filter: 'became(object.status.phase == "Running")', outputs: [out]}
  looks: {informer: {resource: pods}, filter: 'cached("nodes", "", "n1").spec.unschedulable', outputs: [out]}
  shop: {informer: {resource: pods, namespaces: [shop]}, outputs: [out]}
  widgets: {informer: {resource: widgets.example.com}, filter: object.spec.x == 1, outputs: [out]}
informers: {nodes: {resource: nodes}}
outputs: {out: {stdout: {}}}
`

const (
	aPod        = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nstatus: {phase: Running}\n"
	aDeployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"
	aNamespace  = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"
	aWidget     = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {x: 1}\n"
	aGadget     = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\nspec: {x: 1}\n"
)

// explain runs the command with an object on standard input, or another one that args name.
func explain(t *testing.T, object string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return explainWith(t, explained, object, args...)
}

// explainWith is explain with another configuration.
func explainWith(t *testing.T, config, object string, args ...string) (code int, stdout,
	stderr string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	command := []string{"explain", path}
	if !slices.Contains(args, "--object") {
		command = append(command, "--object", "-")
	}
	code = execute(append(command, args...), strings.NewReader(object), &out, &errs)
	return code, out.String(), errs.String()
}

// Of an object that no listener watches, it is said who looks it up.
func TestExplainNamesWhoLooksUp(t *testing.T) {
	const node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
	const says = "; looks looks such objects up, and sees a change of one within 1m: explain the pods that it is about, with --apply and both in the file\n"
	for _, c := range []struct{ object, flag, want string }{
		{node, "-", "informerd: <stdin>: no listener is for Node n1; the listeners watch namespaces, pods, widgets.example.com" + says},
		{"", "node/n1", "informerd: node/n1: no listener is for node; the listeners watch namespaces, pods, widgets.example.com" + says},
		{aPod + "---\n" + node, "-", "informerd: <stdin>: document 2: no listener is for Node n1\n"},
		{aDeployment, "-", "informerd: <stdin>: no listener is for Deployment shop/web; the listeners watch namespaces, pods, widgets.example.com\n"},
	} {
		_, _, stderr := explain(t, c.object, "--object", c.flag)
		if !strings.Contains(stderr, c.want) {
			t.Errorf("%s %s: %s", c.flag, c.object, stderr)
		}
	}
}

func TestExplainRefusesOtherKinds(t *testing.T) {
	for _, c := range []struct {
		listener, object string
		code             int
		says             string
	}{
		{"namespaces", aPod, exitRun,
			`informerd: <stdin>: this is a Pod, and the listener "namespaces" watches namespaces: pass one of those`},
		{"pods", aDeployment, exitRun,
			`this is a Deployment (apps), and the listener "pods" watches pods`},
		{"pods", strings.Replace(aPod, "Pod", "pods", 1), exitRun,
			`this is a pods, and the listener "pods" watches pods; did you mean kind: Pod?`},
		{"widgets", aPod, exitRun,
			`this is a Pod, and the listener "widgets" watches widgets.example.com`},
		{"widgets", aGadget, exitOK,
			"Note: the object is a Gadget (example.com) and the informer watches widgets.example.com; if these are not the same, the listener never sees it"},
		{"widgets", aWidget, exitOK, "The event matches"},
		{"namespaces", aNamespace, exitOK, "The object violates the rule"},
	} {
		code, stdout, stderr := explain(t, c.object, "-l", c.listener)
		if code != c.code || !strings.Contains(stdout+stderr, c.says) || c.code != exitOK &&
			stdout != "" {
			t.Errorf("%s: exit %d\n%s%s\nwant %s", c.listener, code, stdout, stderr, c.says)
		}
		if strings.Contains(stdout, "Note: the object is") != strings.HasPrefix(c.says,
			"Note: the object is") {
			t.Errorf("%s:\n%s", c.listener, stdout)
		}
	}
}

// What both would read is not read at all: the mistake is the command's, not the configuration's.
func TestExplainHasOneStandardInput(t *testing.T) {
	for _, input := range []string{"", explained, aPod} {
		var out, errs bytes.Buffer
		code := execute([]string{"explain", "-", "--object", "-", "-l", "pods"},
			strings.NewReader(input), &out, &errs)
		if want := "informerd: --config and --object cannot both be standard input\n"; code != exitUsage || !strings.HasPrefix(errs.String(), want) || out.Len() > 0 {
			t.Errorf("%q: exit %d\n%s%s", input, code, &out, &errs)
		}
	}
}

func TestExplainRefusesAnotherKindOfOldObject(t *testing.T) {
	old := filepath.Join(t.TempDir(), "old.yaml")
	if err := os.WriteFile(old, []byte(aDeployment), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := explain(t, aPod, "-l", "pods", "--old", old); code != exitConfig ||
		!strings.Contains(stderr, "old.yaml: this is a Deployment (apps)") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

func TestExplainSaysThatUpdatesAreMeant(t *testing.T) {
	const note = "Note: old, changed and became are about updates"
	if code, stdout, _ := explain(t, aPod, "-l", "pods"); code != exitOK ||
		!strings.Contains(stdout, note) || !strings.Contains(stdout, "Pass --old FILE") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	if _, stdout, _ := explain(t, aWidget, "-l", "widgets"); strings.Contains(stdout, note) {
		t.Error(stdout)
	}
}

// Each object of a list is explained. Those of another kind are named, and are no error unless that
// is all of them.
func TestExplainTakesLists(t *testing.T) {
	item := func(object string) string {
		return "- " + strings.ReplaceAll(strings.TrimSuffix(object, "\n"), "\n", "\n  ") + "\n"
	}
	list := "apiVersion: v1\nkind: List\nitems:\n" + item(aPod) + item(aDeployment) +
		item(strings.Replace(aPod, "web", "db", 1))
	code, stdout, stderr := explain(t, list, "-l", "pods")
	if code != exitOK || strings.Count(stdout, "listener pods, add of Pod") != 2 ||
		!strings.HasPrefix(stdout, "Pod \"shop/web\": add: does not match\nPod \"shop/db\": add: does not match\n\nlistener pods,") ||
		stderr != "informerd: <stdin>: items[1]: the listener \"pods\" is not for Deployment shop/web\n" {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	typed := "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a, namespace: b}\n"
	if code, stdout, stderr := explain(t, typed, "-l", "pods"); code != exitOK ||
		!strings.Contains(stdout, `Pod "b/a"`) {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := explain(t, list, "-l", "pods", "--old", "x.yaml"); code != exitUsage ||
		!strings.Contains(stderr, "--old belongs to one object, and - is a list") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// With --summary each object of a list has one line. What is not watched is said as well.
func TestExplainSummarizes(t *testing.T) {
	list := "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a, namespace: shop}\n- metadata: {name: b, namespace: pay}\n"
	code, stdout, stderr := explain(t, list, "-l", "shop", "--summary")
	const want = "Pod \"shop/a\": add -> out\nPod \"pay/b\": not watched: the informer watches only the namespaces shop\n"
	if code != exitOK || stdout != want || !strings.Contains(stderr, "items[1]: the listener") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := explain(t, aPod, "-l", "pods", "--initial", "--op", "delete"); code != exitUsage ||
		!strings.Contains(stderr, "--initial is about an add, and this is --op delete") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// A shell makes a pipe of a command, as in --object <(kubectl get …).
func TestExplainReadsPipes(t *testing.T) {
	from, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if _, err := to.WriteString(aPod); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprint("/dev/fd/", from.Fd())
	code, stdout, stderr := explain(t, "", "-l", "shop", "--object", path)
	if code != exitOK || !strings.Contains(stdout, "it goes to the output out") &&
		!strings.Contains(stdout, "the event goes to the output out") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

// Warnings are an exit code if that is asked for, and findings are JSON for machines.
func TestValidateForMachines(t *testing.T) {
	suspicious := placed(`listener|filter: object.spec.nodeName != old.spec.nodeName`)
	for _, c := range []struct {
		text, args string
		code       int
		stdout     string
	}{
		{suspicious, "", exitOK, "<stdin> is valid: 1 listener, 1 output\n"},
		{suspicious, "--strict", exitConfig, "<stdin> has 1 warning\n"},
		{suspicious, "-o json", exitOK,
			`{"file":"<stdin>","valid":true,"listeners":1,"outputs":1,"findings":[{"severity":"warning","file":"<stdin>","line":8,"column":34,"field":"listeners.a.filter",`},
		{suspicious, "--strict -o json", exitConfig, `"valid":false,`},
		{placed("listener|workers: 0"), "-o json", exitConfig,
			`"findings":[{"severity":"error","file":"<stdin>","line":8,"column":14,"field":"listeners.a.workers","message":"listeners.a.workers must be 1 to 64, is 0"}]`},
		{strings.Replace(placed("listener|filter: object.spec == 1"), "resource: pods",
			"resource: widgets.example.com", 1), "-o json", exitOK, `"severity":"note"`},
	} {
		var stdout, stderr bytes.Buffer
		code := execute(strings.Fields("validate - "+c.args), strings.NewReader(c.text), &stdout,
			&stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.stdout) ||
			strings.Contains(c.args, "json") && stderr.Len() > 0 {
			t.Errorf("%s: exit %d\n%s%s\nwant %s", c.args, code, stdout.String(), stderr.String(),
				c.stdout)
		}
	}
}

func TestValidateAPolicyAlone(t *testing.T) {
	policy := "apiVersion: informerd.dev/v1alpha1\nkind: Policy\ninformer: %\nrules: [{name: r, deny: object.spec.hostNetwrok}]\n"
	for informer, want := range map[string]string{
		"{resource: pods}": `<stdin>:4:37: listener "stdin": rule "r": there is no field hostNetwrok in object.spec; did you mean hostNetwork?`,
		"pods":             `<stdin>:3:11: informer: unknown informer "pods"; if the configuration that loads the policy has it, validate that configuration instead`,
	} {
		var stdout, stderr bytes.Buffer
		code := execute([]string{"validate", "-"},
			strings.NewReader(strings.Replace(policy, "%", informer, 1)), &stdout, &stderr)
		if code != exitConfig || !strings.Contains(stderr.String(), want) {
			t.Errorf("exit %d\n%s", code, stderr.String())
		}
		code = execute([]string{"run", "-"},
			strings.NewReader(strings.Replace(policy, "%", informer, 1)), &stdout, &stderr)
		if code != exitConfig ||
			!strings.Contains(stderr.String(), `kind must be Config, is "Policy"`) {
			t.Errorf("exit %d\n%s", code, stderr.String())
		}
	}
}

// A message without a text is the rule's name, in explain as in reports.
func TestExplainSaysTheMessageThatIsReported(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"c.yaml": "apiVersion: informerd.dev/v1alpha1\nkind: Config\noutputs: {out: {stdout: {}}}\nlisteners:\n  pods:\n    informer: {resource: pods}\n" +
			"    rules: [{name: lonely, deny: label(\"app\") == nil, message: annotation(\"why\")}]\n    outputs: [out]\n",
		"o.yaml": "{apiVersion: v1, kind: Pod, metadata: {name: web-1, namespace: shop}}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	if code := Main(strings.Fields("explain --config c.yaml --listener pods --object o.yaml"),
		&stdout, &stderr); code != exitOK {
		t.Fatal(code, stderr.String())
	}
	if want := "The object violates the rule, which is reported at once: \"lonely\"\n"; !strings.Contains(stdout.String(), want) {
		t.Errorf("got\n%s\nwant %s", stdout.String(), want)
	}
}

// Without the objects that a lookup asks for there is no verdict; --cache has them.
func TestExplainTakesObjectsOfCaches(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"node.yaml":  "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {unschedulable: true}\n",
		"nodes.yaml": "apiVersion: v1\nkind: NodeList\nitems: [{metadata: {name: n1}}, {metadata: {name: n2}}]\n",
		"pod.yaml":   aPod,
		"mixed.yaml": aPod + "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {unschedulable: true}\n",
		"empty.yaml": "apiVersion: v1\nkind: List\nitems: []\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		listener, cache string
		code            int
		says            string
	}{
		{"looks", "", exitRun, `informerd: what the listener "looks" does cannot be told: it depends on objects of nodes: pass them, as --cache nodes=FILE, or pass --kubeconfig FILE or --context NAME to ask the cluster`},
		{"looks", "nodes=@/node.yaml", exitOK, "The event matches: it goes to the output out.\n"},
		{"looks", "nodes=@/nodes.yaml", exitOK, "The event does not match.\n"},
		{"looks", "nodes=@/mixed.yaml", exitOK, "Note: the objects for nodes that are of other kinds are left out: 1\n"},
		{"looks", "nodes=@/empty.yaml", exitOK, "The event does not match.\n"},
		{"looks", "nodes=@/pod.yaml", exitConfig, `this is a Pod, and the informer "nodes" watches nodes`},
		{"looks", "nodes=@/none.yaml", exitConfig, "none.yaml: the object cannot be read: no such file"},
		{"looks", "nodes", exitUsage, `--cache "nodes": write it as NAME=FILE`},
		{"looks", "nodes=-", exitUsage, "--cache nodes=-: it cannot be standard input"},
		{"looks", "node=@/node.yaml", exitUsage, `the expressions of the listener "looks" look objects up in nodes`},
		{"pods", "nodes=@/node.yaml", exitUsage, `the expressions of the listener "pods" look nothing up`},
	} {
		args := []string{"-l", c.listener}
		if c.cache != "" {
			args = append(args, "--cache", strings.ReplaceAll(c.cache, "@", folder))
		}
		code, stdout, stderr := explain(t, aPod, args...)
		if code != c.code || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%s of %s: exit %d\n%s%s\nwant %s", c.cache, c.listener, code, stdout, stderr,
				c.says)
		}
	}
}

// An object that the informer does not watch is named. Others of a list are explained.
func TestExplainOfAnObjectThatIsNotWatched(t *testing.T) {
	list := "apiVersion: v1\nkind: PodList\nitems: [{metadata: {name: a, namespace: pay}}, {metadata: {name: b, namespace: shop}}]\n"
	code, stdout, stderr := explain(t, list, "-l", "shop")
	if code != exitOK || strings.Count(stdout, "listener shop, add of Pod") != 2 ||
		strings.Count(stdout, "The listener gets no event of this object") != 1 ||
		stderr != "informerd: <stdin>: items[0]: the listener \"shop\" gets no event of this object: the informer watches only the namespaces shop\n" {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}
