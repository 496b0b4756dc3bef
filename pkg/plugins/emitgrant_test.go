package plugins

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

func TestEmitGrant(t *testing.T) {
	const event, data = abi.EmitEvent, abi.EmitData
	typed := func(typ string) string { return `{"type":"` + typ + `"}` }
	for _, test := range []struct {
		name  string
		grant EmitGrant
		emit  []emission
		taken int
	}{
		{"the zero grant", EmitGrant{}, []emission{{event, typed("a"), 0}, {data, "1", 0}}, 2},
		{"nothing", EmitGrant{Kinds: []abi.EmitKind{}},
			[]emission{{event, typed("a"), abi.Denied}, {data, "1", abi.Denied}}, 0},
		{"events", EmitGrant{Kinds: []abi.EmitKind{event}}, []emission{{event, typed("a"), 0}, {
			data, "1", abi.Denied}}, 1},
		{"data", EmitGrant{Kinds: []abi.EmitKind{data}},
			[]emission{{event, typed("a"), abi.Denied}, {data, "1", 0}}, 1},
		{"no kind at all", EmitGrant{Kinds: []abi.EmitKind{}},
			[]emission{{3, typed("a"), abi.BadArgument}}, 0},
		{"a denied kind is not looked at", EmitGrant{Kinds: []abi.EmitKind{data}},
			[]emission{{event, "{", abi.Denied}}, 0},
		{"types", EmitGrant{Types: []string{"com.example.", "org.one"}}, []emission{
			{event, typed("com.example.a"), 0}, {event, typed("com.example."), 0}, {
				event, typed("com.example.a.b"), 0}, {event, typed("org.one"), 0},
			{event, typed("com.example"), abi.Denied}, {event, typed("com.examples"), abi.Denied}, {
				event, typed("org.one.a"), abi.Denied},
			{event, typed("org.on"), abi.Denied}, {event, typed("COM.example.a"), abi.Denied}, {
				event, typed("a.com.example.b"), abi.Denied},
			{event, "{", abi.BadArgument}, {data, "1", 0},
		}, 5},
		{"reserved types", EmitGrant{Types: []string{"dev.informerd."}}, []emission{
			{event, typed("dev.informerd.object.added"), abi.Denied}, {
				event, typed("dev.informerd.x"), 0},
		}, 1},
		{"count", EmitGrant{Count: 2}, []emission{{event, typed("a"), 0}, {event, typed("a"), 0}, {
			event, typed("a"), abi.Quota}}, 2},
		{"bytes", EmitGrant{Bytes: 13}, []emission{{event, typed("a"), 0}, {data, "1", 0}, {
			data, "2", abi.Quota}}, 2},
		{"denied before quota", EmitGrant{Count: 1, Kinds: []abi.EmitKind{data}},
			[]emission{{data, "1", 0}, {event, typed("a"), abi.Denied}}, 1},
		{"more than without it", EmitGrant{Count: 65},
			slices.Repeat([]emission{{event, typed("a"), 0}}, 65), 65},
	} {
		t.Run(test.name, func(t *testing.T) {
			host, _ := testHost(t)
			spec := testSpec(emitting(Done, test.emit...))
			spec.Grants.Emit = &test.grant
			if r, err := instance(t, host, spec).Handle(t.Context(), podAdd(t)); err != nil ||
				len(r.Emitted) != test.taken || r.Refused != refusals(test.emit) {
				t.Errorf("%d were taken, %d refused, %v", len(r.Emitted), r.Refused, err)
			}
		})
	}
}

// A command sees the same, in the reason of its crash.
func TestEmitGrantOfACommand(t *testing.T) {
	for text, want := range map[string]string{
		`{"verdict":"done","emit":[{"type":"com.example.a"}]}`:                                                   "",
		`{"verdict":"done","emit":[{"data":1}]}`:                                                                 "emit[0]: the grant emit does not allow the kind data",
		`{"verdict":"done","emit":[{"type":"com.example.a"},{"type":"org.a"}]}`:                                  "emit[1]: the grant emit does not allow its type",
		`{"verdict":"done","emit":[{"type":"dev.informerd.rule.violated"}]}`:                                     "emit[0]: its type is reserved for informerd",
		`{"verdict":"done","emit":[{"type":"com.example.a"},{"type":"com.example.a"},{"type":"com.example.a"}]}`: "emit[2]: it is too much for one event",
	} {
		host, _ := testHost(t)
		spec := testSpec(printingCommand(text + "\n"))
		spec.Grants.Emit = &EmitGrant{Kinds: []abi.EmitKind{abi.EmitEvent},
			Types: []string{"com.example."}, Count: 2}
		_, err := instance(t, host, spec).Handle(t.Context(), podAdd(t))
		var crash *CrashError
		switch {
		case want == "":
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
		case !errors.As(err, &crash) || crash.Reason != ReasonProtocol ||
			!strings.HasSuffix(crash.Cause.Error(), want):
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestEmitGrantsThatMakeNoSense(t *testing.T) {
	for _, test := range []struct {
		grant EmitGrant
		want  string
	}{
		{EmitGrant{Count: -1}, "count is -1, it must be positive"},
		{EmitGrant{Bytes: -1}, "bytes is -1, it must be positive"},
		{EmitGrant{Kinds: []abi.EmitKind{0}}, "unknown kind 0"},
		{EmitGrant{Kinds: []abi.EmitKind{2, 1, 2}}, "duplicate kind data"},
		{EmitGrant{Types: []string{"a", "a"}}, `duplicate type "a"`},
		{EmitGrant{Types: []string{""}},
			`the type "": it must be 1 to 256 printable ASCII characters without spaces`},
		{EmitGrant{Types: []string{"a b\n"}},
			`the type "a b\n": it must be 1 to 256 printable ASCII characters without spaces`},
		{EmitGrant{Types: []string{"com.*"}},
			`the type "com.*": it has a * in it: end it in a dot, as in com.example., for all types that begin so`},
		{EmitGrant{Types: []string{"dev.informerd.rule."}},
			`the type "dev.informerd.rule.": it is reserved for informerd`},
	} {
		host, _ := testHost(t)
		spec := testSpec(onEvent(guestModule(), konst(0)))
		spec.Grants.Emit = &test.grant
		_, err := host.Load(t.Context(), spec)
		if want := `listener "pods": handler guest.wasm: grants: emit: ` +
			test.want; fmt.Sprint(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
