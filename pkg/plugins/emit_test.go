package plugins

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// emission is one call of emit, with the status it must get.
type emission struct {
	kind   abi.EmitKind
	text   string
	status abi.Status
}

// refusals are how many of them are not taken.
func refusals(emissions []emission) (n int) {
	for _, e := range emissions {
		if e.status != 0 {
			n++
		}
	}
	return n
}

// emitting is a guest that emits and traps if a status is not the one expected.
func emitting(verdict Verdict, emissions ...emission) []byte {
	m := guestModule(imported(abi.ModuleResult, "emit"))
	at := int32(1024)
	var code [][]byte
	for _, e := range emissions {
		m.Data(at, e.text)
		notEqual := []byte{0x47}
		code = append(code, konst(int32(e.kind)), konst(at), konst(int32(len(e.text))), invoke(0),
			konst(int32(e.status)), notEqual, wasmtest.If(unreachable))
		at += int32(len(e.text))
	}
	return onEvent(m, append(code, konst(int32(verdict)))...)
}

func TestEmit(t *testing.T) {
	const event, data = abi.EmitEvent, abi.EmitData
	good := `{"type":"com.example.a","data":{"n":1}}`
	long := strings.Repeat("x", 256)
	for _, test := range []struct {
		name string
		emit []emission
		want []Emission
	}{
		{"event", []emission{{event, good, 0}}, []Emission{{Kind: event, Data: []byte(good)}}},
		{"two events and data", []emission{{event, good, 0}, {data, `[1]`, 0}, {event, good, 0}},
			[]Emission{{Kind: event, Data: []byte(good)}, {Kind: data, Data: []byte(`[1]`)}, {
				Kind: event, Data: []byte(good)}}},
		{"event without data", []emission{{event, `{"type":"a"}`, 0}},
			[]Emission{{Kind: event, Data: []byte(`{"type":"a"}`)}}},
		{"null as data", []emission{{data, `null`, 0}},
			[]Emission{{Kind: data, Data: []byte(`null`)}}},
		{"the longest type", []emission{{event, `{"type":"` + long + `"}`, 0}},
			[]Emission{{Kind: event, Data: []byte(`{"type":"` + long + `"}`)}}},
		{"type too long", []emission{{event, `{"type":"` + long + `x"}`, abi.BadArgument}}, nil},
		{"no type", []emission{{event, `{"data":1}`, abi.BadArgument}}, nil},
		{"empty type", []emission{{event, `{"type":""}`, abi.BadArgument}}, nil},
		{"type with a space", []emission{{event, `{"type":"a b"}`, abi.BadArgument}}, nil},
		{"type with a newline", []emission{{event, `{"type":"a\nb"}`, abi.BadArgument}}, nil},
		{"type beyond ASCII", []emission{{event, `{"type":"é"}`, abi.BadArgument}}, nil},
		{"type is a number", []emission{{event, `{"type":1}`, abi.BadArgument}}, nil},
		{"type in capitals", []emission{{event, `{"Type":"a"}`, abi.BadArgument}}, nil},
		{"unknown field", []emission{{event, `{"type":"a","subject":"b"}`, abi.BadArgument}}, nil},
		{"reserved type", []emission{{event, `{"type":"dev.informerd.object.added"}`, abi.Denied}},
			nil},
		{"event is an array", []emission{{event, `["type"]`, abi.BadArgument}}, nil},
		{"event is null", []emission{{event, `null`, abi.BadArgument}}, nil},
		{"not JSON", []emission{{data, `{`, abi.BadArgument}, {event, `x`, abi.BadArgument}}, nil},
		{"two JSON values", []emission{{data, `1 2`, abi.BadArgument}}, nil},
		{"nothing", []emission{{data, ``, abi.BadArgument}}, nil},
		{"not UTF-8", []emission{{data, "\"\xff\"", abi.BadArgument}}, nil},
		{"data twice", []emission{{data, `1`, 0}, {
			data, `2`, abi.Quota}}, []Emission{{Kind: data, Data: []byte(`1`)}}},
		{"data again after bad data", []emission{{data, `x`, abi.BadArgument}, {
			data, `2`, 0}}, []Emission{{Kind: data, Data: []byte(`2`)}}},
		{"unknown kind", []emission{{0, good, abi.BadArgument}, {3, good, abi.BadArgument}, {
			-1, good, abi.BadArgument}}, nil},
		{"too many bytes", []emission{{data, `"` + strings.Repeat("y", 600) + `"`, 0},
			{event, `{"type":"` + strings.Repeat("y", 400) + `"}`, abi.Quota}},
			[]Emission{{Kind: data, Data: []byte(`"` + strings.Repeat("y", 600) + `"`)}}},
		{"too many", []emission{{event, good, 0}, {event, good, 0}, {event, good, 0}, {
			event, good, 0}, {event, good, abi.Quota}},
			[]Emission{{Kind: event, Data: []byte(good)}, {Kind: event, Data: []byte(good)}, {
				Kind: event, Data: []byte(good)}, {Kind: event, Data: []byte(good)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			host, _ := testHost(t)
			spec := testSpec(emitting(Done, test.emit...))
			spec.Grants.Emit = &EmitGrant{Count: 4, Bytes: 1000}
			i := instance(t, host, spec)
			for range 2 { // quotas are for each event
				r, err := i.Handle(t.Context(), podAdd(t))
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(r.Emitted, test.want) || r.Refused != refusals(test.emit) {
					t.Errorf("got  %v, %d refused\nwant %v", r.Emitted, r.Refused, test.want)
				}
			}
		})
	}
}

// What is refused is counted for the event that it was emitted for, in batches as well.
func TestRefusedEmissionsOfABatch(t *testing.T) {
	m := guestModule(imported(abi.ModuleEvent, "next"), imported(abi.ModuleResult, "emit"))
	m.Data(4096, `[1]`)
	emit := slices.Concat(konst(int32(abi.EmitData)), konst(4096), konst(3), invoke(1), drop)
	wasm := onBatch(m, forEach(isOp(event.Update), wasmtest.If(emit, emit, emit)),
		konst(int32(Done)))
	host, _ := testHost(t)
	results, err := instance(t, host, testSpec(wasm)).HandleBatch(t.Context(),
		batchOf(t, event.Update, event.Add, event.Update))
	if err != nil || len(results) != 3 {
		t.Fatalf("%v, %v", results, err)
	}
	for n, want := range []int{2, 0, 2} {
		if results[n].Refused != want {
			t.Errorf("event %d: %d refused, want %d", n, results[n].Refused, want)
		}
	}
}

func TestEmissionsCountOnlyIfDone(t *testing.T) {
	for verdict := Done; verdict <= Fail; verdict++ {
		host, _ := testHost(t)
		i := instance(t, host, testSpec(emitting(verdict, emission{abi.EmitData, "1", 0})))
		r, err := i.Handle(t.Context(), podAdd(t))
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != verdict || (len(r.Emitted) == 1) != (verdict == Done) {
			t.Errorf("%v: got %v", verdict, r)
		}
	}
}

// What a flood of emissions costs is bounded: the host takes the first and refuses the rest.
func TestEmitFlood(t *testing.T) {
	m := guestModule(imported(abi.ModuleResult, "emit"))
	m.Data(0, `{"type":"a"}`)
	wasm := onEvent(m, wasmtest.Times(4, 100_000, konst(1), konst(0), konst(12), invoke(0), drop),
		konst(0))
	host, _ := testHost(t)
	r, err := instance(t, host, testSpec(wasm)).Handle(t.Context(), podAdd(t))
	if err != nil || len(r.Emitted) != 64 || r.Refused != 100_000-64 {
		t.Errorf("got %d emissions, %d refused, %v", len(r.Emitted), r.Refused, err)
	}
}

func TestEmissionEvent(t *testing.T) {
	typ, data, err := Emission{Kind: abi.EmitEvent,
		Data: []byte(`{"data": {"n": 1.50}, "type": "a.b"}`)}.Event()
	if typ != "a.b" || string(data) != `{"n": 1.50}` || err != nil {
		t.Errorf("got %q, %q, %v", typ, data, err)
	}
	if _, _, err := (Emission{Kind: abi.EmitData,
		Data: []byte(`{"type":"a"}`)}).Event(); err == nil {
		t.Error("data was taken for an event")
	}
}

func TestMessage(t *testing.T) {
	m := guestModule(imported(abi.ModuleResult, "error"))
	m.Data(0, "first\xff"+strings.Repeat("z", 8000))
	code := [][]byte{konst(0), konst(7), invoke(0), local(0), konst(1), []byte{0x46},
		wasmtest.If(konst(3), wasmtest.Return),
		konst(6), konst(5000), invoke(0), konst(2)}
	host, _ := testHost(t)
	i := instance(t, host, testSpec(onEvent(m, code...)))
	r, err := i.Handle(t.Context(), podAdd(t))
	if r.Verdict != Fail || r.Message != "first\uFFFDz" || err != nil {
		t.Errorf("got %v, %v", r, err)
	}
	r, err = i.Handle(t.Context(), resyncEvent(t))
	if r.Verdict != Retry || r.Message != strings.Repeat("z", abi.MaxMessage) || err != nil {
		t.Errorf("got %d bytes, %v", len(r.Message), err)
	}
}

// What configure says is for a refusal; it is no reason of the first event's.
func TestMessageOfConfigureIsNoEventsOwn(t *testing.T) {
	m := guestModule(imported(abi.ModuleResult, "error"))
	m.Func("configure", "", "i", "", konst(0), konst(4), invoke(0), konst(0))
	host, _ := testHost(t)
	r, err := instance(t, host, testSpec(onEvent(m, konst(int32(Retry))))).Handle(t.Context(),
		podAdd(t))
	if err != nil || r.Verdict != Retry || r.Message != "" {
		t.Errorf("got %+v, %v", r, err)
	}
}
