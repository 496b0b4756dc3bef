package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

const reporterRights = "wasm: ../reporter.wasm\ngrants: {kv: {}, log: {}, http: {allow: [https://hooks.example.com/]}}\n"

func TestPluginTest(t *testing.T) {
	dir := pluginFiles(t)
	writeCases(t, dir, map[string]string{
		"good.yaml": reporterRights + `
kv: {before: 'yes'}
http:
  - request: {method: POST, url: https://hooks.example.com/x, body: {a: 1.0}}
    answer: {status: 503}
events:
  - object: POD
    expect:
      verdict: done
      message: ""
      emitted: [{type: com.example.found, data: {text: "a\e[31m", n: 1}}]
      log: []
      fuel: 1000
      kv: {before: 'yes', started: 'yes'}
  - {object: POD, old: POD, expect: {verdict: drop, emitted: [], log: ["info: seen \e[31m\n"]}}
  - {op: delete, object: POD, expect: {verdict: retry, message: later}}
  - {op: resync, object: POD, expect: {crash: trap}}
  - object: POD
`,
		"bad.yaml": reporterRights + `
http:
  - request: {url: https://hooks.example.com/other}
events:
  - object: POD
    expect:
      verdict: done
      emitted: [{type: com.example.found, data: {text: b, more: [1]}}, {data: 1}]
      fuel: 3
      kv: {}
  - {object: POD, old: POD, expect: {verdict: done, log: ["warn: seen"]}}
  - {op: delete, object: POD, expect: {verdict: fail, message: never}}
  - op: resync
    object: POD
  - {object: POD, expect: {crash: trap}}
`,
		"refused.yaml": "wasm: ../refusing.wasm\nrefused: no team\n",
		"other.yaml":   "wasm: ../refusing.wasm\nrefused: something else\n",
		"grants.yaml":  "wasm: ../reporter.wasm\nrefused: needs the grant \"kv\"\n",
		"loaded.yaml":  "wasm: ../quiet.wasm\nrefused: at all\n",
		"typo.yaml":    reporterRights + "evnets: []\nevents: [{object: POD, expect: {verdit: done}}]\n",
		"pod.yaml":     "apiVersion: v1\nkind: Pod\nmetadata: {name: no-case}\n",
		".hidden.yaml": "nonsense",
		"ambig.yaml":   "events: [{object: POD}]\n",
	})
	code, stdout, stderr := run(dir, "plugin test @/cases")
	ambiguous := "which module? In @ are alien.wasm, cut.wasm, empty.wasm, endless.wasm, large.wasm, quiet.wasm, refusing.wasm, reporter.wasm, text.wasm: name it with wasm or --wasm"
	want := `FAIL  @/cases/ambig.yaml (0 events, T)
      ` + ambiguous + `
FAIL  @/cases/bad.yaml (5 events, T)
      event 1, line 9: add Pod shop/web-1
        emitted[0].data.more is missing, want [1]
        emitted[0].data.n is not wanted, is 1
        emitted[0].data.text is "a\u001b[31m", want "b"
        emitted[1] is missing, want {"data":1}
        kv.started is not wanted, is "yes"
        fuel is 26, want at most 3
      event 2, line 13: update Pod shop/web-1
        verdict is drop, want done
        log[0] is "info: seen \u001b[31m\n", want "warn: seen"
      event 3, line 14: delete Pod shop/web-1
        verdict is retry (later), want fail
        message is "later", want "never"
        the request POST https://hooks.example.com/x {"a":1}: it was not expected
      event 4, line 15: resync Pod shop/web-1
        it crashed:
          trap in on_event: wasm error: unreachable
      event 5, line 17: add Pod shop/web-1
        its verdict is done, want a crash of reason trap
      line 5:
        the request GET https://hooks.example.com/other was not made
ok    @/cases/good.yaml (5 events, T, 1 event without expect)
ok    @/cases/grants.yaml (0 events, T)
FAIL  @/cases/loaded.yaml (0 events, T)
      line 2:
        it is loaded, want it refused with "at all"
FAIL  @/cases/other.yaml (0 events, T)
      line 2:
        it is refused with "no team is set", want "something else" in it
ok    @/cases/refused.yaml (0 events, T)
FAIL  @/cases/typo.yaml (0 events, T)
      @/cases/typo.yaml:3:1: unknown field "evnets"; did you mean "events"?
      @/cases/typo.yaml:4:99: unknown field "verdit" in events[0].expect; did you mean "verdict"?
`
	stdout = deepStack.ReplaceAllString(stdout, "$1")
	if stdout != want || stderr != "informerd: 5 of 8 cases failed\n" || code != exitRun {
		t.Errorf("exit %d, stderr %s, stdout\n%s\nwant\n%s", code, stderr, stdout, want)
	}

	code, stdout, stderr = run(dir, "plugin test @/cases --run (good|refused)[.]")
	want = "ok    @/cases/good.yaml (5 events, T, 1 event without expect)\nok    @/cases/refused.yaml (0 events, T)\nok: 2 cases, 5 events, T\n"
	if stdout != want || stderr != "" || code != exitOK {
		t.Errorf("exit %d, stderr %s, stdout\n%s\nwant\n%s", code, stderr, stdout, want)
	}

	code, stdout, stderr = run(dir, "plugin test @/cases/ambig.yaml --wasm @/quiet.wasm -v")
	want = `none  @/cases/ambig.yaml (1 event, T, nothing is expected: add expect, or use --update)
  -- event 1: add Pod shop/web-1
  verdict   drop
  used      6 fuel, T, 64 KiB of memory
  calls     none of the host
ok: 1 case, 1 event, T
`
	if stdout != want || stderr != "" || code != exitOK {
		t.Errorf("exit %d, stderr %s, stdout\n%s\nwant\n%s", code, stderr, stdout, want)
	}
}

func TestPluginTestUpdates(t *testing.T) {
	dir := pluginFiles(t)
	const begin = reporterRights + `# What comes of events.
events:
  # The first.
  - object: POD

  - op: update
    object: POD
    old: POD
    # the end of the second

# The third crashes.
  - op: resync
    object: POD
  - {op: delete, object: POD, expect: {verdict: retry}}
http:
  - request: {method: POST, url: https://hooks.example.com/x}
`
	writeCases(t, dir, map[string]string{"new.yaml": begin,
		"flow.yaml": "wasm: ../quiet.wasm\nevents: [{object: POD}]\n"})
	path := filepath.Join(dir, "cases", "new.yaml")
	if code, stdout, _ := run(dir, "plugin test @/cases/new.yaml"); code != exitRun ||
		!strings.Contains(stdout, "it crashed") {
		t.Fatalf("exit %d: %s", code, stdout)
	}
	if text, _ := os.ReadFile(path); string(text) != strings.ReplaceAll(begin, "POD", casePod) {
		t.Fatalf("without --update the case was changed:\n%s", text)
	}
	run(dir, "plugin test @/cases/new.yaml --update")
	want := strings.NewReplacer("POD\n\n", `POD
    expect:
      verdict: done
      emitted:
        - {"type":"com.example.found","data":{"n":1,"text":"a\u001b[31m"}}
      kv: {"started":"yes"}

`, "    # the end of the second\n", `    # the end of the second
    expect:
      verdict: drop
      log:
        - "info: seen \u001b[31m\n"
`, "  - op: resync\n    object: POD\n",
		"  - op: resync\n    object: POD\n    expect:\n      crash: trap\n", "POD",
		casePod).Replace(begin)
	want = strings.ReplaceAll(want, "POD", casePod)
	text, err := os.ReadFile(path)
	if err != nil || string(text) != want {
		t.Errorf("%v: written\n%s\nwant\n%s", err, text, want)
	}
	for _, again := range []string{"", " --update"} {
		if code, stdout, _ := run(dir, "plugin test @/cases/new.yaml"+again); code != exitOK ||
			strings.Contains(stdout, "written") {
			t.Errorf("again: exit %d\n%s", code, stdout)
		}
	}
	code, stdout, _ := run(dir, "plugin test @/cases/flow.yaml --update")
	if code != exitRun || !strings.Contains(stdout,
		"@/cases/flow.yaml:2:10: events[0] is in braces, so nothing can be added to it; write one field a line") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
}

// What is written as JSON is one value a line, and has what the text has.
func TestPluginJSON(t *testing.T) {
	dir := pluginFiles(t)
	writeCases(t, dir, map[string]string{"a.yaml": reporterRights +
		"events: [{object: POD, expect: {verdict: drop}}]\n"})
	for args, want := range map[string]map[string]any{
		"plugin inspect -o json @/reporter.wasm": {
			"abi": "informerd/v1", "metered": true, "functionNames": false, "size": 572.0},
		"plugin inspect -o json @/alien.wasm": {"abi": "", "file": "@/alien.wasm"},
		"plugin run -o json @/reporter.wasm --grants @/grants.yaml -e @/pod.yaml": {
			"verdict": "done", "op": "add", "object": "shop/web-1",
			"fuel": 26.0, "line": 1.0},
		"plugin test -o json @/cases": {
			"case": "@/cases/a.yaml", "ok": false},
		"plugin bench -o json @/quiet.wasm -e @/pod.yaml --count 20": {
			"file": "@/quiet.wasm", "events": 20.0, "fuel": 6.0, "memory": 65536.0},
	} {
		_, stdout, _ := run(dir, args)
		if strings.ContainsAny(stdout, "\x1b\a") || strings.Count(stdout, "\n") != 1 {
			t.Errorf("%s: it writes %q", args, stdout)
		}
		var got map[string]any
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Errorf("%s: %v in\n%s", args, err, stdout)
		}
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s: %s is %v, want %v", args, name, got[name], value)
			}
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
	code, stdout, stderr := run(dir,
		"plugin bench @/quiet.wasm @/reporter.wasm --grants @/grants.yaml -e @/pod.yaml -e @/update.yaml --count 200")
	if code != exitOK || stderr != "" {
		t.Fatalf("exit %d, stderr %s", code, stderr)
	}
	for _, want := range []string{"@/quiet.wasm: 200 events measured\n",
		"  time      T an event (median), T at best, T p99\n", "  fuel      5.5 an event\n",
		"  calls     0 of the host an event\n", "  memory    64 KiB an instance\n",
		"  verdicts  1 done, 1 drop\n",
		"@/reporter.wasm: 200 events measured\n", "  fuel      20 an event\n",
		"  calls     1 of the host an event: log.v1 log 0.5, result.v1 emit 0.5\n",
		"@/reporter.wasm as a multiple of @/quiet.wasm:\n", "  fuel      3.64x\n",
		"  memory    1x\n"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("it does not say %q:\n%s", want, stdout)
		}
	}
}
