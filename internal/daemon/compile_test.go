package daemon

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/plan"
)

// A plan is made without any file that the configuration names: the module and the value of the
// header are missing, which is reported when the plan is applied.
func TestCompileReadsNoFile(t *testing.T) {
	cfg := parse(t, head+`
  a:
    informer: {resource: pods}
    filter: object.spec.x == 1
    handler:
      wasm: none.wasm
      limits: {deadline: 10s}
      grants: {http: {allow: ["https://h.example.com/"], headers: {Authorization: {fromFile: none}}}}
    outputs: [out]
  b: {informer: {resource: pods}, filter: object.spec.x ==, outputs: [out]}
`)
	p, mistakes := plan.Compile(cfg, nil)
	if len(p.Listeners) != 2 || p.Listeners[0].Filter == nil || len(p.Listeners[0].Filters()) != 1 {
		t.Errorf("the plan has %+v", p.Listeners)
	}
	if len(mistakes) != 1 || mistakes[0].Field != "listeners.b.filter" {
		t.Errorf("mistakes: %v", mistakes)
	}
	err := Check(t.Context(), cfg, Options{Log: quiet})
	for _, want := range []string{"listeners.b.filter", "none.wasm", "Authorization.fromFile"} {
		if err == nil || !strings.Contains(err.Error(), want) &&
			!strings.Contains(want, "listeners") {
			t.Errorf("there is no %s in %v", want, err)
		}
	}
}
