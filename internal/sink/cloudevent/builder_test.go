package cloudevent_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
)

func TestNewBuilderRefusesEmptyNames(t *testing.T) {
	tests := []struct{ cluster, listener, resource, want string }{
		{"", "l", "pods", `messages (cluster "", listener "l", resource "pods"): cluster is empty`},
		{"c", "", "pods", `messages (cluster "c", listener "", resource "pods"): listener is empty`},
		{"c", "l", "", `messages (cluster "c", listener "l", resource ""): resource is empty`},
	}
	for _, tt := range tests {
		if _, err := cloudevent.NewBuilder(sink.Origin{Cluster: tt.cluster,
			Listener: tt.listener, Resource: tt.resource}); err == nil ||
			err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// The recipe of the package doc, followed by hand.
func TestIDRecipe(t *testing.T) {
	byHand := func(netstrings string) string {
		sum := sha256.Sum256([]byte(netstrings))
		return hex.EncodeToString(sum[:])[:32]
	}
	src := source(t, "prod", "all", "deployments.apps")
	ev := event.Event{Op: event.Add, Object: newObject(t, web1)}

	present := byHand("4:prod,16:deployments.apps,7:default,5:web-1,3:u-1,1:7,7:present,")
	absent := byHand("4:prod,16:deployments.apps,7:default,5:web-1,3:u-1,1:7,6:absent,")
	for op, want := range map[event.Op]string{event.Add: present, event.Update: present,
		event.Resync: present, event.Delete: absent} {
		ev.Op = op
		if got := src.Event(ev, observed).ID; got != want {
			t.Errorf("%v: id %s, want %s", op, got, want)
		}
	}

	ev.Op = event.Update
	m, err := src.Emitted(ev, observed, "com.example.x", 12, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := byHand("32:" + present + ",3:all,13:com.example.x,2:12,"); m.ID != want {
		t.Errorf("emitted: id %s, want %s", m.ID, want)
	}
}

func TestIDTellsStatesApartAndNothingElse(t *testing.T) {
	base := event.Event{Op: event.Add, Object: newObject(t, web1)}
	pods := source(t, "prod", "all", "pods")
	id := pods.Event(base, observed).ID

	same := map[string]string{
		"observed later": pods.Event(base, observed.Add(time.Hour)).ID,
		"other listener": source(t, "prod", "other", "pods").Event(base, observed).ID,
		"told as an update": pods.Event(event.Event{Op: event.Update, Missed: 2,
			Object: base.Object, Old: newObject(t, web0)}, observed).ID,
		"of the first list": pods.Event(event.Event{Op: event.Add, Initial: true,
			Object: base.Object}, observed).ID,
		"after a restart": pods.Event(event.Event{Op: event.Add, Resumed: true,
			Object: base.Object}, observed).ID,
	}
	for what, got := range same {
		if got != id {
			t.Errorf("%s: the id differs", what)
		}
	}

	ids := map[string]string{id: "the state itself"}
	differ := func(what, got string) {
		if other, found := ids[got]; found {
			t.Errorf("%s has the id of %s", what, other)
		}
		ids[got] = what
	}
	changed := func(old, new string) event.Event {
		return event.Event{Op: event.Add, Object: newObject(t, strings.Replace(web1, old, new, 1))}
	}
	differ("another cluster", source(t, "prod2", "all", "pods").Event(base, observed).ID)
	differ("another resource", source(t, "prod", "all", "pods.example.com").Event(base,
		observed).ID)
	differ("a name moved into the cluster's",
		source(t, "prodp", "all", "ods").Event(base, observed).ID)
	differ("another namespace", pods.Event(changed(`"default"`, `"defaultw"`), observed).ID)
	differ("another name", pods.Event(changed(`"web-1"`, `"eb-1"`), observed).ID)
	differ("another uid", pods.Event(changed(`"u-1"`, `"u-2"`), observed).ID)
	differ("another resourceVersion", pods.Event(changed(`"7"`, `"8"`), observed).ID)
	differ("the delete", pods.Event(event.Event{Op: event.Delete, Object: base.Object},
		observed).ID)
	for _, listener := range []string{"all", "other"} {
		for _, typ := range []string{"a", "b"} {
			for _, ev := range []event.Event{base, changed(`"7"`, `"9"`)} {
				for index := range 2 {
					m, err := source(t, "prod", listener, "pods").Emitted(ev, observed, typ, index,
						"")
					if err != nil {
						t.Fatal(err)
					}
					differ(fmt.Sprintf("emitted %s %s %s %d", listener, typ,
						ev.Object.ResourceVersion(), index), m.ID)
				}
			}
		}
	}
}

func TestEmittedRefuses(t *testing.T) {
	tests := []struct{ typ, data, want string }{
		{"", "{}", `emitted event 1: the type is empty`},
		{"a\nb", "{}", `emitted event 1: type "a\nb" contains a control character`},
		{" a", "{}", `emitted event 1: type " a" begins or ends with white space`},
		{"a\xff", "{}", `emitted event 1: type "a\xff" is not valid UTF-8`},
		{"a", "{", `emitted event 1 of type "a": the data is not valid JSON: offset 1: unexpected end of JSON text`},
		{"a", " \n", `emitted event 1 of type "a": the data is not valid JSON: offset 2: unexpected end of JSON text`},
		{"a", "{} secret", `emitted event 1 of type "a": the data is not one JSON value: there is more at offset 3`},
		{"a", "\"\xff\"", `emitted event 1 of type "a": the data is not valid UTF-8`},
	}
	src := source(t, "prod", "all", "pods")
	for _, tt := range tests {
		_, err := src.Emitted(event.Event{Op: event.Add, Object: newObject(t, web1)}, observed,
			tt.typ,
			1, tt.data)
		if err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
		if !sink.IsPermanent(err) {
			t.Errorf("%v: not permanent", err)
		}
	}
	for _, data := range []string{"", "1", " {} \n", `"x"`, "null"} {
		if _, err := src.Emitted(event.Event{Op: event.Add, Object: newObject(t, web1)}, observed,
			"a",
			0, data); err != nil {
			t.Errorf("data %q: %v", data, err)
		}
	}
}

// The id of a delivery begins with the message's, and differs by source and texts.
func TestDeliveryID(t *testing.T) {
	message := func(id, source string) *sink.Message {
		return &sink.Message{ID: id, Origin: &sink.Origin{Source: source}}
	}
	ids := map[string]bool{}
	for range 2 {
		for _, id := range []string{
			cloudevent.DeliveryID(message("1", "a")),
			cloudevent.DeliveryID(message("1", "a"), ""),
			cloudevent.DeliveryID(message("1", "b")),
			cloudevent.DeliveryID(message("1", "a"), "b"),
			cloudevent.DeliveryID(message("1", "ab")),
			cloudevent.DeliveryID(message("1", "a"), "b", "c"),
			cloudevent.DeliveryID(message("1", "a"), "bc"),
			cloudevent.DeliveryID(message("1", "a"), "c", "b"),
		} {
			ids[id] = true
			if !strings.HasPrefix(id, "1-") {
				t.Errorf("%s does not begin with the id of the message", id)
			}
		}
	}
	if len(ids) != 8 {
		t.Errorf("got %d ids, want 8: %v", len(ids), ids)
	}
}
