package plan

import (
	"bytes"
	"strings"
	"testing"
)

// A line says what a listener's handler may do and what is set otherwise; defaults have none.
func TestPlanShowsHandlersAndSettings(t *testing.T) {
	cfg := parse(t, "state: {dir: s}\ninformers: {nodes: {resource: nodes}}\n"+head+`
  plain: {informer: {resource: pods}, buffer: {capacity: 1024}, outputs: [out]}
  bare: {informer: {resource: secrets, allowSecrets: true}, handler: {wasm: b.wasm}, outputs: [out]}
  full:
    informer: {resource: services}
    checkpoint: true
    workers: 4
    buffer: {capacity: 9, overflow: block}
    retry: {attempts: 3, giveUpAfter: 1h}
    handler:
      wasm: my.wasm
      grants: {log: {}, kv: {persist: true}, clock: {}, random: {}, http: {allow: ["https://a.example.com/s3cret", "https://a.example.com/b"]}, cache: {informers: [nodes]}, emit: {types: [com.example.x]}}
    outputs: [out]
`)
	var out bytes.Buffer
	if err := writePlan(cfg, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    handler            b.wasm\n    grants             none\n",
		"    handler            my.wasm\n    grants             log info; kv persistent; clock; random; http GET, POST to a.example.com; cache of nodes; emit event, data of types com.example.x\n" +
			"    sends to           out: what the handler passes on or emits\n" +
			"    workers            4; events of one object are processed one by one\n" +
			"    checkpoint         after a restart it goes on where it was\n" +
			"    buffer             9 events, overflow block\n" +
			"    retry              3 attempts, 1s to 1m apart; outputs are given up after 1h\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant\n%s", &out, want)
		}
	}
	if strings.Count(out.String(), "\n    buffer ") != 1 || strings.Contains(out.String(), "s3cret") {
		t.Error(out.String())
	}
}
