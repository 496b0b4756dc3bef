package answer

import "testing"

// The command that shows what a handler does reads the object of the question, if it can.
func TestTryHandler(t *testing.T) {
	const run = "informerd plugin run -c c.yaml -l pods --event "
	live := Source{File: "pod.json", Get: "kubectl get pod web -n shop -o json", Old: "old.yaml"}
	for _, c := range []struct {
		source  Source
		op      string
		initial bool
		want    string
	}{
		{Source{}, "add", false, run + "OBJECT"},
		{Source{File: "a b/it's.yaml"}, "add", false, run + `'a b/it'\''s.yaml'`},
		{Source{File: "a.yaml", Old: "b.yaml"}, "update", false, run + "a.yaml --old b.yaml"},
		{Source{File: "a.yaml", Old: "b.yaml"}, "add", false, run + "a.yaml"},
		{live, "add", false, live.Get + " > pod.json && " + run + "pod.json"},
		{live, "update", false, live.Get + " > pod.json && " + run + "pod.json --old old.yaml"},
		{live, "delete", false, run + "EVENT (a file with op: delete, and the object as object)"},
		{Source{File: "a.yaml"}, "add", true,
			run + "EVENT (a file with op: add and initial: true, and the object as object)"},
	} {
		if got := c.source.TryHandler("c.yaml", "pods", c.op, c.initial); got != c.want {
			t.Errorf("%+v, %s: %s\nwant %s", c.source, c.op, got, c.want)
		}
	}
}
