package main

import (
	"fmt"
	"testing"
)

func TestParseLog(t *testing.T) {
	tests := []struct {
		line, short string
		important   bool
	}{
		{`{"time":"x","level":"INFO","msg":"started","listeners":3}`,
			`informerd info: started listeners=3`, false},
		{`{"level":"DEBUG","msg":"m"}`, `informerd debug: m`, false},
		{`{"level":"WARN","msg":"cannot reach","server":"https://h","in":1,"b":"x y"}`,
			`informerd warn: cannot reach b="x y" in=1 server="https://h"`, true},
		{`{"level":"ERROR+2","msg":"m"}`, `informerd error+2: m`, true},
		{`informerd: quickstart.yaml:3: no`, `informerd error: informerd: quickstart.yaml:3: no`,
			true},
		{`[]`, `informerd error: []`, true},
		{``, `informerd error: `, true},
	}
	for _, tt := range tests {
		l := parseLog([]byte(tt.line))
		if got := l.Short(); got != tt.short || l.Important() != tt.important {
			t.Errorf("%s\n got %s, important %v\nwant %s, important %v", tt.line, got,
				l.Important(), tt.short, tt.important)
		}
	}
}

func TestParseStats(t *testing.T) {
	line := `{"time":"x","level":"INFO","msg":"listener stopped","listener":"crash-loops","events":{"add":9,"update":28,"delete":4,"resync":1,` +
		`"filtered":33,"filterErrors":0,"handlerCalls":8,"handlerCrashes":0,"handlerRefused":7,"emitted":1,"written":2,"retried":0,"deadLetters":0},` +
		`"coalesced":0,"unfinished":0}`
	want := listenerStats{"crash-loops", 9, 28, 4, 1, 33, 8, 7, 1, 2}
	l := parseLog([]byte(line))
	if l.Message != msgStopped || l.Events == nil || *l.Events != want {
		t.Errorf("got %+v, want %+v", l.Events, want)
	}
	l = parseLog([]byte(`{"level":"INFO","msg":"listener stopped","listener":"idle"}`))
	if l.Events == nil || *l.Events != (listenerStats{Listener: "idle"}) {
		t.Errorf("got %+v for a listener without events", l.Events)
	}
}

func Example_statsTable() {
	fmt.Println(statsTable([]listenerStats{
		{Listener: "rollouts", Add: 2, Update: 1400, Delete: 2, Filtered: 12, Written: 6},
		{Listener: "crash-loops", Add: 9, HandlerCalls: 8, Dropped: 7, Emitted: 1, Written: 1},
	}))
	// Output:
	// listener     add  update  delete  resync  filtered out  handler calls  dropped by it  emitted by it  written
	// rollouts       2    1400       2       0            12              0              0              0        6
	// crash-loops    9       0       0       0             0              8              7              1        1
}

func TestLinesWritten(t *testing.T) {
	if got := linesWritten([]listenerStats{{Written: 6}, {Written: 1}}); got != 7 {
		t.Errorf("got %d", got)
	}
}
