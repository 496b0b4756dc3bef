package plugins

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// cGuest builds a guest from a text.
func cGuest(t testing.TB, text string) []byte {
	t.Helper()
	source := filepath.Join(t.TempDir(), "guest.c")
	if err := os.WriteFile(source, []byte("#include \"informerd.h\"\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	return buildGuest(t, "c", source)
}

const cFields = `static informerd_path name, phase;
static bool configure(void) { return informerd_compile(&name, T("metadata.name")) && informerd_compile(&phase, T("status.phase")); }
static informerd_verdict look(const informerd_event *e) {
  return informerd_equal(informerd_get_string(e->object, &name), T("web-1")) && informerd_has(e->object, &phase) ? INFORMERD_DROP
                                                                                                     : INFORMERD_DONE;
}
`

// A handler without on_event gets the events that come alone as batches of one.
func TestCBatchOfOne(t *testing.T) {
	host, _ := testHost(t)
	i := instance(t, host, testSpec(cGuest(t, cFields+`
static informerd_verdict on_batch(informerd_batch *b) {
  while (informerd_next(b)) if (look(&b->event) == INFORMERD_DROP) informerd_set_verdict(b, INFORMERD_DROP);
  return b->count == 1 ? INFORMERD_FAIL : INFORMERD_RETRY;
}
const informerd_registration informerd_handler = {configure};
informerd_batch_handler(on_batch);
`)))
	expectVerdict(t, i, podAdd(t), Drop)
	other := event.Event{Op: event.Add,
		Object: newObject(t, strings.Replace(podText, "web-1", "web-2", 1))}
	expectVerdict(t, i, other, Fail)
	results, err := i.HandleBatch(t.Context(), []event.Event{other, podAdd(t)})
	if got := texts(results); err != nil || got != "retry, drop" {
		t.Errorf("got %s, %v", got, err)
	}
}

// A guest exports and imports what its handler uses, and little else: what it imports is its
// request for rights. Only the reason why configure refuses is in all of them.
func TestCGuestsImportWhatTheyUse(t *testing.T) {
	use := func(code string) string {
		return `static informerd_verdict on_event(const informerd_event *e) { (void)e; ` + code +
			` return INFORMERD_DONE; }
const informerd_registration informerd_handler = {0, on_event};`
	}
	for _, test := range []struct {
		name, text string
		batches    bool
		imports    []string
	}{
		{"nothing", use(""), false, nil},
		{"fields", cFields + "const informerd_registration informerd_handler = {configure, look};",
			false,
			[]string{abi.ModuleEvent + " field", abi.ModuleEvent + " path",
				abi.ModuleEvent + " prefetch"}},
		{"one word of each kind",
			use(`informerd_text v; char b[4]; informerd_kv_get(T("k"), &v); informerd_random(b, 4);
			informerd_http_header(T("h")); informerd_cache(T("pods"));`), false,
			[]string{abi.ModuleCache + " resource", abi.ModuleHTTP + " header",
				abi.ModuleKV + " get", abi.ModuleRandom + " fill"}},
		{"other words", use(`bool b; informerd_kv_cas(T("k"), 0, T("v"), 0, &b); informerd_kv_set(T("k"), T("v"), 0);
			informerd_kv_delete(T("k")); informerd_http_body(); if (informerd_now() == 0) return INFORMERD_DROP;`), false,
			[]string{abi.ModuleClock + " now_ns", abi.ModuleHTTP + " body", abi.ModuleKV + " cas",
				abi.ModuleKV + " delete", abi.ModuleKV + " set"}},
		{"a batch", `static informerd_verdict on_batch(informerd_batch *b) { while (informerd_next(b)) {} return INFORMERD_DONE; }
const informerd_registration informerd_handler = {0};
informerd_batch_handler(on_batch);`, true, []string{abi.ModuleEvent + " next"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, err := wasmbin.Parse(cGuest(t, test.text))
			if err != nil {
				t.Fatal(err)
			}
			var imports []string
			for _, i := range m.Imports {
				imports = append(imports, i.Module+" "+i.Name)
			}
			slices.Sort(imports)
			if want := append(test.imports, abi.ModuleResult+" error"); !slices.Equal(imports,
				want) {
				t.Errorf("it imports %v, want %v", imports, want)
			}
			if _, batches := m.Export(abi.ExportOnBatch); batches != test.batches {
				t.Errorf("on_batch is exported: %v, want %v", batches, test.batches)
			}
		})
	}
}
