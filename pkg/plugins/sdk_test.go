package plugins

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// The Go SDK in the real host: testdata/guest does one thing after the other.
func TestGoSDK(t *testing.T) {
	wasm := wasmtest.GoGuest(t, "testdata/guest", ".")
	for _, test := range []struct {
		do   string
		want string // verdict, message and emissions, or how the crash begins
		log  string // the first line, or, for a crash, how it begins
	}{
		{"nothing", `done "" []`, ""},
		{"sleep", `done "" []`, ""},
		{"wait for a goroutine", `done "" []`, "level=INFO msg=web-1 listener=pods from=handler"},
		{"files", `fail "open /etc/passwd: Capabilities insufficient, 1 arguments, 0 variables" []`,
			""},
		{"print", `done "" []`, `level=INFO msg="to stdout" listener=pods from="handler stdout"`},
		{"emit", fmt.Sprintf(`done "" [data {"name":"web-1","size":%d}]`, len(podText)),
			`level=INFO msg="too much was emitted for this event | invalid event type: it must be 1 to 256 ` +
				`printable ASCII characters | this event type is reserved for informerd itself, or the grant emit does not allow what was emitted" ` +
				`listener=pods from="handler stdout"`},
		{"panic", "trap: wasm error: unreachable",
			`level=WARN msg="handler crashed" listener=pods object=shop/web-1 op=add func=on_event reason=trap error="wasm error: unreachable: ` +
				`the handler said \"panic: at the disco\"" stack="panic: at the disco\ngoroutine 1 [running]:\nmain.`},
		{"exit", "exit: it called proc_exit(3)", ""},
		{"fill the memory", "memory: its memory is at 15.",
			`level=WARN msg="handler crashed" listener=pods object=shop/web-1 op=add func=on_event reason=memory `},
	} {
		t.Run(test.do, func(t *testing.T) {
			goLog.Reset()
			i := instance(t, goHost(t),
				Spec{Listener: "pods", Wasm: wasm, Config: fmt.Appendf(nil, `{"do":%q}`, test.do),
					Limits: Limits{Deadline: 10 * time.Second}, Grants: Grants{Log: &LogGrant{}}})
			r, err := i.Handle(t.Context(), podAdd(t))
			got := fmt.Sprintf("%v %q [", r.Verdict, r.Message)
			for _, e := range r.Emitted {
				got += fmt.Sprintf("%v %s", e.Kind, e.Data)
			}
			got += "]"
			var crash *CrashError
			crashed := errors.As(err, &crash)
			if crashed {
				cause, _, _ := strings.Cut(crash.Cause.Error(), "\n")
				got = fmt.Sprintf("%s: %s", crash.Reason, cause)
			}
			if got != test.want && !(crashed && strings.HasPrefix(got, test.want)) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			line, _, _ := strings.Cut(goLog.String(), "\n")
			if line != test.log && !(crashed && strings.HasPrefix(line, test.log)) {
				t.Errorf("logged:\n%s\nwant %s", goLog, test.log)
			}
		})
	}
}
