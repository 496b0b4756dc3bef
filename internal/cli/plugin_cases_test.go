package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/informerd/informerd/pkg/plugins/guesttest"
)

const casePod = "{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: web-1}}"

// writeCases writes cases next to the folder of modules.
func writeCases(t *testing.T, dir string, cases map[string]string) {
	t.Helper()
	for name, text := range cases {
		path := filepath.Join(dir, "cases", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "POD", casePod)),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const reporterRights = "grants: {kv: {}, log: {}, http: {allow: [https://hooks.example.com/]}}\n"

func TestPluginTest(t *testing.T) {
	dir := t.TempDir()
	for name, guest := range map[string]Guest{"reporter": reporter(),
		"refusing": {Configure: []Action{Reason("no team is set"), Return(1)}},
		"quiet":    {Events: map[int][]Action{1: {Return(1)}}}} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, name+".wasm"), guest.Bytes(),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	writeCases(t, filepath.Join(dir, "reporter"), map[string]string{
		"good.yaml": reporterRights + `
events:
  - object: POD
    expect:
      verdict: done
      emitted: [{type: com.example.found, data: {text: "a\e[31m", n: 1}}]
      fuel: 1000
      kv: {started: 'yes'}
  - {object: POD, old: POD, expect: {verdict: drop, emitted: []}}
  - {op: delete, object: POD, expect: {verdict: retry}}
  - object: POD
`,
		"bad.yaml": reporterRights + `
events:
  - object: POD
    expect:
      verdict: done
      emitted: [{type: com.example.found, data: {text: b, more: [1]}}, {data: 1}]
      fuel: 3
      kv: {}
  - {object: POD, old: POD, expect: {verdict: done}}
  - {op: delete, object: POD, expect: {verdict: fail}}
  - op: resync
    object: POD
`,
		"grants.yaml":  "refused: needs the grant \"kv\"\n",
		"typo.yaml":    reporterRights + "evnets: []\nevents: [{object: POD, expect: {verdit: done}}]\n",
		"pod.yaml":     "apiVersion: v1\nkind: Pod\nmetadata: {name: no-case}\n",
		".hidden.yaml": "nonsense",
	})
	writeCases(t, filepath.Join(dir, "refusing"), map[string]string{
		"refused.yaml": "refused: no team\n", "other.yaml": "refused: something else\n"})
	writeCases(t, filepath.Join(dir, "quiet"), map[string]string{"loaded.yaml": "refused: at all\n"})
	writeCases(t, dir, map[string]string{"none.yaml": "events: [{object: POD}]\n"})
	code, stdout, stderr := run(dir, "plugin test @")
	want := `FAIL  @/cases/none.yaml (0 events, T)
      which module? There is none in @: build it
FAIL  @/quiet/cases/loaded.yaml (0 events, T)
      line 1:
        it is loaded, want it refused with "at all"
FAIL  @/refusing/cases/other.yaml (0 events, T)
      line 1:
        it is refused with "no team is set", want "something else" in it
ok    @/refusing/cases/refused.yaml (0 events, T)
FAIL  @/reporter/cases/bad.yaml (4 events, T, 1 event without expect)
      event 1, line 4: add Pod shop/web-1
        emitted[0] is {"type":"com.example.found","data":{"n":1,"text":"a\u001b[31m"}}, want {"type":"com.example.found","data":{"text":"b","more":[1]}}
        emitted[1] is missing, want {"data":1}
        kv is {"started":"yes"}, want {}
        fuel is 26, want at most 3
      event 2, line 10: update Pod shop/web-1
        verdict is drop, want done
      event 3, line 11: delete Pod shop/web-1
        verdict is retry (later), want fail
      event 4, line 12: resync Pod shop/web-1
        it crashed:
          trap in on_event: wasm error: unreachable
ok    @/reporter/cases/good.yaml (4 events, T, 1 event without expect)
ok    @/reporter/cases/grants.yaml (0 events, T)
FAIL  @/reporter/cases/typo.yaml (0 events, T)
      @/reporter/cases/typo.yaml:2:1: unknown field "evnets"; did you mean "events"?
      @/reporter/cases/typo.yaml:3:99: unknown field "verdit" in events[0].expect; did you mean "verdict"?
`
	stdout = deepStack.ReplaceAllString(stdout, "$1")
	if stdout != want || stderr != "informerd: 5 of 8 cases failed\n" || code != exitRun {
		t.Errorf("exit %d, stderr %s, stdout\n%s\nwant\n%s", code, stderr, stdout, want)
	}

	code, stdout, stderr = run(dir, "plugin test @/refusing/cases/refused.yaml")
	want = "ok    @/refusing/cases/refused.yaml (0 events, T)\nok: 1 case, 0 events, T\n"
	if stdout != want || stderr != "" || code != exitOK {
		t.Errorf("exit %d, stderr %s, stdout\n%s\nwant\n%s", code, stderr, stdout, want)
	}
}

// What run writes as JSON is one value a line, and has what the text has.
func TestPluginRunJSON(t *testing.T) {
	dir := pluginFiles(t)
	_, stdout, _ := run(dir, "plugin run -o json -c @/informerd.yaml -l reports -e @/pod.yaml")
	if strings.ContainsAny(stdout, "\x1b\a") || strings.Count(stdout, "\n") != 1 {
		t.Errorf("it writes %q", stdout)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Errorf("%v in\n%s", err, stdout)
	}
	for name, value := range map[string]any{"verdict": "done", "op": "add",
		"object": "shop/web-1", "fuel": 26.0, "line": 1.0} {
		if got[name] != value {
			t.Errorf("%s is %v, want %v", name, got[name], value)
		}
	}
}

func TestPluginInspectOfWhatIsNoHandler(t *testing.T) {
	dir := pluginFiles(t)
	code, stdout, stderr := run(dir, "plugin inspect @/alien.wasm")
	if code != exitRun || stderr != "informerd: @/alien.wasm is not a handler\n" ||
		strings.ContainsAny(stdout, "\x1b\a") ||
		!strings.Contains(stdout,
			`not a handler: import "\x1b]0;abort\a" of module "env": there is no such module`) ||
		!strings.Contains(stdout, `env (there is no such module): \x1b]0;abort\a`) {
		t.Errorf("exit %d, stderr %s, stdout\n%s", code, stderr, stdout)
	}
}

func TestPluginBench(t *testing.T) {
	dir := pluginFiles(t)
	code, stdout, stderr := run(dir, "plugin bench @/quiet.wasm -e @/pod.yaml -e @/update.yaml")
	if code != exitOK || stderr != "" {
		t.Fatalf("exit %d, stderr %s", code, stderr)
	}
	for _, want := range []string{" events measured\n",
		"  time      T an event (median), T at best, T p99\n", "  fuel      5 an event\n",
		"  memory    64 KiB an instance\n", "  load      T\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("it does not say %q:\n%s", want, stdout)
		}
	}
}
