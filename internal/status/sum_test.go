package status

import (
	"reflect"
	"testing"
	"time"
)

func TestAListenerInTwoShards(t *testing.T) {
	at := time.Unix(9, 0)
	a := Listener{Name: "a", Resource: "pods", State: Running, Events: map[string]uint64{"add": 1},
		Written: 2, WorkingSeconds: 3, Reasons: []string{"x"}, Violations: new(1),
		Outputs: []Output{{Name: "out", Waiting: 1, LagSeconds: 1}}}
	b := Listener{Name: "a", Resource: "pods", State: Paused, Events: map[string]uint64{"add": 1,
		"delete": 5}, Written: 2, WorkingSeconds: 1, Reasons: []string{"x", "y"}, Violations: new(2),
		Handler: &Handler{Calls: 7, PausedUntil: at}, Buffer: Buffer{Events: 4, OldestSeconds: 6},
		Outputs: []Output{{Name: "out", Waiting: 2, LagSeconds: 2, Error: "503"}}}
	want := Listener{Name: "a", Resource: "pods", State: Paused, Events: map[string]uint64{"add": 2,
		"delete": 5}, Written: 4, WorkingSeconds: 3, Reasons: []string{"x", "y"}, Violations: new(3),
		Handler: &Handler{Calls: 7, PausedUntil: at}, Buffer: Buffer{Events: 4, OldestSeconds: 6},
		Outputs: []Output{{Name: "out", Waiting: 3, LagSeconds: 2, Error: "503"}}}
	if a.Add(&b); !reflect.DeepEqual(a, want) {
		t.Errorf("got %+v\nwant %+v", a, want)
	}
	reversed := b
	reversed.Handler = nil
	if reversed.Add(&Listener{State: Failing}); reversed.State != Failing || reversed.Written != 2 {
		t.Errorf("%+v", reversed)
	}
}
