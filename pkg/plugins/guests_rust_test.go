package plugins

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

const everythingRust = "../../plugins/sdk/rust/test/everything.rs"

// rustSpec grants the Rust guest that calls every function of the host all that it asks for.
func rustSpec(t *testing.T, config, url string) Spec {
	spec := testSpec(buildGuest(t, "rust", everythingRust))
	spec.Config = []byte(config)
	spec.Grants.Clock.Fixed = time.Unix(1234567890, 999)
	spec.Grants.HTTP = &HTTPGrant{Allow: []string{url}}
	spec.Grants.Cache = &CacheGrant{Informers: []string{"owners"}}
	spec.Caches = ownersAndNodes(t)
	return spec
}

// outcomes returns what became of the events of a batch, one line each.
func outcomes(results []Result) string {
	var lines []string
	for _, r := range results {
		line := fmt.Sprintf("%v %q", r.Verdict, r.Message)
		for _, e := range r.Emitted {
			line += " " + string(e.Data)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestRustWords(t *testing.T) {
	url := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Seen", fmt.Sprintf("%s %s %s", r.Method, r.Header.Get("X-Own"), body))
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, strings.Repeat("x", 10_000))
	})
	host, log := testHost(t)
	handler, err := host.Load(t.Context(), rustSpec(t, fmt.Sprintf(`{"do":"words","url":%q}`, url),
		url))
	if err != nil {
		t.Fatal(err)
	}
	words := func(name string, app, old, count int) string {
		return fmt.Sprintf(`done "" {"type":"com.example.words","data":{"name":"%s","app":%d,"old":%d,"count":%d,"deleted":true,`+
			`"quota":"quota","random":true,"now":1234567890,"status":202,"seen":"POST mine a body","body":10000,"none":true,`+
			`"denied":"denied","left":false,"owner":"web","whole":true,"missing":true,"found":["web","web"]}}`, name, app, old, count)
	}
	// The label is longer than what the SDK has the host prefetch.
	long := newObject(t, strings.Replace(podText, `we\u0062`, strings.Repeat(`we\u0062`, 3000), 1))
	batch := []event.Event{podAdd(t), {Op: event.Update, Object: long, Old: newObject(t, podText)},
		{Op: event.Add, Object: newObject(t, strings.Replace(podText, "web-1", "web-2", 1))}}
	for n := range 2 { // instances that share the count
		results, err := newInstance(t, handler).HandleBatch(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{words("web-1", 3, 0, 3*n+1), words("web-1", 9000, 10, 3*n+2),
			words("web-2", 3, 0, 3*n+3)}
		if got := outcomes(results); got != strings.Join(want, "\n") {
			t.Errorf("got  %s\nwant %s", got, strings.Join(want, "\n"))
		}
	}
	if log.String() != "" {
		t.Errorf("logged: %s", log)
	}
}

// Events of a batch have their own verdicts and reasons, and those that are not taken have that of
// the batch.
func TestRustBatches(t *testing.T) {
	batch := []event.Event{{Op: event.Resync, Object: newObject(t, podText)}, {
		Op: event.Delete, Object: newObject(t, podText)}}
	for config, want := range map[string]string{
		`{}`:            `retry "later"` + "\n" + `fail "gone: web-1"`,
		`{"do":"skip"}`: `drop ""` + "\n" + `drop ""`,
	} {
		host, _ := testHost(t)
		results, err := instance(t, host, rustSpec(t, config, "https://example.com/")).HandleBatch(
			t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		if got := outcomes(results); got != want {
			t.Errorf("%s: got %s, want %s", config, got, want)
		}
	}
}

// Fields are given ahead: all, those that the handler chooses, or none.
func TestRustPrefetch(t *testing.T) {
	for config, fields := range map[string]int{`{}`: 7, `{"do":"choose"}`: 2, `{"do":"call"}`: 0} {
		host, _ := testHost(t)
		i := instance(t, host, rustSpec(t, config, "https://example.com/"))
		r, err := i.Handle(t.Context(), podAdd(t))
		if err != nil {
			t.Fatal(err)
		}
		want := `"name":"web-1","app":"web","priority":10,"network":true,"null":1,"restarts":5,"none":false`
		if got := string(r.Emitted[0].Data); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", config, got)
		}
		if got := len(i.guest.events.prefetch.fields); got != fields {
			t.Errorf("%s: %d fields are given ahead, want %d", config, got, fields)
		}
	}
}

func TestRustRefusals(t *testing.T) {
	host, _ := testHost(t)
	_, err := host.Load(t.Context(), rustSpec(t, `{"do":"ask"}`, "https://example.com/"))
	want := `listener "pods": handler guest.wasm: handler refuses its configuration: ` +
		`cache none: denied: name the informer in the grant cache`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A crash says what a panic said, and where it was.
func TestRustPanicsReachTheHost(t *testing.T) {
	host, _ := testHost(t)
	i := instance(t, host, rustSpec(t, `{"do":"panic"}`, "https://example.com/"))
	_, err := i.Handle(t.Context(), podAdd(t))
	source, readErr := os.ReadFile(everythingRust)
	if readErr != nil {
		t.Fatal(readErr)
	}
	before, _, _ := strings.Cut(string(source), "[Verdict::Done; 3][n]")
	want := fmt.Sprintf(": trap: wasm error: unreachable: the handler said \"panicked at 'index out of bounds: the len is 3 but the index is %d', "+
		"everything.rs:%d:5\"", len(podText), strings.Count(before, "\n")+1)
	if err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// rustImports returns what a guest imports, as in "event.v1 path".
func rustImports(t *testing.T, wasm []byte) []string {
	t.Helper()
	m, err := wasmbin.Parse(wasm)
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, i := range m.Imports {
		imports = append(imports, strings.TrimPrefix(i.Module, "informerd/")+" "+i.Name)
	}
	slices.Sort(imports)
	return imports
}

// A guest imports the functions that its words need, and no others.
func TestRustImports(t *testing.T) {
	var all []string
	for _, f := range abi.Imports {
		all = append(all, strings.TrimPrefix(f.Module, "informerd/")+" "+f.Name)
	}
	slices.Sort(all)
	if got := rustImports(t, buildGuest(t, "rust", everythingRust)); !slices.Equal(got, all) {
		t.Errorf("everything imports %q, want %q", got, all)
	}
	for _, test := range []struct {
		name, makes, does string
		maxSize           int
		want              []string
	}{
		{"a field", `Path::compile("a").map(Guest)`,
			`if event.object.bool(&self.0) { Verdict::Done } else { Verdict::Drop }`, 32_000,
			[]string{"event.v1 path", "event.v1 field"}},
		{"one of each", `cache::open("a")?; Path::compile("a").map(Guest)`, `log(Level::Info, "x");
			let made = http::request(&http::Request::get("u")).is_ok() && kv::get("a").is_ok() && random(&mut [0; 4]).is_ok();
			if made && now() == std::time::SystemTime::UNIX_EPOCH { Verdict::Done } else { Verdict::Drop }`, 60_000,
			[]string{"event.v1 path", "cache.v1 resource", "log.v1 log", "http.v1 request",
				"kv.v1 get", "random.v1 fill", "clock.v1 now_ns"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "guest.rs")
			source := "#![allow(unused)]\nuse informerd::*;\nstruct Guest(Path);\nregister!(Guest);\nimpl Handler for Guest {\n" +
				"fn configure() -> Result<Self, String> { " + test.makes + " }\n" +
				"fn on_event(&mut self, event: &Event) -> Verdict { " + test.does + " }\n}\n"
			if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			// What every guest has: automatic fields, and a reason for a refusal or a panic.
			want := append([]string{"event.v1 prefetch", "result.v1 error"}, test.want...)
			slices.Sort(want)
			wasm := buildGuest(t, "rust", file)
			if got := rustImports(t, wasm); !slices.Equal(got, want) {
				t.Errorf("it imports %q, want %q", got, want)
			}
			if len(wasm) > test.maxSize {
				t.Errorf("it has %d bytes, at most %d are expected", len(wasm), test.maxSize)
			}
		})
	}
}
