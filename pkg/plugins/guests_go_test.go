package plugins

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

const (
	goSDK    = "../../plugins/sdk/go"
	goModule = "github.com/informerd/informerd/plugins/sdk/go"
)

// goFolder makes a module of these files that uses the Go SDK.
func goFolder(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	sdk, err := filepath.Abs(goSDK)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mod := "module guests\n\ngo 1.26.0\n\nrequire " + goModule + " v0.0.0\n\nreplace " + goModule +
		" => " + sdk + "\n"
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// goSources builds guests of the Go SDK from their sources.
func goSources(t testing.TB, sources map[string]string) map[string][]byte {
	t.Helper()
	files := map[string]string{}
	for name, source := range sources {
		files[name+"/main.go"] = source
	}
	dir, guests := goFolder(t, files), map[string][]byte{}
	for name := range sources {
		guests[name] = wasmtest.GoGuest(t, dir, "./"+name)
	}
	return guests
}

const goHead = `package main

import informerd "github.com/informerd/informerd/plugins/sdk/go"

func main() {}
`

// everythingSpec is what the guest of the Go SDK that uses all words needs.
func everythingSpec(t *testing.T) Spec {
	t.Helper()
	url := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", r.Method+" "+r.Header.Get("X-Own"))
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, strings.Repeat(string(body), 2000))
	})
	seed := uint64(7)
	return Spec{Listener: t.Name(), Path: "everything.wasm",
		Wasm:   wasmtest.GoGuest(t, goSDK, "./test/everything"),
		Config: fmt.Appendf(nil, `{"url":%q,"informer":"owners"}`, url),
		Limits: Limits{Deadline: 30 * time.Second},
		Caches: ownersAndNodes(t),
		Grants: Grants{Log: &LogGrant{LinesPerSecond: 1000}, KV: &KVGrant{},
			HTTP:   &HTTPGrant{Allow: []string{url}},
			Clock:  &ClockGrant{Fixed: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)},
			Random: &RandomGrant{Seed: &seed}, Cache: &CacheGrant{Informers: []string{"owners"}}}}
}

// everything is what that guest emits; count is which event it is, of is the size of its batch.
func everything(count, of int, changed bool, random any) map[string]any {
	return map[string]any{
		"of": float64(of), "changed": changed, "size": float64(len(podText)),
		"json": float64(len(podText)),
		"name": "web-1", "restarts": 5.0, "network": true, "none": false, "count": float64(count),
		"kv":     []any{"", "", "not found", "kv set: bad argument", `kv set "large": quota`},
		"denied": "http: denied", "http": "202 POST mine 10000 hello ",
		"get": "web 517 false true", "nobody": "not found", "index": []any{"web", "web"},
		"now": "2026-01-02T03:04:05.000000006Z", "random": random,
	}
}

// All words of the Go SDK on the real host, for single events and for a batch. Two instances in
// turn have the values of kv.v1 in common, and the random bytes of one seed.
func TestGoSDKWords(t *testing.T) {
	spec := everythingSpec(t)
	instances := []*Instance{instance(t, goHost(t), spec), instance(t, goHost(t), spec)}
	old := strings.Replace(podText, `"restartCount":5`, `"restartCount":4`, 1)
	events := []event.Event{
		podAdd(t),
		{Op: event.Update, Object: newObject(t, podText), Old: newObject(t, podText)},
		{Op: event.Update, Object: newObject(t, podText), Old: newObject(t, old)},
		{Op: event.Delete, Object: newObject(t, podText)},
		{Op: event.Resync, Object: newObject(t, podText)},
	}
	changed := []bool{true, false, true}
	goLog.Reset()
	random := map[any]int{}
	for round, of := range []int{1, 1, len(events), len(events)} {
		results := handleIn(t, instances[round%2], events, of)
		for n, r := range results[:3] {
			if r.Verdict != Done || len(r.Emitted) != 2 ||
				string(r.Emitted[1].Data) != fmt.Sprint(n > 0) {
				t.Fatalf("event %d of %d: got %v %q %s", n, of, r.Verdict, r.Message, r.Emitted)
			}
			var got map[string]any
			_, data, err := r.Emitted[0].Event()
			if err == nil {
				err = json.Unmarshal(data, &got)
			}
			if want := everything(3*round+n+1, of, changed[n], got["random"]); err != nil ||
				!reflect.DeepEqual(got, want) {
				t.Errorf("event %d of %d (%v):\ngot  %v\nwant %v", n, of, err, got, want)
			}
			random[got["random"]]++
		}
		if r := results[3]; r.Verdict != Fail || r.Message != "gone: web-1" || len(r.Emitted) > 0 {
			t.Errorf("delete: got %+v", r)
		}
		if r := results[4]; r.Verdict != Retry || r.Message != "later" || len(r.Emitted) > 0 {
			t.Errorf("resync: got %+v", r)
		}
	}
	for bytes, times := range random {
		if times != 2 {
			t.Errorf("the random bytes %v came %d times", bytes, times)
		}
	}
	if got := strings.Count(goLog.String(), `level=INFO msg="about web-1"`); got != 12 {
		t.Errorf("%d lines were logged: %s", got, goLog)
	}
}

// handleIn passes events to an instance, in batches of that size.
func handleIn(t *testing.T, i *Instance, events []event.Event, size int) (results []Result) {
	t.Helper()
	for batch := range slices.Chunk(events, size) {
		var rs []Result
		var err error
		if size > 1 {
			rs, err = i.HandleBatch(t.Context(), batch)
		} else {
			rs = make([]Result, 1)
			rs[0], err = i.Handle(t.Context(), batch[0])
		}
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, rs...)
	}
	return results
}

// imports are the functions that a module imports, but for those of WASI.
func imports(t testing.TB, wasm []byte) (names []string) {
	t.Helper()
	m, err := wasmbin.Parse(wasm)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range m.Imports {
		if i.Module != abi.ModuleWASI {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(i.Module, "informerd/"),
				".v1")+" "+i.Name)
		}
	}
	slices.Sort(names)
	return names
}

// A Go guest imports the functions whose words it uses, and no others: its import section is what
// it asks for.
func TestGoGuestsImportWhatTheyUse(t *testing.T) {
	handler := func(body string) string {
		return goHead + "\nfunc init() {\n\tinformerd.Register(informerd.Handler{OnEvent: func(e *informerd.Event) informerd.Verdict {\n" +
			body + "\n\t\treturn informerd.Done\n\t}})\n}\n"
	}
	const path = "\nvar name = informerd.Path(`metadata.name`)\n"
	fields := []string{"event field", "event path", "event prefetch"}
	for name, test := range map[string]struct {
		source string
		want   []string
	}{
		"nothing": {handler(""), nil},
		"read": {handler("if !e.Object.Has(name) || e.Old.Int(name) > 0 || e.Old.Bool(name) || e.Object.String(name) == e.Object.Get(name).Text {"+
			" return informerd.Drop }") + path, fields},
		"object": {handler("println(len(e.Object.JSON()), e.Object.Size())"),
			[]string{"event object"}},
		"changed": {handler("if e.Changed(name) { return informerd.Drop }") + path,
			[]string{"event changed", "event path", "event prefetch"}},
		"emit":   {handler("_ = informerd.Emit(`a`, 1)"), []string{"result emit"}},
		"config": {handler("_ = informerd.Config(&struct{}{})"), []string{"config get"}},
		"kv-get": {handler("_, _ = informerd.KVGet(`k`)"), []string{"kv get"}},
		"kv-set": {handler("_ = informerd.KVSet(`k`, nil, 0)"), []string{"kv set"}},
		"kv-cas": {handler("_, _ = informerd.KVCAS(`k`, nil, nil, 0)"), []string{"kv cas"}},
		"http":   {handler("_, _ = informerd.HTTP(informerd.Request{})"), []string{"http request"}},
		"header": {handler("if r, err := informerd.HTTP(informerd.Request{}); err == nil { println(r.Header(`a`)) }"),
			[]string{"http header", "http request"}},
		"clock":  {handler("println(informerd.Now().Unix())"), []string{"clock now_ns"}},
		"random": {handler("informerd.Random(make([]byte, 1))"), []string{"random fill"}},
		"log":    {handler("informerd.Log(0, ``)"), []string{"log log"}},
		"get": {handler("if c, err := informerd.Cache(`a`); err == nil { o, _ := c.Get(`b`, `c`); println(o.String(name)) }") + path,
			[]string{"cache get", "cache iter_field", "cache resource", "event field", "event path",
				"event prefetch"}},
		"by-index": {handler("if c, err := informerd.Cache(`a`); err == nil { for range c.ByIndex(`b`, `c`) { return informerd.Drop } }"),
			[]string{"cache by_index", "cache iter_close", "cache iter_field", "cache iter_next",
				"cache resource"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wasm := goSources(t, map[string]string{name: test.source})[name]
			want := append([]string{"result error"}, test.want...) // why configure refuses
			slices.Sort(want)
			if got := imports(t, wasm); !slices.Equal(got, want) {
				t.Errorf("it imports %q, want %q", got, want)
			}
			if slices.Contains(exports(t, wasm), abi.ExportOnBatch) {
				t.Error("it exports on_batch")
			}
		})
	}
	all := wasmtest.GoGuest(t, goSDK, "./test/everything")
	if got := exports(t, all); !slices.Contains(got, abi.ExportOnBatch) ||
		!slices.Contains(got, abi.ExportOnEvent) {
		t.Errorf("the guest with package batch exports %q", got)
	}
	if got, every := len(imports(t, all)), len(abi.Imports); got != every {
		t.Errorf("the guest with all words imports %d of %d functions", got, every)
	}
}

func exports(t testing.TB, wasm []byte) (names []string) {
	t.Helper()
	m, err := wasmbin.Parse(wasm)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range m.Exports {
		names = append(names, e.Name)
	}
	return names
}

// probing is an instance of that guest that shows one thing by its verdict.
func probing(t *testing.T, do string) *Instance {
	t.Helper()
	spec := everythingSpec(t)
	spec.Config = fmt.Appendf(nil, `{"informer":"owners","do":%q}`, do)
	return instance(t, goHost(t), spec)
}

// Fields that are given ahead take no call of the host: they are there even when it would not find
// them.
func TestGoPrefetchOnTheHost(t *testing.T) {
	for do, want := range map[string]Verdict{"read ahead": Done, "read with calls": Fail} {
		i := probing(t, do)
		expectVerdict(t, i, podAdd(t), Done)
		i.guest.paths = nil
		expectVerdict(t, i, podAdd(t), want)
	}
}

// Between events nothing runs in a guest, so the SDK lets its goroutines run every so often, in
// batches as well.
func TestGoroutinesGetTheirTurn(t *testing.T) {
	events := slices.Repeat([]event.Event{podAdd(t)}, 40)
	for _, size := range []int{1, len(events)} {
		results := handleIn(t, probing(t, "goroutine"), events, size)
		if at := slices.IndexFunc(results, func(r Result) bool {
			return r.Verdict == Done
		}); at < 0 || at > 32 {
			t.Errorf("in batches of %d: the goroutine ran before event %d (-1: never)", size, at)
		}
	}
}

// The garbage collector's own goroutines get that turn, too. Without it this guest is out of memory
// after 6,000 events.
func TestGoCleanupsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	i, add := probing(t, "cleanups"), podAdd(t)
	for n := range 12_000 {
		if r, err := i.Handle(t.Context(), add); err != nil || r.Verdict != Done {
			t.Fatalf("event %d: %v, %v", n, r.Verdict, err)
		}
	}
}

// The packages' docs begin with a handler, or a test of it, that does what it says.
func TestGoDocs(t *testing.T) {
	handlers := map[string]string{"doc": docCode(t, ".", "package main"),
		"batch": docCode(t, "batch", "package main")}
	for name, wasm := range goSources(t, handlers) {
		i := instance(t, goHost(t),
			Spec{Listener: "pods", Wasm: wasm, Limits: Limits{Deadline: 10 * time.Second}})
		failed := newObject(t, strings.Replace(podText, `"phase":"Running"`, `"phase":"Failed"`, 1))
		var got []Verdict
		for _, r := range handleIn(t, i, []event.Event{podAdd(t), {
			Op: event.Add, Object: failed}}, 2) {
			got = append(got, r.Verdict)
		}
		if !slices.Equal(got, []Verdict{Drop, Done}) {
			t.Errorf("%s: got %v", name, got)
		}
	}
	tests := "package main\n\nimport (\n\t\"testing\"\n\t\"time\"\n\n\tinformerd \"" + goModule +
		"\"\n\t\"" + goModule + "/informerdtest\"\n)\n\n" +
		docCode(t, "informerdtest", "func TestHandler") + docCode(t, "informerdtest",
		"func TestInHost")
	for name, source := range handlers {
		dir := goFolder(t, map[string]string{"handler/main.go": source,
			"handler/main_test.go": tests})
		command := exec.Command("go", "test", "./handler")
		command.Dir = dir
		command.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		if text, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}

// docCode returns the code in a package's doc that begins like this, up to the next text.
func docCode(t testing.TB, folder, begin string) string {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join(goSDK, folder, "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(doc), "\n//\t"+begin)
	if !found {
		t.Fatalf("the doc of %s has no code that begins with %s", folder, begin)
	}
	code := begin
	for line := range strings.Lines(after) {
		text, isCode := strings.CutPrefix(line, "//\t")
		if strings.HasPrefix(text, "GOOS=") || !isCode && code != begin && line != "//\n" {
			break
		}
		code += strings.TrimPrefix(text, "//")
	}
	return code
}

// goFields is a guest that has so many paths and reads the first few of them. Ahead says what its
// Configure does.
func goFields(paths, read int, configure string) string {
	return fmt.Sprintf(goHead+`
var paths []*informerd.FieldPath

func init() {
	for _, text := range []string{"status.phase", "status.containerStatuses[0].restartCount", "metadata.name", "metadata.namespace",
		"metadata.uid", "spec.nodeName", "spec.hostNetwork", "spec.priority", "spec.x", "kind", "apiVersion", "metadata.resourceVersion",
		"metadata.labels.app", "metadata.labels.none", "none", "status.none"}[:%d] {
		paths = append(paths, informerd.Path(text))
	}
	informerd.Register(informerd.Handler{
		Configure: func() error { %s },
		OnEvent: func(e *informerd.Event) informerd.Verdict {
			if e.Object.String(paths[0]) != "Running" {
				return informerd.Fail
			}
			for _, p := range paths[1:%d] {
				if e.Object.String(p) == "?" {
					return informerd.Fail
				}
			}
			return informerd.Done
		},
	})
}
`, paths, configure, read)
}

const goAhead, goByCalls = "return nil", "return informerd.Prefetch()"

// BenchmarkGoFields reads some of a guest's paths in an object of 10 KB, with and without a call of
// the host for each.
func BenchmarkGoFields(b *testing.B) {
	o := newObject(b, largePod())
	e := event.Event{Op: event.Update, Object: o, Old: o}
	for _, bench := range []struct{ paths, read int }{{2, 2}, {16, 2}, {16, 16}} {
		guests := goSources(b, map[string]string{
			"ahead":    goFields(bench.paths, bench.read, goAhead),
			"by-calls": goFields(bench.paths, bench.read, goByCalls),
		})
		for _, how := range []string{"by-calls", "ahead"} {
			b.Run(fmt.Sprintf("%d of %d %s", bench.read, bench.paths, how), func(b *testing.B) {
				i := instance(b, goHost(b),
					Spec{Listener: "pods", Wasm: guests[how],
						Limits: Limits{Deadline: 10 * time.Second}})
				b.ReportAllocs()
				for b.Loop() {
					if r, err := i.Handle(b.Context(), e); err != nil || r.Verdict != Done {
						b.Fatal(r, err)
					}
				}
			})
		}
	}
}
