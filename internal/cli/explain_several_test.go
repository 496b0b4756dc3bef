package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/plan/answer"
)

// Without --listener, all listeners of an object's kind are asked, whatever else is in the file.
func TestExplainAsksAllListenersOfAKind(t *testing.T) {
	code, stdout, stderr := explain(t, aPod+"---\n"+aDeployment+"---\n"+aNamespace+"---\n"+aGadget,
		"--cache", "nodes=/dev/null")
	if code != exitConfig || !strings.Contains(stderr, "/dev/null: the object cannot be read") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = explain(t, aPod+"---\n"+aDeployment+"---\n"+aNamespace+"---\n"+aGadget,
		"--summary")
	const want = `pods: Pod "shop/web": add: does not match
looks: Pod "shop/web": add: cannot be told without the objects of nodes
shop: Pod "shop/web": add -> out
namespaces: Namespace "shop": rule r: violated, which is reported at once -> out
in all 4 answers about 2 objects: something comes of 2, nothing of 1, and 1 cannot be told
`
	if code != exitRun || stdout != want || !strings.Contains(stderr,
		"informerd: <stdin>: document 2: no listener is for Deployment shop/web\n"+
			"informerd: <stdin>: document 4: no listener is for Gadget g\n") ||
		!strings.Contains(stderr, `what the listener "looks" does cannot be told`) {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

// It is an error if no object is of a kind that is watched, or if no listener watches it.
func TestExplainOfWhatNobodyWatches(t *testing.T) {
	code, stdout, stderr := explain(t, aDeployment+"---\n"+aGadget)
	const want = `informerd: its pods are what the listeners pods, looks, shop watch: explain judges the Deployment as it is, and not its pod template; --pods does that as well
informerd: <stdin>: document 1: no listener is for Deployment shop/web
<stdin>: document 2: no listener is for Gadget g; the listeners watch namespaces, pods, widgets.example.com
`
	if code != exitRun || stdout != "" || stderr != want {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	_, _, stderr = explain(t, strings.Replace(aPod, "Pod", "pod", 1))
	const hint = "informerd: <stdin>: no listener is for pod shop/web; the listeners watch namespaces, pods, widgets.example.com; did you mean kind: Pod?\n"
	if stderr != hint {
		t.Errorf("%swant %s", stderr, hint)
	}
	elsewhere := strings.Replace(aPod, "shop", "pay", 1)
	for args, want := range map[string]int{"-l shop": exitRun, "-l shop --exit-code": exitOK, "-l shop -l pods": exitOK,
		"-l pods": exitOK} {
		if code, stdout, stderr := explain(t, elsewhere,
			strings.Fields(args)...); code != want {
			t.Errorf("%s: exit %d, want %d\n%s%s", args, code, want, stdout, stderr)
		}
	}
	if _, stdout, stderr := explain(t, elsewhere); !strings.Contains(stdout,
		"shop: Pod \"pay/web\": not watched") || strings.Contains(stderr, "gets no event") {
		t.Errorf("%s%s", stdout, stderr) // others watch it
	}
}

// A long list of other kinds is counted.
func TestExplainLeavesOutMany(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		text.WriteString(strings.Replace(aDeployment, "web", fmt.Sprint("web-", i), 1) + "---\n")
	}
	code, _, stderr := explain(t, text.String()+aPod, "-l", "pods")
	if code != exitOK || strings.Count(stderr, "\n") != 11 || !strings.HasSuffix(stderr,
		"informerd: the listener \"pods\" is not for 20 more objects\n") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
}

// So are objects that an informer does not watch.
func TestExplainOfManyThatAreNotWatched(t *testing.T) {
	var text strings.Builder
	for i := range 30 {
		text.WriteString(strings.Replace(aPod, "shop", fmt.Sprint("ns-", i), 1) + "---\n")
	}
	code, stdout, stderr := explain(t, text.String(), "-l", "shop", "--summary")
	if code != exitRun || stdout !=
		"nothing comes of 30: 30 × not watched: the informer watches only the namespaces shop\n"+
			"in all 30 answers about 30 objects: something comes of 0, nothing of 30\n" || strings.Count(stderr, "\n") != 4 ||
		!strings.HasSuffix(stderr, "\n… and 27 more that are not watched\n") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
}

// Of several answers, those of which nothing comes are left out, unless they are few or all.
func TestExplainLeavesOutNothing(t *testing.T) {
	one := func(i int) string {
		return strings.Replace(aPod, "web", fmt.Sprint("web-", i), 1) + "---\n"
	}
	for _, c := range []struct {
		text, listeners string
		texts           int
	}{
		{one(1) + one(2) + one(3), "pods", 3},
		{one(1) + one(2) + one(3) + one(4), "pods", 4},
		{one(1) + one(2) + one(3) + one(4), "pods shop", 4},
		{one(1) + one(2) + one(3), "pods shop", 6},
	} {
		args := []string{}
		for _, name := range strings.Fields(c.listeners) {
			args = append(args, "-l", name)
		}
		code, stdout, stderr := explain(t, c.text, args...)
		if code != exitOK || strings.Count(stdout, "\nlistener ") != c.texts {
			t.Errorf("%s: exit %d\n%s%s\nwant %d", c.listeners, code, stdout, stderr, c.texts)
		}
	}
}

// With --only-coming, what nothing comes of is left out, however little it is.
func TestExplainOnlyWhatComes(t *testing.T) {
	const counts = "nothing comes of 1: 1 × pods: add: does not match\n"
	for _, c := range []struct{ args, starts, has, not string }{
		{"-l pods", "nothing comes of 1: 1 × add: does not match\n", "", "listener pods"},
		{"-l pods -l shop", "shop: Pod \"shop/web\": add -> out\n" + counts, "\nlistener shop", "listener pods"},
		{"-l pods -l shop --summary", "shop: Pod \"shop/web\": add -> out\n" + counts, "", "\nlistener"},
		{"-l pods -l shop -o json", `{"listener":"shop",`, "", `"listener":"pods"`},
		{"-l shop", "listener shop, add of Pod", "the event goes to the output out", "nothing comes"},
	} {
		code, stdout, stderr := explain(t, aPod, append(strings.Fields(c.args), "--only-coming")...)
		if code != exitOK || stderr != "" || !strings.HasPrefix(stdout, c.starts) ||
			!strings.Contains(stdout, c.has) || strings.Contains(stdout, c.not) {
			t.Errorf("%s: exit %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
}

// What is noted of an object is noted once, however many listeners are asked about it.
func TestExplainNotesOnce(t *testing.T) {
	const note = "Note: an object without metadata.namespace is taken as one in default"
	pod := strings.Replace(aPod, ", namespace: shop", "", 1)
	_, stdout, _ := explain(t, pod+"---\n"+strings.Replace(pod, "web", "db", 1), "-l", "pods", "-l",
		"shop")
	if strings.Count(stdout, note) != 2 || strings.Count(stdout, "\nlistener ") != 4 {
		t.Error(stdout)
	}
}

// With --rule, listeners that have the rule are asked about that alone.
func TestExplainOneRule(t *testing.T) {
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--rule r --summary", exitOK, "namespaces: Namespace \"shop\": rule r: violated, which is reported at once -> out\n"},
		{"--rule r --rule rr", exitUsage, "informerd: --rule rr: the listeners have no such rule; did you mean r?\n"},
		{"--rule x", exitUsage, "informerd: --rule x: the listeners have no such rule; the rules are r\n"},
		{"--rule r -l pods", exitUsage, "informerd: --rule r: the listener \"pods\" has no rules\n"},
	} {
		code, stdout, stderr := explain(t, aNamespace, strings.Fields(c.args)...)
		if code != c.code || !strings.HasPrefix(stdout+stderr, c.says) {
			t.Errorf("%s: exit %d\n%s%s\nwant %s", c.args, code, stdout, stderr, c.says)
		}
	}
	code, stdout, stderr := explain(t, aNamespace, "--rule", "r")
	if code != exitOK || strings.Contains(stdout, "it sends no events") ||
		!strings.Contains(stdout, "The object violates the rule") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

// An object of a list that cannot be read is an error, and the others are explained.
func TestExplainOfAListWithWhatIsNoObject(t *testing.T) {
	code, stdout, stderr := explain(t, "apiVersion: v1\nkind: Pod\nmetadata: {}\n---\n"+aPod, "-l",
		"shop", "--summary")
	if code != exitConfig || stdout != "Pod \"shop/web\": add -> out\n" ||
		!strings.HasPrefix(stderr, "informerd: <stdin>: document 1: ") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

// The JSON is one line for each answer, and says what the text says.
func TestExplainAsJSON(t *testing.T) {
	code, stdout, stderr := explain(t, aPod+"---\n"+aNamespace, "-o", "json", "-l", "pods", "-l",
		"namespaces")
	if code != exitOK || stderr != "" {
		t.Fatalf("exit %d\n%s%s", code, stdout, stderr)
	}
	var all []answer.Answer
	for line := range strings.Lines(stdout) {
		var a answer.Answer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		all = append(all, a)
	}
	if len(all) != 2 || all[0].Event.Result != "does-not-match" || all[0].File !=
		"<stdin>: document 1" || all[1].Rules[0].Reported != answer.Now ||
		all[1].Rules[0].Outputs[0].Takes != "yes" {
		t.Error(stdout)
	}
	if code, stdout, _ := explain(t, strings.Replace(aPod, "name: web", `name: "w\u009b1m"`,
		1), "-o", "json", "-l", "shop"); code != exitOK || strings.Contains(stdout, "\u009b") {
		t.Errorf("exit %d\n%q", code, stdout)
	}
}

// An object without a name is named by its kind.
func TestExplainOfWhatHasNoName(t *testing.T) {
	code, _, stderr := explain(t, "apiVersion: example.com/v1\nkind: Settings\n")
	if code != exitRun || !strings.Contains(stderr,
		"<stdin>: no listener is for Settings; the listeners watch") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
}

// What keeps informerd run from starting is not hidden by an answer.
func TestExplainSaysThatTheConfigurationIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"c.yaml": "apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners:\n  pods: {informer: {resource: pods}, outputs: [out]}\n" +
			"  others: {informer: {resource: pods}, outputs: [wrong]}\noutputs:\n  out: {stdout: {}}\n  wrong: {file: {path: x}, when: object.spec.nodeNam == 1}\n",
		"o.yaml": aPod,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var stdout, stderr bytes.Buffer
	const want = "informerd: the configuration has mistakes elsewhere, and informerd run refuses it: see informerd validate c.yaml\n"
	if code := Main(strings.Fields("explain c.yaml -l pods --object o.yaml"), &stdout,
		&stderr); code != exitOK || stderr.String() != want {
		t.Errorf("exit %d\n%s%s", code, &stdout, &stderr)
	}
}
