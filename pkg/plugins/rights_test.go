package plugins

import (
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// grantedModules are the modules whose functions read what they are given by the guest.
var grantedModules = []string{abi.ModuleHTTP, abi.ModuleCache}

// withRights grants http and cache, with something to read.
func withRights(t testing.TB, spec Spec) Spec {
	spec.Grants.HTTP = &HTTPGrant{Allow: []string{"https://hooks.example.com/"}}
	spec.Grants.Cache = &CacheGrant{Informers: []string{"owners", "nodes"}}
	spec.Caches = ownersAndNodes(t)
	return spec
}

// Without the grant, a module is refused whatever it imports of it.
func TestGrantsAreNeeded(t *testing.T) {
	for _, f := range abi.Imports {
		grant, needed := abi.Grants[f.Module]
		if !needed {
			continue
		}
		host, _ := testHost(t)
		spec := testSpec(onEvent(guestModule(f), konst(0)))
		spec.Grants = Grants{}
		_, err := host.Load(t.Context(), spec)
		want := fmt.Sprintf(`listener "pods": handler guest.wasm: import %q of module %q: this needs the grant %q, `+
			"which the configuration does not have", f.Name, f.Module, grant)
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// What each function answers outside of on_event.
func TestRightsHaveTheirPhases(t *testing.T) {
	for _, module := range grantedModules {
		for _, f := range hostFunctions {
			name := f.Name
			if f.Module != module {
				continue
			}
			want := abi.WrongPhase
			if name == "resource" {
				want = abi.Denied // of the empty name
			}
			m := guestModule(f)
			args := make([]int64, len(f.Params))
			// The status, made positive, is the result of configure, and also of a run of
			// _initialize that has to do with it.
			m.Global(0)
			// i32.wrap, global.set
			m.Func("_initialize", "", "", "", resultOf(f, 0, args), []byte{0xa7}, []byte{0x24, 0})
			// 0 - result, times the first
			m.Func("configure", "", "i", "", konst64(0), resultOf(f, 0, args),
				[]byte{0x7d, 0xa7, 0x23, 0, 0x6c})
			host, _ := testHost(t)
			_, err := host.Load(t.Context(), withRights(t, testSpec(onEvent(m, konst(0)))))
			got := fmt.Sprintf(
				`listener "pods": handler guest.wasm: handler refuses its configuration: result %d, without a reason`,
				-int32(want)*int32(want))
			if err == nil || err.Error() != got {
				t.Errorf("%s %s: got %v, want %s", module, name, err, got)
			}
		}
	}
}

// Every pointer that a function takes may be bad, and then the guest is to blame and nobody else.
func TestRightsWithBadPointers(t *testing.T) {
	type bad struct {
		module, name string
		args         []int64
		want         string
	}
	const behind, far = "it passed a range of 4 bytes at address 65534, its memory has 65536 bytes",
		"it passed a range of 4294967295 bytes at address 4294967295, its memory has 65536 bytes"
	tests := []bad{
		{abi.ModuleHTTP, "request", []int64{65534, 4, 0, 0}, behind},
		{abi.ModuleHTTP, "request", []int64{-1, -1, 0, 0}, far},
		{abi.ModuleHTTP, "request", []int64{0, 0, 65534, 4}, behind},
		{abi.ModuleHTTP, "request", []int64{0, 0, -1, -1}, far},
		{abi.ModuleHTTP, "header", []int64{65534, 4, 0, 0}, behind},
		{abi.ModuleHTTP, "header", []int64{-1, -1, 0, 0}, far},
		{abi.ModuleCache, "resource", []int64{65534, 4}, behind},
		{abi.ModuleCache, "resource", []int64{-1, -1}, far},
	}
	for _, name := range []string{"get", "by_index"} {
		tests = append(tests,
			bad{abi.ModuleCache, name, []int64{0, 65534, 4, 0, 0}, behind}, bad{abi.ModuleCache,
				name, []int64{0, -1, -1, 0, 0}, far},
			bad{abi.ModuleCache, name, []int64{0, 0, 0, 65534, 4}, behind}, bad{abi.ModuleCache,
				name, []int64{0, 0, 0, -1, -1}, far})
	}
	for _, test := range tests {
		host, _ := testHost(t)
		i := instance(t, host,
			withRights(t, testSpec(probe(imported(test.module, test.name), nil, test.args...))))
		expectProtocolError(t, i, fmt.Sprint(test.name, test.args), test.want)
	}
}
