package main

import (
	"strings"
	"testing"
)

// envelope returns an event of the listener.
func envelope(listener, kind, subject, rest string) string {
	return `{"specversion":"1.0","source":"/clusters/c%2F1/listeners/` + listener + `","type":"` +
		kind + `","subject":"` + subject + `"` + rest + `}`
}

func deployment(replicas, image string) string {
	return `{"kind":"Deployment","spec":{"replicas":` + replicas +
		`,"template":{"spec":{"containers":[{"image":"` + image + `"},{"image":"side"}]}}}}`
}

const runningPod = `{"kind":"Pod","spec":{"nodeName":"node-1"},"status":{"phase":"Running","containerStatuses":[{"restartCount":2},{"restartCount":3}]}}`

func TestShort(t *testing.T) {
	const web = "deployments.apps/default/web"
	tests := []struct{ name, line, want string }{
		{
			"add of the first list",
			envelope("rollouts", typeAdded, web, `,"initial":true,"data":{"object":`+
				deployment("2", "a:1")+`}`),
			"rollouts     added     deployments.apps/default/web       replicas 2, image a:1, initial",
		},
		{
			"update of one thing",
			envelope("rollouts", typeUpdated, web, `,"data":{"object":`+deployment("4", "a:1")+
				`,"old":`+deployment("2", "a:1")+`}`),
			"rollouts     updated   deployments.apps/default/web       replicas 2 -> 4",
		},
		{
			"update of both after missed events",
			envelope("rollouts", typeUpdated, web, `,"missed":3,"data":{"object":`+
				deployment("4", "a:2")+`,"old":`+deployment("2", "a:1")+`}`),
			"rollouts     updated   deployments.apps/default/web       replicas 2 -> 4, image a:1 -> a:2, missed 3",
		},
		{
			"update across a restart",
			envelope("rollouts", typeUpdated, web, `,"resumed":true,"data":{"object":`+
				deployment("4", "a:1")+`,"old":`+deployment("2", "a:1")+`}`),
			"rollouts     updated   deployments.apps/default/web       replicas 2 -> 4, resumed",
		},
		{
			"missed delete",
			envelope("rollouts", typeDeleted, web, `,"finalstateunknown":true,"data":{"object":`+
				deployment("4", "a:2")+`}`),
			"rollouts     deleted   deployments.apps/default/web       replicas 4, image a:2, final state unknown",
		},
		{
			"resync of a pod",
			envelope("roll%20call", typeResynced, "pods/default/web-1",
				`,"data":{"object":`+runningPod+`}`),
			"roll call    resynced  pods/default/web-1                 Running, on node-1, restarts 5",
		},
		{
			"another kind",
			envelope("nodes", typeAdded, "nodes//n1", `,"data":{"object":{"kind":"Node"}}`),
			"nodes        added     nodes//n1                          ",
		},
		{
			"crashloop",
			envelope("crash-loops", typeCrashloop, "pods/default/web-1",
				`,"data":{"container":"web","restarts":4,"threshold":3}`),
			"crash-loops  dev.informerd.examples.crashloop  pods/default/web-1                 web: 4 restarts, threshold 3",
		},
		{
			"of an unknown handler, with data of any form",
			envelope("other", "com.example.x", "pods/default/web-1", `,"data":[1]`),
			"other        com.example.x  pods/default/web-1                 ",
		},
	}
	for _, tt := range tests {
		e, err := parseEvent([]byte(tt.line))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := e.Short(); got != tt.want {
			t.Errorf("%s\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
}

func TestLinesThatAreNoEvents(t *testing.T) {
	tests := []struct{ line, want string }{
		{"", "not JSON: unexpected end of JSON input"},
		{"hello", "not JSON: invalid character 'h' looking for beginning of value"},
		{"{}", "not a CloudEvent 1.0 with a type and a subject"},
		{envelope("l", "t", "", ""), "not a CloudEvent 1.0 with a type and a subject"},
		{`{"specversion":"1.0","type":"t","subject":"s","source":"/x/l"}`,
			`the source "/x/l" is not /clusters/<cluster>/listeners/<listener>`},
		{envelope("%zz", "t", "s", ""),
			`the source "/clusters/c%2F1/listeners/%zz": invalid URL escape "%zz"`},
	}
	for _, tt := range tests {
		if _, err := parseEvent([]byte(tt.line)); err == nil || err.Error() != tt.want {
			t.Errorf("%s\n got %v\nwant %s", tt.line, err, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct{ in, want string }{
		{"short   ", "short"},
		{strings.Repeat("ä", lineWidth), strings.Repeat("ä", lineWidth)},
		{strings.Repeat("ä", lineWidth+1), strings.Repeat("ä", lineWidth-1) + "…"},
	}
	for _, tt := range tests {
		if got := cut(tt.in); got != tt.want {
			t.Errorf("%q: %q", tt.in, got)
		}
	}
}
