package plugins

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// stores are the caches of tests: objects by informer, and an index "app" over their label of that
// name.
type stores map[string][]*object.Object

func (s stores) Get(informer, namespace, name string) *object.Object {
	for _, o := range s[informer] {
		if o.Namespace() == namespace && o.Name() == name {
			return o
		}
	}
	return nil
}

func (s stores) ByIndex(informer, index, value string) (found []*object.Object) {
	for _, o := range s[informer] {
		if app, ok := o.Label("app"); ok && index == "app" && app == value {
			found = append(found, o)
		}
	}
	return found
}

// ownersAndNodes has objects that are alike, so that most are packed.
func ownersAndNodes(t testing.TB) stores {
	t.Helper()
	var p object.Parser
	parse := func(text string) *object.Object {
		o, _, err := p.ParseItem([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	s := stores{}
	for _, key := range []string{"shop/web", "shop/db", "pay/web"} {
		namespace, name, _ := strings.Cut(key, "/")
		s["owners"] = append(s["owners"],
			parse(fmt.Sprintf(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":%q,`+
				`"namespace":%q,"uid":"u","resourceVersion":"1","labels":{"app":%[1]q},"annotations":{"more":"%[3]s","note":"a \"quoted\" word, %[3]s"}},`+
				`"spec":{"replicas":3,"paused":null},"status":{"replicas":3}}`, name, namespace,
				strings.Repeat("much text ", 50))))
	}
	s["nodes"] = append(s["nodes"],
		parse(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","uid":"u","resourceVersion":"1"}}`))
	if o := s["owners"][1]; o.Memory() >= o.Size() {
		t.Fatalf("an object of %d bytes takes %d: it is not packed", o.Size(), o.Memory())
	}
	return s
}

// reading is a guest that runs calls of cache.v1 for each event and keeps their results, i64 each,
// from address 0. Texts stand from 8192 on, in their order; the handles of paths are those of their
// order, too.
type reading struct {
	m     *wasmtest.Module
	code  [][]byte
	at    map[string]int32
	texts int32
	calls int32
}

var cacheImports = []string{"resource", "get", "by_index", "iter_next", "iter_field",
	"iter_close"}

func newReading(paths ...string) *reading {
	fs := []abi.Function{imported(abi.ModuleEvent, "path")}
	for _, name := range cacheImports {
		fs = append(fs, imported(abi.ModuleCache, name))
	}
	r := &reading{m: guestModule(fs...), at: map[string]int32{}, texts: 8192}
	var configure [][]byte
	for _, p := range paths {
		text := r.text(p)
		configure = append(configure, konst(int32(text[0])), konst(int32(text[1])), invoke(0), drop)
	}
	r.m.Func("configure", "", "i", "", append(configure, konst(0))...)
	return r
}

// text returns the address and the length of a text.
func (r *reading) text(s string) []int64 {
	at, ok := r.at[s]
	if !ok {
		at = r.texts
		r.at[s] = at
		r.m.Data(at, s)
		r.texts += int32(len(s))
	}
	return []int64{int64(at), int64(len(s))}
}

// call adds one. Arguments are numbers and texts.
func (r *reading) call(name string, args ...any) *reading {
	var numbers []int64
	for _, a := range args {
		switch a := a.(type) {
		case int:
			numbers = append(numbers, int64(a))
		case string:
			numbers = append(numbers, r.text(a)...)
		}
	}
	for n, function := range cacheImports {
		if function == name {
			r.code = append(r.code,
				wasmtest.Store64(8*r.calls, resultOf(imported(abi.ModuleCache, name), uint32(n+1),
					numbers)))
		}
	}
	r.calls++
	return r
}

// instance loads the guest.
func (r *reading) instance(t testing.TB, grant CacheGrant, caches Caches) *Instance {
	t.Helper()
	host, _ := testHost(t)
	spec := testSpec(onEvent(r.m, append(r.code, konst(0))...))
	spec.Grants.Cache, spec.Caches = &grant, caches
	return instance(t, host, spec)
}

// results passes an event to the guest, and returns its results.
func (r *reading) results(t *testing.T, i *Instance) string {
	t.Helper()
	expectVerdict(t, i, podAdd(t), Done)
	var got []string
	for n := range r.calls {
		result, _ := i.guest.memory.ReadUint64Le(uint32(8 * n))
		got = append(got, fmt.Sprint(int64(result)))
	}
	return strings.Join(got, " ")
}

func both() CacheGrant { return CacheGrant{Informers: []string{"owners", "nodes"}} }

func TestCacheGet(t *testing.T) {
	const room = 1024
	r := newReading("spec.replicas", `metadata.annotations["note"]`, "spec.paused", "spec.nothing",
		"metadata.labels")
	r.call("resource", "owners").call("resource", "nodes").call("resource",
		"owners").call("resource", "secrets")
	r.call("get", 0, "shop", "db").call("get", 1, "", "n1").call("get", 0, "shop",
		"gone").call("get", 0, "", "db")
	for path := range 5 {
		r.call("iter_field", 0, path, room, 1000)
		if path == 0 {
			r.call("iter_field", 0, 0, 4096, 0) // too little room
		}
	}
	r.call("iter_field", 1, -1, 4000, 1000).call("iter_next", 0).call("iter_field", 0, 0, room,
		1000)
	i := r.instance(t, both(), ownersAndNodes(t))
	node := ownersAndNodes(t)["nodes"][0].JSON()
	want := "0 1 0 -3 " + "0 1 -1 -1 " +
		fmt.Sprint(abi.PackField(abi.TagNumber, 1), abi.PackField(abi.TagNumber, 1),
			abi.PackField(abi.TagString, 517),
			abi.PackField(abi.TagNull, 4), 0, abi.PackField(abi.TagObject, 12),
			abi.PackField(abi.TagObject, uint32(len(node)))) + " 0 -1"
	for range 3 { // numbers begin at 0 with each event
		if got := r.results(t, i); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if text, _ := i.guest.memory.Read(room, 30); !strings.HasPrefix(string(text),
			`{"app":"db"}`) {
			t.Errorf("it read %q", text)
		}
		if text, _ := i.guest.memory.Read(4000, uint32(len(node))); string(text) != node {
			t.Errorf("it read %q", text)
		}
		if text, _ := i.guest.memory.Read(4096+200, 1); text[0] != 0 {
			t.Errorf("it was written %q without room", text)
		}
	}
}

func TestCacheStrings(t *testing.T) {
	r := newReading(`metadata.annotations["note"]`).call("get", 0, "shop", "db").call("iter_field",
		0, 0, 1024, 1000)
	i := r.instance(t, both(), ownersAndNodes(t))
	r.results(t, i)
	if text, _ := i.guest.memory.Read(1024, 15); string(text) != `a "quoted" word` {
		t.Errorf("it read %q", text)
	}
}

func TestCacheByIndex(t *testing.T) {
	r := newReading("metadata.namespace")
	r.call("by_index", 0, "app", "web").call("iter_field", 0, 0, 1024, 9)
	r.call("iter_next", 0).call("iter_field", 0, 0, 1024, 9)
	r.call("by_index", 0, "app", "db").call("iter_next", 1).call("iter_field", 1, 0, 1040,
		9).call("iter_next", 1)
	r.call("iter_next", 0).call("iter_field", 0, 0, 1032, 9)
	r.call("iter_next", 0).call("iter_field", 0, 0, 1024, 9).call("iter_next", 0)
	r.call("by_index", 0, "app", "nothing").call("iter_next", 2)
	r.call("by_index", 0, "no index", "web").call("iter_next", 3)
	i := r.instance(t, both(), ownersAndNodes(t))
	shop, pay := fmt.Sprint(abi.PackField(abi.TagString, 4)),
		fmt.Sprint(abi.PackField(abi.TagString, 3))
	want := "0 -1 1 " + shop + " 1 1 " + shop + " 0 1 " + pay + " 0 -1 0 2 0 3 0"
	if got := r.results(t, i); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	text, _ := i.guest.memory.Read(1024, 20)
	if got := string(text); got != "shop\x00\x00\x00\x00pay\x00\x00\x00\x00\x00shop" {
		t.Errorf("it read %q", got)
	}
}

func TestCacheIteratorsAreClosed(t *testing.T) {
	r := newReading("spec.replicas")
	r.call("get", 0, "shop", "db").call("iter_close", 0)
	r.call("iter_close", 0).call("iter_next", 0).call("iter_field", 0, 0, 1024, 9) // no more
	r.call("by_index", 0, "app", "web").call("iter_field", 0, 0, 1024, 9).call("get", 0, "shop",
		"db").call("iter_close", 0)
	r.call("get", 0, "shop", "web").call("iter_close", -1).call("iter_close", 2)
	i := r.instance(t, both(), ownersAndNodes(t))
	want := "0 0 -2 -2 -2 0 -1 1 0 0 -2 -2"
	for range 2 {
		if got := r.results(t, i); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		for n, it := range i.guest.cache.iterators {
			if it.open || it.current != nil || it.objects != nil {
				t.Errorf("iterator %d is left as %+v", n, it)
			}
		}
	}
}

func TestCacheArguments(t *testing.T) {
	long := strings.Repeat("x", abi.MaxLookup+1)
	r := newReading("spec.replicas")
	r.call("get", 2, "shop", "db").call("get", -1, "shop", "db").call("get", 0, long,
		"db").call("get", 0, "shop", long)
	r.call("by_index", 2, "app", "db").call("by_index", 0, long, "db").call("by_index", 0, "app",
		long)
	r.call("resource", long).call("resource", "").call("get", 0, "shop", long[1:])
	r.call("get", 0, "shop", "db").call("iter_field", 0, 1, 1024, 9).call("iter_field", 0, -2, 1024,
		9).call("iter_field", 1, 0, 1024, 9)
	want := "-2 -2 -2 -2 -2 -2 -2 -2 -3 -1 0 -2 -2 -2"
	if got := r.results(t, r.instance(t, both(), ownersAndNodes(t))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r = newReading().call("resource", "owners").call("get", 0, "shop", "db").call("by_index", 0,
		"app", "db")
	if got := r.results(t, r.instance(t, both(), nil)); got != "0 -5 -5" {
		t.Errorf("without caches: got %s", got)
	}
}

func TestCacheNamespaces(t *testing.T) {
	for _, test := range []struct {
		namespaces []string
		want       string // shop/web, pay/web, the node; those of the index
	}{
		{nil, "0 1 2 3 1 1 0"},
		{[]string{"shop"}, "0 -3 -3 1 1 0 0"},
		{[]string{"pay"}, "-3 0 -3 1 1 0 0"},
		{[]string{"", "pay"}, "-3 0 1 2 1 0 0"},
		{[]string{""}, "-3 -3 0 1 0 0 0"},
	} {
		r := newReading().call("get", 0, "shop", "web").call("get", 0, "pay", "web").call("get", 1,
			"", "n1").call("by_index", 0, "app", "web")
		for range 3 {
			it := strings.Fields(test.want)[3]
			r.call("iter_next", int(it[0]-'0'))
		}
		grant := both()
		grant.Namespaces = test.namespaces
		if got := r.results(t, r.instance(t, grant, ownersAndNodes(t))); got != test.want {
			t.Errorf("%q: got %s, want %s", test.namespaces, got, test.want)
		}
	}
}

// A store that returns what was not asked for does not widen the grant.
func TestCacheNamespacesOfWhatWasFound(t *testing.T) {
	r := newReading().call("get", 0, "shop", "web")
	grant := both()
	grant.Namespaces = []string{"shop"}
	if got := r.results(t, r.instance(t, grant, wrongStore{ownersAndNodes(t)})); got != "-1" {
		t.Errorf("got %s", got)
	}
}

type wrongStore struct{ stores }

func (w wrongStore) Get(string, string, string) *object.Object { return w.stores["owners"][2] }

func TestCacheQuotas(t *testing.T) {
	owners := ownersAndNodes(t)
	size := int64(owners["owners"][0].Size())
	read := func() *reading {
		return newReading("spec.replicas").call("get", 0, "shop", "web").call("by_index", 0, "app",
			"web").call("iter_next", 1).
			call("iter_next", 1).call("iter_field", 1, 0, 1024, 9).call("iter_next", 1).call("get",
			0, "shop", "gone").call("get", 0, "shop", "web")
	}
	number := fmt.Sprint(abi.PackField(abi.TagNumber, 1))
	for _, test := range []struct {
		grant CacheGrant
		want  string
	}{
		{CacheGrant{}, "0 1 1 1 " + number + " 0 -1 2"},
		{CacheGrant{MaxItems: 4}, "0 1 1 1 " + number + " 0 -1 2"},
		{CacheGrant{MaxItems: 3}, "0 1 1 1 " + number + " 0 -1 -4"},
		{CacheGrant{MaxItems: 2}, "0 1 1 -4 -1 -4 -1 -4"},
		{CacheGrant{MaxBytes: 2*size + 1}, "0 1 1 -4 -1 -4 -1 -4"},
		{CacheGrant{MaxBytes: size - 1}, "-4 0 -2 -2 -2 -2 -1 -4"},
	} {
		test.grant.Informers = both().Informers
		r := read()
		i := r.instance(t, test.grant, owners)
		for range 2 { // quotas are for each event
			if got := r.results(t, i); got != test.want {
				t.Errorf("%+v: got  %s\nwant %s", test.grant, got, test.want)
			}
		}
	}
	r := newReading()
	want := ""
	for n := range abi.MaxIterators {
		r.call([]string{"get", "by_index"}[n%2], 0, "shop", "web")
		want += fmt.Sprint(n, " ")
	}
	r.call("get", 0, "shop", "web").call("by_index", 0, "app", "web").call("iter_close",
		3).call("get", 0, "shop", "web")
	i := r.instance(t, both(), owners)
	for range 2 {
		if got := r.results(t, i); got != want+"-4 -4 0 3" {
			t.Errorf("got %s", got)
		}
		if n := len(i.guest.cache.iterators); n != 4 {
			t.Errorf("%d iterators are kept", n)
		}
	}
}

func TestCacheFieldWithBadPointers(t *testing.T) {
	for _, test := range []struct {
		ptr, room int
		want      string
	}{
		{65535, 4, "it passed a range of 4 bytes at address 65535, its memory has 65536 bytes"},
		{-1, -1, "it passed a range of 4 bytes at address 4294967295, its memory has 65536 bytes"},
	} {
		r := newReading("spec.paused").call("get", 0, "shop", "db").call("iter_field", 0, 0,
			test.ptr, test.room)
		expectProtocolError(t, r.instance(t, both(), ownersAndNodes(t)), "iter_field", test.want)
	}
}

func TestCacheGrantIsChecked(t *testing.T) {
	host, _ := testHost(t)
	for _, test := range []struct {
		grant CacheGrant
		want  string
	}{
		{CacheGrant{}, "informers is empty: name at least one"},
		{CacheGrant{Informers: []string{"a", ""}}, "an informer has no name"},
		{CacheGrant{Informers: []string{"a", "b", "a"}}, `duplicate informer "a"`},
		{CacheGrant{Informers: []string{"a"}, MaxItems: -1},
			"max items is -1, it must be positive"},
		{CacheGrant{Informers: []string{"a"}, MaxBytes: -1},
			"max bytes is -1, it must be positive"},
	} {
		spec := testSpec(nothing())
		spec.Grants.Cache = &test.grant
		_, err := host.Load(t.Context(), spec)
		if want := `listener "pods": handler guest.wasm: grants: cache: ` + test.want; err == nil ||
			err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// Get, field, field: what an owner lookup does for each event.
func BenchmarkCache(b *testing.B) {
	owners := ownersAndNodes(b)
	for _, bench := range []struct{ name, object string }{{"plain", "web"}, {"packed", "db"}} {
		b.Run(bench.name, func(b *testing.B) {
			r := newReading("spec.replicas", "metadata.labels").call("get", 0, "shop",
				bench.object).
				call("iter_field", 0, 0, 1024, 99).call("iter_field", 0, 1, 1024, 99)
			i := r.instance(b, both(), owners)
			e := podAdd(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := i.Handle(b.Context(), e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
