package plugins

import (
	"log/slog"

	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// logging is a guest that writes a line at a level.
func logging(level, times int32, text string) []byte {
	m := guestModule(imported(abi.ModuleLog, "log"))
	m.Data(0, text)
	return onEvent(m, wasmtest.Times(4, times, konst(level), konst(0), konst(int32(len(text))),
		invoke(0)), konst(0))
}

func TestGuestLog(t *testing.T) {
	for _, test := range []struct {
		level int32
		text  string
		grant LogGrant
		want  string
	}{
		{0, "hello", LogGrant{}, ""},
		{0, "hello", LogGrant{Level: slog.LevelDebug},
			"level=DEBUG msg=hello listener=pods from=handler\n"},
		{1, "hello", LogGrant{}, "level=INFO msg=hello listener=pods from=handler\n"},
		{1, "hello", LogGrant{Level: slog.LevelWarn}, ""},
		{2, "a\nb\x00\xff", LogGrant{},
			`level=WARN msg="a\nb\x00\uFFFD" listener=pods from=handler` + "\n"},
		{3, "hello", LogGrant{}, "level=ERROR msg=hello listener=pods from=handler\n"},
		{99, "hello", LogGrant{}, "level=ERROR msg=hello listener=pods from=handler\n"},
		{-1, "hello", LogGrant{}, ""},
	} {
		host, log := testHost(t)
		spec := testSpec(logging(test.level, 1, test.text))
		spec.Grants.Log = &test.grant
		expectVerdict(t, instance(t, host, spec), podAdd(t), Done)
		if got := strings.ReplaceAll(log.String(), "\uFFFD", `\uFFFD`); got != test.want {
			t.Errorf("%d: got  %s\nwant %s", test.level, got, test.want)
		}
	}
}

func TestLogFlood(t *testing.T) {
	host, log := testHost(t)
	spec := testSpec(logging(1, 100_000, strings.Repeat("x", 5000)))
	spec.Grants.Log = &LogGrant{LinesPerSecond: 1}
	expectVerdict(t, instance(t, host, spec), podAdd(t), Done)
	if n := strings.Count(log.String(), "\n"); n < burst || n > burst+10 {
		t.Errorf("%d lines were logged", n)
	}
	if n := len(log.String()); n > (burst+10)*(abi.MaxLogLine+100) {
		t.Errorf("%d bytes were logged", n)
	}
}

func TestLogEnabled(t *testing.T) {
	for level, want := range map[int64]int64{0: 0, 1: 0, 2: 1, 3: 1, 9: 1} {
		host, _ := testHost(t)
		spec := testSpec(probe(imported(abi.ModuleLog, "enabled"), nil, level))
		spec.Grants.Log = &LogGrant{Level: slog.LevelWarn}
		i := instance(t, host, spec)
		expectVerdict(t, i, podAdd(t), Done)
		if b, _ := i.guest.memory.ReadUint32Le(0); int64(b) != want {
			t.Errorf("level %d: got %d, want %d", level, b, want)
		}
	}
}
