package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/abi"
	. "github.com/informerd/informerd/pkg/plugins/guesttest"
)

// reporter is a guest that asks for several rights: it reports adds, logs updates, asks the network
// at a delete, and crashes at a resync.
func reporter() Guest {
	return Guest{
		Configure: []Action{Call(abi.ModuleKV, "set", "started", "yes", int64(0))},
		Events: map[int][]Action{
			1: {Emit(`{"type":"com.example.found","data":{"n": 1, "text": "a\u001b[31m"}}`)},
			2: {Log("seen \x1b[31m\n"), Return(1)},
			3: {Call(abi.ModuleHTTP, "request",
				`{"method":"POST","url":"https://hooks.example.com/x"}`, `{"a":1}`), Reason(
				"later"), Return(2)},
			4: {Trap()},
		},
		Sections: map[string]string{"odd\x1b[2J": "123"},
	}
}

// pluginFiles writes what the tests of these commands work on, and returns the folder.
func pluginFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	reporter := reporter().Bytes()
	quiet := Guest{Events: map[int][]Action{1: {Return(1)}}}.Bytes()
	for name, text := range map[string]string{
		"reporter.wasm": string(reporter),
		"quiet.wasm":    string(quiet),
		"cut.wasm":      string(quiet[:40]),
		"empty.wasm":    "",
		"text.wasm":     "hello",
		"alien.wasm":    string(Guest{Configure: []Action{Call("env", "\x1b]0;abort\a")}}.Bytes()),
		"large.wasm":    string(Guest{Pages: 320}.Bytes()),
		"refusing.wasm": string(
			Guest{Configure: []Action{Reason("no team is set"), Return(1)}}.Bytes()),
		"endless.wasm":  string(Guest{Events: map[int][]Action{1: {Forever()}}}.Bytes()),
		"pod.yaml":      "apiVersion: v1\nkind: Pod\nmetadata: {namespace: shop, name: web-1}\n",
		"update.yaml":   "op: update\nobject: {apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: web-1}}\nold: {apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: web-1}}\n",
		"lines.jsonl":   "{\"op\":\"delete\",\"finalStateUnknown\":true,\"resumed\":true,\"object\":{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"}}}\n",
		"resync.yaml":   "op: resync\nobject: {apiVersion: v1, kind: Node, metadata: {name: n1}}\n",
		"typo.yaml":     "op: update\nobjekt: {}\nobject: {}\n",
		"noobject.yaml": "apiVersion: v1\nkind: Pod\n",
		"informerd.yaml": "apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners:\n" +
			"  nodes: {informer: {resource: nodes}, handler: {wasm: quiet.wasm}, outputs: [out]}\n" +
			"  reports: {informer: {resource: nodes}, handler: {wasm: reporter.wasm, grants: {kv: {}, log: {}, http: {allow: [https://hooks.example.com/]}}}, outputs: [out]}\n" +
			"  endless: {informer: {resource: nodes}, handler: {wasm: endless.wasm, limits: {fuel: 1000}}, outputs: [out]}\n" +
			"  plain: {informer: {resource: nodes}, outputs: [out]}\noutputs: {out: {stdout: {}}}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "nothing"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

var measures = regexp.MustCompile(`\b[0-9.]+ (ns|us|ms|s)\b`)

// stack is the stack of a crash, whose looks are the host's business.
var stack = regexp.MustCompile(`(  stack     )\$.*\n( {12}.*\n)*`)

var deepStack = regexp.MustCompile(`(it crashed:\n.*\n)( {10}.*\n)+`)

// steady takes what differs from run to run out of a text.
func steady(text, dir string) string {
	text = stack.ReplaceAllString(strings.ReplaceAll(text, dir, "@"), "${1}FRAMES\n")
	return measures.ReplaceAllString(text, "T")
}

// run runs a command; @ stands for the folder, and _ for a space in an argument.
func run(dir, args string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	words := strings.Fields(args)
	for i, word := range words {
		words[i] = strings.ReplaceAll(strings.ReplaceAll(word, "@", dir), "_", " ")
	}
	code = Main(words, &out, &err)
	return code, steady(out.String(), dir), steady(err.String(), dir)
}

const usageHint = "\nRun \"informerd COMMAND --help\" for its usage.\n"

func TestPluginCommands(t *testing.T) {
	dir := pluginFiles(t)
	const granted = "-c @/informerd.yaml -l reports "
	for _, c := range []struct {
		args           string
		code           int
		stdout, stderr string
	}{
		{"plugin inspect @/quiet.wasm", exitOK, `@/quiet.wasm
  abi       informerd/v1
  sha256    SHA
  size      118 bytes
  memory    64 KiB at first, no maximum
  metered   yes: fuel and deadlines can be enforced
  stack     a crash shows no names of functions, since the module has none (section name)
  exports   memory, a memory
            informerd_abi_v1 () -> ()
            configure () -> i32
            on_event (i32, i32, i32, i32) -> i32
  grants    none needed
`, ""},
		{"plugin inspect @/reporter.wasm", exitOK, `@/reporter.wasm
  abi       informerd/v1
  sha256    SHA
  size      572 bytes
  memory    64 KiB at first, no maximum
  metered   yes: fuel and deadlines can be enforced
  stack     a crash shows no names of functions, since the module has none (section name)
  exports   memory, a memory
            informerd_abi_v1 () -> ()
            configure () -> i32
            on_event (i32, i32, i32, i32) -> i32
  asks for  informerd/http.v1 (make HTTP requests: needs the grant http): request
            informerd/kv.v1 (keep values: needs the grant kv): set
            informerd/log.v1 (write log lines: needs the grant log): log
            informerd/result.v1 (emit, and state reasons): emit, error
  grants    in the handler's part of the configuration:

grants:
  http: {allow: [https://HOST/PATH]}
  kv: {}
  log: {}
`, ""},
		{"plugin inspect @/large.wasm", exitOK, `@/large.wasm
  abi       informerd/v1
  sha256    SHA
  size      108 bytes
  memory    20 MiB at first, no maximum
            more than the default limit: limits: {memory: 20Mi}
  metered   yes: fuel and deadlines can be enforced
  stack     a crash shows no names of functions, since the module has none (section name)
  exports   memory, a memory
            informerd_abi_v1 () -> ()
            configure () -> i32
            on_event (i32, i32, i32, i32) -> i32
  grants    none needed
`, ""},
		{"plugin inspect @/cut.wasm", exitRun, "",
			"informerd: @/cut.wasm: the file is cut off: the export section at offset 37 states 52 bytes, 1 are left\n"},
		{"plugin inspect @/empty.wasm", exitRun, "",
			"informerd: @/empty.wasm: the file is empty\n"},
		{"plugin inspect @/text.wasm", exitRun, "",
			"informerd: @/text.wasm: not a WebAssembly module: it does not begin with \\0asm\n"},
		{"plugin inspect @/none.wasm", exitRun, "",
			"informerd: the module cannot be read: stat @/none.wasm: no such file or directory\n"},
		{"plugin inspect @", exitRun, "",
			"informerd: the module cannot be read: @: it is not a file\n"},
		{"plugin inspect", exitUsage, "",
			"informerd: informerd plugin inspect takes one module, found 0 arguments" + usageHint},
		{"plugin frobnicate", exitUsage, "",
			`informerd: unknown command "frobnicate" for "informerd plugin"` + usageHint},

		{"plugin run " + granted +
			"--event @/pod.yaml -e @/update.yaml -e @/lines.jsonl", exitOK,
			`@/reporter.wasm: loaded in T

event 1: add Pod shop/web-1
  verdict   done
  emitted   com.example.found {"n":1,"text":"a\u001b[31m"}
  used      26 fuel, T, 64 KiB of memory
  calls     1 of the host: result.v1 emit 1

event 2: update Pod shop/web-1
  verdict   drop
  log       info: seen \x1b[31m\n
  used      14 fuel, T, 64 KiB of memory
  calls     1 of the host: log.v1 log 1

event 3: delete Node n1, final state unknown, resumed
  verdict   retry
  message   later
  used      26 fuel, T, 64 KiB of memory
  calls     2 of the host: http.v1 request 1, result.v1 error 1

3 events: 1 done, 1 drop, 1 retry
`, ""},
		{"plugin run " + granted + "-e @/resync.yaml", exitRun,
			`@/reporter.wasm: loaded in T

event 1: resync Node n1
  crash     trap in on_event: wasm error: unreachable
  stack     FRAMES
  used      16 fuel, T, 64 KiB of memory
  calls     none of the host

1 event: 1 crash
`, "informerd: @/reporter.wasm: it crashed at 1 of 1 event\n"},
		{"plugin run -c @/informerd.yaml -l endless -e @/pod.yaml", exitRun,
			`@/endless.wasm: loaded in T

event 1: add Pod shop/web-1
  crash     fuel in on_event: the handler used more than 1000 units of fuel
  stack     FRAMES
  used      1,001 fuel, T, 64 KiB of memory
  calls     none of the host

1 event: 1 crash
`, "informerd: @/endless.wasm: it crashed at 1 of 1 event\n"},
		{"plugin run -c @/informerd.yaml -l nodes -e @/resync.yaml", exitOK,
			`@/quiet.wasm: loaded in T

event 1: resync Node n1
  verdict   done
  used      5 fuel, T, 64 KiB of memory
  calls     none of the host

1 event: 1 done
`, ""},
		{"plugin run @/reporter.wasm -e @/pod.yaml", exitRun, "",
			`informerd: listener "trial": handler @/reporter.wasm: import "set" of module "informerd/kv.v1": ` +
				`this needs the grant "kv", which the configuration does not have; nor does it have "log, http", which other imports need; informerd plugin inspect @/reporter.wasm shows all that it imports` + "\n"},
		{"plugin run @/refusing.wasm -e @/pod.yaml", exitRun, "",
			"informerd: listener \"trial\": handler @/refusing.wasm: handler refuses its configuration: no team is set\n"},
		{"plugin run @/quiet.wasm", exitUsage, "",
			"informerd: which events? Name a file with --event, - is stdin" + usageHint},
		{"plugin run -e @/pod.yaml", exitUsage, "", "informerd: which module? Name its file" +
			usageHint},
		{"plugin run @/quiet.wasm -l nodes -e @/pod.yaml", exitUsage, "",
			"informerd: --listener needs --config: it is the name of a listener in a configuration" +
				usageHint},
		{"plugin run -c @/informerd.yaml -e @/pod.yaml", exitUsage, "",
			"informerd: --config needs --listener: a configuration may have several handlers" +
				usageHint},
		{"plugin run -c @/informerd.yaml -l nodse -e @/pod.yaml", exitUsage, "",
			`informerd: --listener: there is no listener "nodse"; did you mean "nodes"?; there are endless, nodes, plain, reports` + usageHint},
		{"plugin run -c @/informerd.yaml -l plain -e @/pod.yaml", exitConfig, "",
			"@/informerd.yaml:7:10: listener \"plain\" has no handler\n"},
		{"plugin run @/quiet.wasm --cache pods -e @/pod.yaml", exitUsage, "",
			`informerd: --cache "pods": write it as NAME=FILE` + usageHint},
		{"plugin run @/quiet.wasm -e @/typo.yaml", exitConfig, "",
			`@/typo.yaml:2:1: unknown field "objekt"; did you mean "object"?` + "\n"},
		{"plugin run @/quiet.wasm -e @/noobject.yaml", exitConfig, "",
			"@/noobject.yaml:1: this is not a Kubernetes object: offset 0: object has no metadata.name\n"},
		{"plugin run @/quiet.wasm -e @/quiet.wasm", exitConfig, "",
			"@/quiet.wasm:1:1: the character U+0000 is not allowed\n"},
		{"plugin run @/quiet.wasm -e @/none.yaml", exitRun, "",
			"informerd: the events cannot be read: stat @/none.yaml: no such file or directory\n"},
		{"plugin bench @/quiet.wasm", exitUsage, "",
			"informerd: which events? Name a file with --event, - is stdin" + usageHint},
		{"plugin bench @/quiet.wasm @/quiet.wasm -e @/pod.yaml", exitUsage, "",
			`informerd: informerd plugin bench takes one module, found "@/quiet.wasm" as well` + usageHint},
		{"plugin bench -c @/informerd.yaml -l endless -e @/pod.yaml", exitRun, "",
			"informerd: event 1: it crashed: fuel in on_event: the handler used more than 1000 units of fuel\n"},

		{"plugin test", exitUsage, "",
			"informerd: which cases? Name a folder or files" + usageHint},
		{"plugin test @/nothing", exitRun, "", "informerd: no case to run in @/nothing\n"},
		{"plugin test @/none", exitRun, "",
			"informerd: the cases cannot be read: stat @/none: no such file or directory\n"},
	} {
		code, stdout, stderr := run(dir, c.args)
		stdout = regexp.MustCompile(`[0-9a-f]{64}`).ReplaceAllString(stdout, "SHA")
		words := strings.Fields(c.args)
		command := strings.Join(words[:min(2, len(words))], " ")
		if command == "plugin frobnicate" {
			command = "plugin"
		}
		c.stderr = strings.Replace(c.stderr, "COMMAND", command, 1)
		if code != c.code || stderr != c.stderr {
			t.Errorf("informerd %s: exit %d, want %d; stderr\n%s\nwant\n%s", c.args, code, c.code,
				stderr, c.stderr)
		}
		if stdout != c.stdout {
			t.Errorf("informerd %s: stdout\n%s\nwant\n%s", c.args, stdout, c.stdout)
		}
	}
}
