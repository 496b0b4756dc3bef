package plugins

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// languages are those besides Go that have an SDK.
var languages = []struct {
	sdk, extension string
	examples       []string
	maxSize        int // of an example, in bytes
}{
	{"c", ".c", []string{"image-tag"}, 20_000},
	{"rust", ".rs", []string{"node-pressure"}, 90_000},
	{"assemblyscript", ".ts", []string{"cost-labels", "requests-patch"}, 45_000},
}

// buildGuest builds a guest with the build script of an SDK. Without a compiler the test is
// skipped, unless GUESTS=required.
func buildGuest(t testing.TB, sdk, source string) []byte {
	t.Helper()
	if wasm, ok := built.Load(source); ok {
		return wasm.([]byte)
	}
	out := filepath.Join(t.TempDir(), "guest.wasm")
	needCompiler(t, exec.Command("../../plugins/sdk/"+sdk+"/build", source, out))
	wasm, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	built.Store(source, wasm)
	return wasm
}

// needCompiler runs a command whose exit status 3 says that there is no compiler. With -short the
// test is skipped.
func needCompiler(t testing.TB, command *exec.Cmd) {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs compilers, which takes seconds")
	}
	text, err := command.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 3 && os.Getenv("GUESTS") != "required" {
		t.Skipf("%s", bytes.TrimSpace(text))
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, text)
	}
}

// guestExample builds an example that is not in Go.
func guestExample(t testing.TB, name string) []byte {
	t.Helper()
	for _, l := range languages {
		if slices.Contains(l.examples, name) {
			return buildGuest(t, l.sdk, "../../plugins/examples/"+name+"/main"+l.extension)
		}
	}
	panic("no example " + name)
}

// exampleGrants are those that an example's README has.
func exampleGrants(name string) Grants {
	if name == "node-pressure" {
		return Grants{KV: &KVGrant{Keys: 10_000}, Clock: &ClockGrant{}}
	}
	return Grants{}
}

// step is an event and what comes of it.
type step struct {
	op          event.Op
	object, old string
	want        string
}

// follow runs events through an example in the real host, with the default limits but time, and no
// grants.
func follow(t *testing.T, name, config string, steps ...step) {
	t.Helper()
	host, log := testHost(t)
	i := instance(t, host, Spec{Listener: "pods", Path: name + ".wasm", Wasm: guestExample(t, name),
		Config: []byte(config),
		Limits: Limits{Deadline: 10 * time.Second}})
	for n, s := range steps {
		e := event.Event{Op: s.op, Object: newObject(t, s.object)}
		if s.old != "" {
			e.Old = newObject(t, s.old)
		}
		r, err := i.Handle(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{r.Verdict.String()}
		for _, emitted := range r.Emitted {
			got = append(got, string(emitted.Data))
		}
		if text := strings.Join(got, " "); text != s.want {
			t.Errorf("step %d: got  %s\nwant %s", n, text, s.want)
		}
	}
	if log.String() != "" {
		t.Errorf("logged: %s", log)
	}
}

func TestImageTagExample(t *testing.T) {
	pod := func(image string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"1"},` +
			`"spec":{"containers":[{"name":"ok","image":"a:1"},{"name":"app","image":"` + image +
			`"}]}}`
	}
	finding := func(image, reason string) string {
		return `done {"type":"dev.informerd.examples.image-tag","data":{"kind":"Pod","namespace":"shop","name":"web",` +
			`"container":"app","image":"` + image + `","reason":"` + reason + `"}}`
	}
	follow(t, "image-tag", `{"forbidden":["latest","edge"]}`,
		step{event.Add, pod("nginx"), "", finding("nginx", "no tag")},
		step{event.Update, pod(`n\u0067inx:edge`), pod("nginx"),
			finding("nginx:edge", "forbidden tag")},
		step{event.Update, pod("nginx:edge"), pod("nginx:edge"), "drop"},
		step{event.Update, pod("nginx:1.27"), pod("nginx:edge"), "drop"},
		step{event.Delete, pod("nginx"), "", "drop"},
	)
}

func TestCostLabelsExample(t *testing.T) {
	pod := func(labels string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"1",` +
			`"labels":{` + labels + `}}}`
	}
	finding := func(missing, wrong string) string {
		return `done {"kind":"Pod","namespace":"shop","name":"web","missing":[` + missing +
			`],"wrong":[` + wrong + `]}`
	}
	team, wrong := `"example.com/team":"r\u00f6d"`, `"example.com/team":"röd","env":"prd"`
	right := `"example.com/team":"röd","env":"dev"`
	follow(t, "cost-labels", `{"labels":{"example.com/team":[],"env":["prod","dev"]}}`,
		step{event.Add, pod(""), "", finding(`"example.com/team","env"`, "")},
		step{event.Update, pod(team), pod(""), finding(`"env"`, "")},
		step{event.Update, pod(wrong), pod(team), finding("", `{"label":"env","value":"prd"}`)},
		step{event.Update, pod(right), pod(wrong), finding("", "")},
		step{event.Add, pod(right), "", "drop"},
		step{event.Delete, pod(""), "", "drop"},
	)
}

func TestRequestsPatchExample(t *testing.T) {
	deployment := func(resources string) string {
		return `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"1"},` +
			`"spec":{"template":{"spec":{"containers":[{"name":"app","resources":` + resources +
			`}]}}}}`
	}
	finding := func(path, value string) string {
		return `done {"type":"dev.informerd.examples.requests-patch","data":{"target":{"apiVersion":"apps/v1","kind":"Deployment",` +
			`"namespace":"shop","name":"web"},"patch":[{"op":"test","path":"/spec/template/spec/containers/0/name","value":"app"},` +
			`{"op":"add","path":"/spec/template/spec/containers/0/resources/requests` + path +
			`","value":` + value + `}]}}`
	}
	none, memory := deployment(`{}`), deployment(`{"requests":{"memory":"1Gi"}}`)
	both := deployment(`{"requests":{"memory":"1Gi","cpu":"2"}}`)
	follow(t, "requests-patch", `{"requests":{"cpu":"100m","memory":"64Mi"}}`,
		step{event.Add, none, "", finding("", `{"cpu":"100m","memory":"64Mi"}`)},
		step{event.Update, memory, none, finding("/cpu", `"100m"`)},
		step{event.Update, memory, memory, "drop"},
		step{event.Update, both, memory, "drop"},
		step{event.Delete, none, "", "drop"},
	)
}

// The time is the real one, so the certificates are made for it.
func TestCertificateExpiryExample(t *testing.T) {
	i := exampleInstance(t, "certificate-expiry", `{"days":[30,7]}`)
	in := func(days int) (certificate *object.Object, notAfter string) {
		notAfter = time.Now().UTC().Truncate(time.Second).Add(time.Duration(days)*24*time.Hour +
			time.Hour).Format(time.RFC3339)
		return newObject(t, `{"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{"name":"tls","namespace":"shop","uid":"u",`+
			`"resourceVersion":"1"},"status":{"notAfter":"`+notAfter+`"}}`), notAfter
	}
	far, _ := in(100)
	near, end := in(20)
	finding := `done dev.informerd.examples.certificate-expiry {"kind":"Certificate","namespace":"shop","name":"tls","uid":"u",` +
		`"notAfter":"` + end + `","daysLeft":20,"expired":false}`
	for n, step := range []struct {
		e    event.Event
		want string
	}{
		{event.Event{Op: event.Add, Object: far}, "drop"},
		{event.Event{Op: event.Update, Object: near, Old: far}, finding},
		{event.Event{Op: event.Resync, Object: near}, "drop"},
		{event.Event{Op: event.Delete, Object: near}, "drop"},
		{event.Event{Op: event.Add, Object: near}, finding},
	} {
		if got := outcome(t, i, step.e); got != step.want {
			t.Errorf("step %d: got  %s\nwant %s", n, got, step.want)
		}
	}
}

func TestGuestExamplesRefuseBadConfigurations(t *testing.T) {
	host, _ := testHost(t)
	for _, test := range []struct{ example, config, want string }{
		{"image-tag", `{"forbidden":[""]}`, "forbidden[0] must be a string that is not empty"},
		{"node-pressure", `{"conditions":[]}`,
			"conditions must be a list of at least one condition type"},
		{"cost-labels", `{"labels":{"a":"b"}}`,
			`labels["a"] must be the list of its values, [] for any`},
		{"requests-patch", `{"requests":{"cpu":1}}`,
			`requests["cpu"] must be a quantity in quotes, as in "1"`},
	} {
		t.Run(test.example, func(t *testing.T) {
			_, err := host.Load(t.Context(),
				Spec{Listener: "pods", Path: "x.wasm", Wasm: guestExample(t, test.example),
					Config: []byte(test.config),
					Grants: exampleGrants(test.example)})
			want := `listener "pods": handler x.wasm: handler refuses its configuration: ` +
				test.want
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// Each SDK in the real host: the same guest, in each language, calls every function of the host.
func TestSDKsCallTheHost(t *testing.T) {
	for _, l := range languages {
		t.Run(l.sdk, func(t *testing.T) {
			host, log := testHost(t)
			spec := testSpec(buildGuest(t, l.sdk, "../../plugins/sdk/"+l.sdk+"/test/everything"+
				l.extension))
			spec.Config = []byte(` {"greeting" : "h\u00e9llo"} `)
			spec.Grants.HTTP = &HTTPGrant{Allow: []string{"https://example.com/"}}
			spec.Grants.Cache = &CacheGrant{Informers: []string{"owners"}}
			i := instance(t, host, spec)
			old := strings.Replace(podText, `"priority":10`, `"priority":9`, 1)
			emitted := func(flags string) string {
				return `done "" event {"type":"com.example.everything","data":{"name":"web-1","app":"web","priority":10,"network":true,` +
					`"null":1,"restarts":5,"none":false,` + flags +
					fmt.Sprintf(`,"object":%s}} data 1`, podText)
			}
			for _, test := range []struct {
				e    event.Event
				want string
			}{
				{event.Event{Op: event.Add, Initial: true, Object: newObject(t, podText)},
					emitted(fmt.Sprintf(`"changed":true,"initial":true,"size":%d,"old":0`,
						len(podText)))},
				{event.Event{Op: event.Update, Object: newObject(t, podText),
					Old: newObject(t, old)},
					emitted(fmt.Sprintf(`"changed":true,"initial":false,"size":%d,"old":%d`,
						len(podText), len(old)))},
				{event.Event{Op: event.Update, Object: newObject(t, podText),
					Old: newObject(t, podText)},
					emitted(fmt.Sprintf(`"changed":false,"initial":false,"size":%d,"old":%[1]d`,
						len(podText)))},
				{event.Event{Op: event.Delete, Object: newObject(t, podText)},
					`fail "gone: web-1"`},
				{event.Event{Op: event.Resync, Object: newObject(t, podText)}, `retry "later"`},
			} {
				log.Reset()
				r, err := i.Handle(t.Context(), test.e)
				if err != nil {
					t.Fatal(err)
				}
				got := fmt.Sprintf("%v %q", r.Verdict, r.Message)
				for _, e := range r.Emitted {
					got += fmt.Sprintf(" %v %s", e.Kind, e.Data)
				}
				if got != test.want {
					t.Errorf("%v: got  %s\nwant %s", test.e.Op, got, test.want)
				}
				want := ""
				if r.Verdict == Done {
					want = `level=WARN msg="this event type is reserved for informerd itself, or the grant emit does not allow what was emitted" listener=pods from=handler` + "\n" +
						`level=ERROR msg="too much was emitted for this event" listener=pods from=handler` + "\n" +
						`level=INFO msg="héllo web-1" listener=pods from=handler` + "\n"
				}
				if log.String() != want {
					t.Errorf("%v: logged %s\nwant %s", test.e.Op, log, want)
				}
			}
		})
	}
}

// A guest of an SDK asks for no right that it does not use, so it imports nothing but what its
// handler calls.
func TestGuestExamplesAreSmall(t *testing.T) {
	for _, l := range languages {
		for _, name := range l.examples {
			t.Run(name, func(t *testing.T) {
				wasm := guestExample(t, name)
				if len(wasm) > l.maxSize {
					t.Errorf("it has %d bytes, at most %d are expected", len(wasm), l.maxSize)
				}
				m, err := wasmbin.Parse(wasm)
				if err != nil {
					t.Fatal(err)
				}
				for _, i := range m.Imports {
					if grant := abi.Grants[i.Module]; grant != "" &&
						!exampleGrants(name).has(grant) {
						t.Errorf("it imports %s %s", i.Module, i.Name)
					}
				}
			})
		}
	}
}

// A guest in a language without a runtime of its own runs for a long time in bounded memory.
func TestGuestExamplesKeepTheirMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	configs := map[string]string{"cost-labels": `{"labels":{"team":[]}}`,
		"requests-patch": `{"requests":{"cpu":"1"}}`}
	for _, l := range languages {
		for _, name := range l.examples {
			t.Run(name, func(t *testing.T) {
				host, _ := testHost(t)
				i := instance(t, host, Spec{Listener: "pods", Wasm: guestExample(t, name),
					Config: []byte(configs[name]),
					Limits: Limits{Deadline: 10 * time.Second}, Grants: exampleGrants(name)})
				var early uint32
				const events = 2000
				for n := range events {
					list := strings.Repeat(
						fmt.Sprintf(
							`{"name":"c%d","image":"x","type":"DiskPressure","status":"True"},`, n),
						n%40) + `{}`
					o := newObject(t,
						fmt.Sprintf(
							`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-%d","namespace":"shop","uid":"u","resourceVersion":"1"},`+
								`"spec":{"containers":[{"name":"c%d","image":"x"}],"template":{"spec":{"x":[%s],"containers":[{"name":"c"}]}}},`+
								`"status":{"conditions":[%s]}}`, n, n, list, list))
					r, err := i.Handle(t.Context(), event.Event{Op: event.Add, Object: o})
					if err != nil {
						t.Fatal(err)
					}
					if r.Verdict != Done && n%40 > 0 {
						t.Fatalf("event %d: %v", n, r.Verdict)
					}
					if n == events/4 {
						early = i.guest.memory.Size()
					}
				}
				if size := i.guest.memory.Size(); size > early {
					t.Errorf("the memory grew from %d to %d bytes", early, size)
				}
			})
		}
	}
}

// The commands of each SDK's README, from an empty folder to a handler that the host runs.
func TestSDKReadmes(t *testing.T) {
	for _, l := range languages {
		t.Run(l.sdk, func(t *testing.T) {
			sdk, err := filepath.Abs("../../plugins/sdk/" + l.sdk)
			if err != nil {
				t.Fatal(err)
			}
			readme, err := os.ReadFile(filepath.Join(sdk, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			_, after, found := strings.Cut(string(readme), "\n```sh\n")
			commands, _, ends := strings.Cut(after, "\n```\n")
			if !found || !ends {
				t.Fatal("the README has no commands")
			}
			shell := exec.Command("sh", "-eu", "-c", commands)
			shell.Dir = t.TempDir()
			shell.Env = append(os.Environ(), "SDK="+sdk)
			needCompiler(t, shell)

			wasm, err := os.ReadFile(filepath.Join(shell.Dir, "failed", "handler.wasm"))
			if err != nil {
				t.Fatal(err)
			}
			host, _ := testHost(t)
			i := instance(t, host,
				Spec{Listener: "pods", Wasm: wasm, Limits: Limits{Deadline: 10 * time.Second}})
			for phase, want := range map[string]Verdict{"Failed": Done, "Running": Drop} {
				text := strings.Replace(podText, `"phase":"Running"`, `"phase":"`+phase+`"`, 1)
				if r, err := i.Handle(t.Context(),
					event.Event{Op: event.Add, Object: newObject(t, text)}); err != nil ||
					r.Verdict != want {
					t.Errorf("%s: got %v, %v", phase, r.Verdict, err)
				}
			}
		})
	}
}

func BenchmarkGuestExamples(b *testing.B) {
	add := event.Event{Op: event.Add, Object: newObject(b, podText)}
	for _, l := range languages {
		for _, name := range l.examples {
			host, _ := testHost(b)
			wasm := guestExample(b, name)
			config := map[string]string{"cost-labels": `{"labels":{"app":[]}}`,
				"requests-patch": `{"requests":{"cpu":"1"}}`}[name]
			handler, err := host.Load(b.Context(),
				Spec{Listener: "pods", Wasm: wasm, Config: []byte(config),
					Grants: exampleGrants(name)})
			if err != nil {
				b.Fatal(err)
			}
			b.Run(name+"/instance", func(b *testing.B) {
				b.ReportMetric(float64(len(wasm)), "B/module")
				for b.Loop() {
					i, err := handler.NewInstance(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					i.Close(b.Context())
				}
			})
			b.Run(name+"/event", func(b *testing.B) {
				i, err := handler.NewInstance(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				defer i.Close(b.Context())
				for b.Loop() {
					if _, err := i.Handle(b.Context(), add); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
