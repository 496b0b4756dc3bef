package plugins

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

func crashOf(t *testing.T, host *Host, spec Spec) *CrashError {
	t.Helper()
	_, err := instance(t, host, spec).Handle(t.Context(), podAdd(t))
	var crash *CrashError
	if !errors.As(err, &crash) {
		t.Fatalf("got %v", err)
	}
	if text := crash.Error(); strings.ContainsAny(text, "\n\t\x1b") {
		t.Errorf("the error has more than one line: %q", text)
	}
	return crash
}

// In each language a guest fails three calls deep, and its stack says where.
func TestPanicsShowTheirStack(t *testing.T) {
	for _, test := range []struct {
		language string
		wasm     func(t *testing.T) []byte
		cause    string
		stack    []string // functions, in this order
	}{
		{"Go", func(t *testing.T) []byte { return wasmtest.GoGuest(t, "testdata/guest", ".") },
			`wasm error: unreachable: the handler said "panic: runtime error: index out of range [7] with length 3"`,
			[]string{"panic: runtime error: index out of range [7] with length 3",
				"goroutine 1 [running]:", "main.innermost(",
				" guest/deep.go:", "main.middle(", "main.outermost(", "main.onEvent(",
				"main.innermost(i32) i32",
				"main.middle(i32) i32", "main.outermost(i32) i32"}},
		{"C", func(t *testing.T) []byte { return buildGuest(t, "c", "testdata/deep/deep.c") },
			`wasm error: unreachable: the handler said "about to trap"`,
			[]string{"innermost(i32) i32", "middle(i32) i32", "outermost(i32) i32", "on_event(",
				"informerd_on_event("}},
		{"Rust", func(t *testing.T) []byte {
			return buildGuest(t, "rust", "testdata/deep/deep.rs")
		},
			`wasm error: unreachable: the handler said "panicked at `,
			[]string{"rust_panic", "core::panicking::panic_bounds_check(", "handler::innermost(",
				"handler::middle(",
				"handler::Deep::outermost(", "on_event("}},
		{"AssemblyScript", func(t *testing.T) []byte {
			return buildGuest(t, "assemblyscript", "testdata/deep/deep.ts")
		},
			`wasm error: unreachable: the handler said "nothing at 2 (deep.ts:6:15)"`,
			[]string{"~lib/abort/informerdAbort(", "deep/innermost(", "deep/middle(",
				"deep/outermost(", "deep/onEvent("}},
	} {
		t.Run(test.language, func(t *testing.T) {
			goLog.Reset()
			crash := crashOf(t, goHost(t),
				Spec{Listener: "pods", Wasm: test.wasm(t),
					Config: []byte(`{"do":"panic three calls deep"}`),
					Limits: Limits{Deadline: 10 * time.Second}, Grants: Grants{Log: &LogGrant{}}})
			if crash.Reason != ReasonTrap || !strings.HasPrefix(crash.Cause.Error(), test.cause) {
				t.Errorf("got  %v\nwant %s", crash.Cause, test.cause)
			}
			left := crash.Stack
			for _, want := range test.stack {
				at := slices.IndexFunc(left, func(line string) bool {
					return strings.HasPrefix(line, want)
				})
				if at < 0 {
					t.Fatalf("%s is not where it should be in\n%s", want,
						strings.Join(crash.Stack, "\n"))
				}
				left = left[at+1:]
			}
			if want := `stack="` + strings.Join(crash.Stack, `\n`) +
				`"`; !strings.Contains(goLog.String(), want) {
				t.Errorf("logged:\n%s\nwithout %s", goLog, want)
			}
			if n := strings.Count(goLog.String(), "panic: runtime error"); test.language == "Go" &&
				(n != 2 || strings.Contains(goLog.String(), "handler stderr")) {
				t.Errorf("the panic is reported %d times, not in the error and the stack alone:\n%s", n, goLog)
			}
		})
	}
}

// Functions without names go by the numbers they have in the guest's file, whatever the meter adds.
func TestStackOfAGuestWithoutNames(t *testing.T) {
	host, _ := testHost(t)
	m := guestModule(imported(abi.ModuleResult, "error"))
	inner := m.Func("", "", "", "", konst(0), konst(-1), invoke(0))
	m.Func("", "i", "", "", konst(0), drop)
	crash := crashOf(t, host, testSpec(onEvent(m, invoke(inner), konst(0))))
	want := []string{"informerd/result.v1.error(i32,i32)", "$2()", "$4(i32,i32,i32,i32) i32"}
	if crash.Reason != ReasonProtocol || !slices.Equal(crash.Stack, want) {
		t.Errorf("got %s %q, want %q", crash.Reason, crash.Stack, want)
	}
}

// With names, some of them Rust's, and a recursion that is too long to be told.
func TestStackIsBounded(t *testing.T) {
	m := guestModule()
	m.Func("", "i", "", "i", local(0), wasmtest.If(local(0), konst(1), []byte{0x6b}, invoke(1),
		wasmtest.Return), unreachable)
	name := wasmtest.Text("_ZN7handler4deep17h0123456789abcdefE" + strings.Repeat("\x1b[2J", 1000))
	long := append(wasmtest.Uint(1), name...)
	m.Custom("name", wasmtest.Section(1, wasmtest.Vector(long)))
	host, _ := testHost(t)
	crashed := crashOf(t, host, testSpec(onEvent(m, konst(1000), invoke(1), konst(0))))
	if len(crashed.Stack) != maxFrames {
		t.Errorf("%d lines", len(crashed.Stack))
	}
	for _, line := range crashed.Stack {
		if n := len([]rune(line)); n > maxLine+1 || strings.Contains(line, "\x1b") {
			t.Errorf("a line of %d characters: %q", n, line)
		}
	}
}

// A deadline tells where it was passed, and what an earlier event said is none of it.
func TestStackOfADeadline(t *testing.T) {
	m := guestModule(imported(abi.ModuleResult, "error"))
	spins := m.Func("", "", "", "", wasmtest.Forever)
	m.Custom("name", wasmtest.Section(1,
		wasmtest.Vector(append(wasmtest.Uint(spins), wasmtest.Text("spins")...))))
	host, _ := testHost(t)
	spec := testSpec(onEvent(m, konst(0), konst(1), invoke(0), invoke(spins), konst(0)))
	spec.Limits.Deadline = 50 * time.Millisecond
	crash := crashOf(t, host, spec)
	if want := []string{"spins()", "$3(i32,i32,i32,i32) i32"}; !slices.Equal(crash.Stack, want) {
		t.Errorf("got %q, want %q", crash.Stack, want)
	}
	if want := "it ran longer than 50ms"; untimed(crash.Cause) != want {
		t.Errorf("got %v", crash.Cause)
	}
}
