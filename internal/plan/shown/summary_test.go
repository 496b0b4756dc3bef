package shown

import (
	"strings"
	"testing"
)

func TestWriteSummary(t *testing.T) {
	p := &Plan{Informers: []Informer{
		{Resource: "pods", Namespaces: []string{"a", "b"}, LabelSelector: "x", Listeners: []Listener{
			{Name: "crashes", Handler: "a.wasm", Behind: []Stage{{Is: "select"}, {Is: "rule"}, {Is: "rule"},
				{Is: "filter"}}, Sends: []Sends{{Outputs: []string{"out", "chat"}, AllEvents: true,
				AllReports: true, Events: []string{"add"}, Reports: []string{"a", "b"}},
				{Outputs: []string{"pager"}, Violations: []string{"a"}},
				{Outputs: []string{"log"}, Nothing: NotWanted}}},
			{Name: "b", Before: Before{Never: true}, Sends: []Sends{{Outputs: []string{"out"},
				Nothing: NoEvent}}}}},
		{Resource: "nodes", Namespaces: []string{"a", "b", "c"}, Listeners: []Listener{{Name: "c",
			Sends: []Sends{{Outputs: []string{"out"}, Events: []string{"add"}, AllReports: true}}}}},
	}}
	const want = `LISTENER  WATCHES                 DECIDES                           SENDS TO
crashes   pods in a, b, selected  select, filter, 2 rules, handler  out, chat (events; what its rules report); pager (violations of rule a, and not their ends); log (nothing)
b         pods in a, b, selected  never                             out (nothing)
c         nodes in 3 namespaces   -                                 out (events add)
`
	var out strings.Builder
	if err := p.WriteSummary(&out); err != nil || out.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, &out, want)
	}
}
