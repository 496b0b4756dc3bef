package admin

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"
)

// What a daemon remembers of an object comes through, with its times.
func TestRemembers(t *testing.T) {
	dir := t.TempDir()
	want := Memory{Listener: true, Idle: "i", Has: true, UID: "u",
		Rules: []RuleMemory{{Rule: "r", Violated: true, Since: time.Unix(1700000000, 7).UTC(),
			Message: "<m>", To: []string{"a"}, Waiting: []string{"b"},
			Reported: time.Unix(1700000001, 0).UTC(), Next: time.Unix(1700000002, 0).UTC()}}}
	var asked ObjectOf
	serve(t, dir, Functions{Remembers: func(of ObjectOf) Memory {
		if asked = of; of.Namespace == "" {
			return Memory{}
		}
		return want
	}})
	c, of := dial(t, dir), ObjectOf{Listener: "l", Namespace: "shop", Name: "web"}
	got, err := c.Remembers(t.Context(), of)
	if err != nil || !reflect.DeepEqual(*got, want) || asked != of {
		t.Errorf("%+v of %+v, want %+v; %v", got, asked, want, err)
	}
	got, err = c.Remembers(t.Context(), ObjectOf{Name: "n1"})
	if err != nil || !reflect.DeepEqual(*got, Memory{}) {
		t.Errorf("nothing is remembered: %+v, %v", got, err)
	}
}

// A daemon of an older version, which has no such function, is an error.
func TestAnOlderDaemonRemembersNothing(t *testing.T) {
	dir := t.TempDir()
	serve(t, dir, Functions{})
	c := dial(t, dir)
	c.web.Transport = older{c.web.Transport}
	if _, err := c.Remembers(t.Context(), ObjectOf{Name: "n1"}); err == nil ||
		!strings.Contains(err.Error(), "this informerd and the command are of different versions") {
		t.Error(err)
	}
}

// older asks for a path that is not there.
type older struct{ http.RoundTripper }

func (o older) RoundTrip(r *http.Request) (*http.Response, error) {
	r.URL.Path += "/later"
	return o.RoundTripper.RoundTrip(r)
}

func (o older) CloseIdleConnections() {
	o.RoundTripper.(*http.Transport).CloseIdleConnections()
}
