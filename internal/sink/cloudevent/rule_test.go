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

// since is when the object has been in violation from, in a zone that no message has.
var since = time.Date(2026, 3, 4, 5, 0, 0, 0, time.FixedZone("east", 3600))

// What rules report is a contract as well, to the byte.
func TestLinesOfRules(t *testing.T) {
	pods := source(t, "prod", "stuck", "pods")
	o := newObject(t, web1)
	violated := sink.Report{Rule: "pending", Severity: "high",
		Message: "web \"1\"\nwaits\xff", Violated: true, Since: since}
	repeated, resolved := violated, violated
	repeated.Repeats, resolved.Violated = 2, false
	const about = `"source":"/clusters/prod/listeners/stuck","type":"dev.informerd.rule.%s","subject":"pods/default/web-1","time":"2026-03-04T04:06:07.089Z","datacontenttype":"application/json"`
	const rest = `,"resourceversion":"7","uid":"u-1","rule":"pending","severity":"high","data":{"rule":"pending","severity":"high","message":"web \"1\"\u000awaits` + "\ufffd" +
		`","since":"2026-03-04T04:00:00Z"`
	for _, tt := range []struct {
		name string
		m    sink.Message
		want string
	}{
		{"violated by an update", pods.Rule(event.Event{Op: event.Update, Object: o}, observed,
			violated), fmt.Sprintf(about, "violated") + `,"op":"update"` + rest},
		{"because time has passed", pods.Rule(event.Event{Object: o}, observed, violated),
			fmt.Sprintf(about, "violated") + rest},
		{"again", pods.Rule(event.Event{Object: o}, observed, repeated),
			fmt.Sprintf(about, "violated") + rest + `,"repeated":true`},
		{"resolved by a delete", pods.Rule(event.Event{Op: event.Delete, Object: o}, observed,
			resolved), fmt.Sprintf(about, "resolved") + `,"op":"delete"` + rest},
	} {
		want := `{"specversion":"1.0","id":"` + tt.m.ID + `",` + tt.want + `,"object":` + web1 +
			`}}`
		if got := string(cloudevent.Append(nil, tt.m)); got != want {
			t.Errorf("%s\n got %s\nwant %s", tt.name, got, want)
		}
		parse(t, tt.m)
	}
	made := pods.Event(event.Event{Op: event.Add, Object: o}, observed)
	made.Body, made.Data, made.Handler = sink.BodyData, "5", "00ff"
	if got := string(cloudevent.Append(nil, made)); !strings.HasSuffix(got,
		`,"uid":"u-1","handler":"00ff","data":5}`) {
		t.Errorf("data that a handler made: %s", got)
	}
}

// The recipe of the package doc, followed by hand. It names the violation, whatever becomes of the
// object meanwhile.
func TestIDRecipeOfRules(t *testing.T) {
	byHand := func(netstrings string) string {
		sum := sha256.Sum256([]byte(netstrings))
		return hex.EncodeToString(sum[:])[:32]
	}
	src := source(t, "prod", "stuck", "deployments.apps")
	violated := sink.Report{Rule: "pending", Severity: "high", Message: "m",
		Violated: true, Since: since}
	const begin = "4:prod,16:deployments.apps,7:default,5:web-1,3:u-1,5:stuck,27:dev.informerd.rule.violated,7:pending,20:2026-03-04T04:00:00Z,"
	for repeats, want := range map[int]string{0: byHand(begin), 1: byHand(begin + "1:1,"),
		12: byHand(begin + "2:12,")} {
		violated.Repeats = repeats
		for _, ev := range []event.Event{{Op: event.Add, Object: newObject(t, web1)}, {
			Object: newObject(t, web0)}} {
			if got := src.Rule(ev, observed, violated).ID; got != want {
				t.Errorf("repeat %d, version %s: id %s, want %s", repeats,
					ev.Object.ResourceVersion(), got, want)
			}
		}
	}
	resolved := sink.Report{Rule: "pending", Since: since}
	if got, want := src.Rule(event.Event{Op: event.Delete, Object: newObject(t, web1)}, observed,
		resolved).ID, byHand(strings.Replace(begin, "violated", "resolved", 1)); got != want {
		t.Errorf("resolved: id %s, want %s", got, want)
	}
}
