package daemon

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// Two guests, assembled by hand. Both have a memory, the marker of the interface, and on_event.
const (
	// What follows the magic number and the version.
	preamble = "0061736d01000000"
	// lookupGuest: return get(resource("teams"), "shop", "a") < 0. It lets an event through if the
	// team is there.
	lookupGuest = preamble + "011b0460000060047f7f7f7f017f60027f7f017f60057f7f7f7f7f017f02380212696e666f726d6572642f63616368652e7631" +
		"087265736f75726365000212696e666f726d6572642f63616368652e763103676574000303030200010503010001072803066d656d6f727902001069" +
		"6e666f726d6572645f6162695f76310002086f6e5f6576656e7400030a1a0202000b1500410041051000410541044109410110014100480b0b1001004" +
		"1000b0a7465616d7373686f7061"
	// onceGuest: if get("k") >= 0 return 0; set("k", "k"); return 1. It drops the first event, and
	// lets others through.
	onceGuest = preamble + "0115" +
		"0360000060047f7f7f7f017f60057f7f7f7f7e017f022d020f696e666f726d6572642f6b762e76310367657400010f696e666f" +
		"726d6572642f6b762e763103736574000203030200010503010001072803066d656d6f7279020010696e666f726d6572645f6162695f76310002086f" +
		"6e5f6576656e7400030a290202000b24004100410141104108100041004e047f4100054100410141004101420010011a41010b0b0b07010041000b016b"
)

func writeGuest(t *testing.T, digits string) (path string) {
	t.Helper()
	wasm, err := hex.DecodeString(digits)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "guest.wasm")
	if err := os.WriteFile(path, wasm, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// expectMistakes compares a config.Errors, less the folder of the configuration.
func expectMistakes(t *testing.T, cfg *config.Config, err error, want string) {
	t.Helper()
	var mistakes config.Errors
	if !errors.As(err, &mistakes) {
		t.Fatalf("%T: %v", err, err)
	}
	if got := strings.ReplaceAll(mistakes.Error(), filepath.Dir(cfg.File())+"/", ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What the configuration grants is what the host grants, and nothing else.
func TestGrantsOfTheConfiguration(t *testing.T) {
	t.Setenv("HOOK_TOKEN", "Bearer hunter2")
	cfg := parse(t, head+`
  some:
    informer: {resource: pods}
    handler:
      wasm: x
      grants:
        log: {level: warn, rate: 9}
        kv: {keys: 10, bytes: 2Mi, ttl: 24h, persist: true}
        clock: {fixed: 2026-01-01T01:00:00+01:00}
        random: {seed: 7}
        http:
          allow: ["https://hooks.example.com/x"]
          methods: [PUT]
          timeout: 2s
          maxRequest: 1Ki
          maxResponse: 2Ki
          perEvent: 9
          headers: {Authorization: {fromEnv: HOOK_TOKEN}, X-Api-Key: {fromFile: key}, X-Name: informerd}
        cache: {informers: [nodes], namespaces: [shop], maxItems: 100, maxBytes: 3Mi}
        emit: {kinds: [event], types: [com.example.], count: 5, bytes: 2Ki}
    outputs: [out]
  real: {informer: {resource: pods}, handler: {wasm: x, grants: {clock: {}, random: {}, emit: {}}}, outputs: [out]}
  mute: {informer: {resource: pods}, handler: {wasm: x, grants: {emit: {kinds: []}}}, outputs: [out]}
  none: {informer: {resource: pods}, handler: {wasm: x}, outputs: [out]}
informers: {nodes: {resource: nodes}}
state: {dir: state}
`)
	if err := os.WriteFile(filepath.Join(filepath.Dir(cfg.File()), "key"), []byte("hunter3\r\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	seed := uint64(7)
	all := plugins.Grants{
		Log:    &plugins.LogGrant{Level: 4, LinesPerSecond: 9},
		KV:     &plugins.KVGrant{Keys: 10, Bytes: 2 << 20, TTL: 24 * time.Hour, Persist: true},
		Clock:  &plugins.ClockGrant{Fixed: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)},
		Random: &plugins.RandomGrant{Seed: &seed},
		HTTP: &plugins.HTTPGrant{
			Allow: []string{"https://hooks.example.com/x"}, Methods: []string{"PUT"},
			Timeout:    2 * time.Second,
			MaxRequest: 1 << 10, MaxResponse: 2 << 10, PerEvent: 9,
			Headers: map[string]string{"Authorization": "Bearer hunter2", "X-Api-Key": "hunter3",
				"X-Name": "informerd"},
		},
		Cache: &plugins.CacheGrant{Informers: []string{"nodes"}, Namespaces: []string{"shop"},
			MaxItems: 100, MaxBytes: 3 << 20},
		Emit: &plugins.EmitGrant{Kinds: []abi.EmitKind{abi.EmitEvent},
			Types: []string{"com.example."}, Count: 5, Bytes: 2 << 10},
	}
	both := &plugins.EmitGrant{Kinds: []abi.EmitKind{abi.EmitEvent, abi.EmitData}, Count: 64,
		Bytes: 1 << 20}
	for name, want := range map[string]plugins.Grants{
		"some": all, "real": {
			Clock: &plugins.ClockGrant{}, Random: &plugins.RandomGrant{}, Emit: both}, "none": {},
		"mute": {Emit: &plugins.EmitGrant{Kinds: []abi.EmitKind{}, Count: 64, Bytes: 1 << 20}},
	} {
		l := cfg.Listeners[name]
		r := &handlers.Reader{Section: plan.SectionOf(cfg, l), Persist: true}
		got, ok := r.Grants(l.Handler.Grants)
		if !ok || len(r.Mistakes) > 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, r.Mistakes, want)
		}
	}
}

// What a header is to be taken from must be there, and it is said what is not, but never what is.
func TestHeadersThatAreNotThere(t *testing.T) {
	t.Setenv("EMPTY_TOKEN", "")
	t.Setenv("BROKEN_TOKEN", "hunter2\nX-Other: hunter3")
	cfg := parse(t, head+`
  hook:
    informer: {resource: pods}
    handler:
      wasm: guest.wasm
      grants:
        http:
          allow: ["https://hooks.example.com/x"]
          headers:
            A: {fromEnv: EMPTY_TOKEN}
            B: {fromEnv: BROKEN_TOKEN}
            C: {fromFile: nothere}
            D: {fromFile: empty}
            E: {fromFile: large}
    outputs: [out]
`)
	dir := filepath.Dir(cfg.File())
	for name, text := range map[string]string{"empty": "\n",
		"large": strings.Repeat("x", secret.MaxSize+1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const field = "listeners.hook.handler.grants.http.headers."
	expectMistakes(t, cfg, Check(t.Context(), cfg, Options{Log: quiet}),
		`c.yaml:9:13: listener "hook": cannot read the handler: open guest.wasm: no such file or directory`+"\n"+
			"c.yaml:14:26: "+field+
			"A.fromEnv: the environment variable EMPTY_TOKEN is not set, or empty\n"+
			"c.yaml:15:26: "+field+
			"B.fromEnv: the value has a control character in it, such as a line break\n"+
			"c.yaml:16:27: "+field+
			"C.fromFile: the file nothere cannot be read: no such file or directory\n"+
			"c.yaml:17:27: "+field+"D.fromFile: the file empty is empty\n"+
			"c.yaml:18:27: "+field+"E.fromFile: the file large has more than 16384 bytes")
}

// A handler that asks for what it is not granted is refused.
func TestAHandlerWithoutItsGrant(t *testing.T) {
	for guest, want := range map[string]string{
		onceGuest:   `import "get" of module "informerd/kv.v1": this needs the grant "kv", which the configuration does not have; write grants: {kv: {}}`,
		lookupGuest: `import "resource" of module "informerd/cache.v1": this needs the grant "cache", which the configuration does not have; write grants: {cache: {informers: [NAME]}}`,
	} {
		path := writeGuest(t, guest)
		cfg := parse(t, head+`
  pods: {informer: {resource: pods}, handler: {wasm: "`+path+`"}, outputs: [out]}
`)
		expectMistakes(t, cfg, Check(t.Context(), cfg, Options{Log: quiet}),
			`c.yaml:6:47: listener "pods": handler `+path+": "+want)
	}
}

const lookingHandler = head + `
  found:
    informer: {resource: pods}
    handler: {wasm: GUEST, limits: {deadline: 10s}, grants: {cache: {informers: [teams]}}}
    outputs: [out]
  kept-off:
    informer: {resource: pods}
    handler: {wasm: GUEST, limits: {deadline: 10s}, grants: {cache: {informers: [teams], namespaces: [pay]}}}
    outputs: [out]
  alone: {informer: {resource: pods}, outputs: [out]}
informers:
  teams: {resource: configmaps}
`

// A handler reads the caches that it is granted, and gets no event before these are there.
func TestAHandlerLooksObjectsUp(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	release := k.withhold("configmaps")
	d := start(t, parse(t, strings.ReplaceAll(lookingHandler, "GUEST", writeGuest(t, lookupGuest))),
		k)
	d.log.waitFor(t, "msg=listening listener=found ")
	k.waitForRequest(t, "configmaps")
	d.out.waitForLines(t, 3, "/listeners/alone")
	if got := d.subjects("found"); got != "" {
		t.Errorf("told before the teams are there: %s", got)
	}
	release()
	d.out.waitForLines(t, 3, "/listeners/found")
	d.stop(t)
	if got := d.subjects("kept-off"); got != "" {
		t.Errorf("a namespace that is not granted was read: %s", got)
	}
}

// An informer that only a handler looks into runs like any other, and the plan says so.
func TestPlanOfAHandlerThatLooksObjectsUp(t *testing.T) {
	var out bytes.Buffer
	cfg := parse(t, strings.ReplaceAll(lookingHandler, "GUEST", writeGuest(t, lookupGuest)))
	p, mistakes := plan.Compile(cfg, nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	all, err := p.List()
	if err != nil {
		t.Fatal(err)
	}
	if err := all.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := `
informer of configmaps, the whole cluster
  named              teams
  looked up by       found, kept-off

`
	if !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant in it\n%s", out.String(), want)
	}
}

// A handler waits for the resources that it is granted, as for its listener's own, and it is said
// that it is the handler's.
func TestAHandlerWaitsForTheResourceThatItLooksUp(t *testing.T) {
	items := teamsAndPods()
	delete(items, "configmaps")
	k := kubernetesWith(t, items)
	d := start(t, parse(t, strings.ReplaceAll(lookingHandler, "GUEST", writeGuest(t, lookupGuest))),
		k)
	d.log.waitFor(t, `level=ERROR msg="listener failed, will try again" listener=found error="informer \"teams\", which its handler looks objects up in: no resource \"configmaps\" on `+k.url+`"`)
	d.stop(t)
}

const keeping = head + `
  kept:
    informer: {resource: pods}
    handler: {wasm: GUEST, limits: {deadline: 10s}, grants: {kv: {persist: true}}}
    outputs: [out]
  alone: {informer: {resource: pods}, outputs: [out]}
state: {dir: "DIR"}
`

// What a handler keeps is there when the daemon comes again, in a folder that is made for nobody
// else. Looking at the configuration meanwhile makes nothing and waits for nothing.
func TestValuesOutlastTheDaemon(t *testing.T) {
	items := teamsAndPods()
	items["pods"] = items["pods"][:1]
	k := kubernetesWith(t, items)
	dir := filepath.Join(t.TempDir(), "of", "informerd")
	cfg := parse(t, strings.NewReplacer("GUEST", writeGuest(t, onceGuest), "DIR",
		dir).Replace(keeping))
	if err := Check(t.Context(), cfg, Options{Log: quiet}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("checking the configuration made the folder: %v", err)
	}

	d := start(t, cfg, k)
	d.out.waitForLines(t, 1, "/listeners/alone")
	d.log.waitFor(t, `msg="handler loaded" listener=kept`)
	if err := Check(t.Context(), cfg, Options{Log: quiet}); err != nil {
		t.Errorf("checked while it runs: %v", err)
	}
	d.stop(t) // what has come is handled before it ends
	if got := d.subjects("kept"); got != "" {
		t.Errorf("the first event passed: %s", got)
	}
	for path, want := range map[string]os.FileMode{dir: os.ModeDir | 0o700,
		filepath.Join(dir, "handlers.db"): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}

	d = start(t, cfg, k)
	d.out.waitForLines(t, 1, "/listeners/kept")
	d.stop(t)
}

// Without a folder to keep state in nothing runs.
func TestTheFolderForStateCannotBeMade(t *testing.T) {
	cfg := parse(t, head+`
  pods: {informer: {resource: pods}, outputs: [out]}
state: {dir: c.yaml/state}
`)
	file := filepath.Join(filepath.Dir(cfg.File()), "c.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	expectMistakes(t, cfg, Run(t.Context(), cfg, Options{Log: quiet}),
		"c.yaml:7:14: state.dir: the folder c.yaml/state cannot be made: not a directory")
}
