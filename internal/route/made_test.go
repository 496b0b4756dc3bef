package route

import (
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// Data under informerd's own types says which module it is from, so that no handler can pass its
// own for an object's.
func TestDataOfHandlersSaysWhoseItIs(t *testing.T) {
	var p object.Parser
	o, err := p.Parse([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	messages, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	r := &Route{}
	w := &worker{route: r, waiting: t.Context(),
		stages: stages{pipeline: &Pipeline{Messages: messages}}}
	e := event.Event{Op: event.Add, Object: o}
	digest := strings.Repeat("0f", 32)
	for name, test := range map[string]struct {
		emitted []plugins.Emission
		marked  bool
	}{
		"nothing": {nil, false},
		"data":    {[]plugins.Emission{{Kind: abi.EmitData, Data: []byte(`{"object":{}}`)}}, true},
		"event": {[]plugins.Emission{{Kind: abi.EmitEvent,
			Data: []byte(`{"type":"com.example.a"}`)}}, false},
	} {
		made, own, err := w.messagesOf(e, time.Now(),
			plugins.Result{Emitted: test.emitted, Refused: 2, Handler: digest})
		if err == nil && !own {
			made = []sink.Message{messages.Event(e, time.Now())}
		}
		if err != nil || len(made) != 1 {
			t.Fatalf("%s: %v, %v", name, made, err)
		}
		if text := string(cloudevent.Append(nil, made[0])); strings.Contains(text,
			`,"handler":"`+digest+`",`) != test.marked {
			t.Errorf("%s: %s", name, text)
		}
	}
	if s := r.Stats(); s.EmissionsRefused != 3*2 {
		t.Errorf("%d refused emissions are counted", s.EmissionsRefused)
	}
}
