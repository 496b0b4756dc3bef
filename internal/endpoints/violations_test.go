package endpoints

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/filters/rules"
)

func TestViolations(t *testing.T) {
	r := serve(t, &Server{Listeners: someListeners()})
	res, body := r.get("/violations")
	want := `{"items":[
{"listener":"nodes","resource":"nodes","rule":"not-ready","severity":"critical","namespace":"","name":"n1","uid":"u4","message":"not ready","since":"2026-03-01T12:00:00.5Z"},
{"listener":"pods","resource":"po","rule":"no-limits","severity":"low","namespace":"pay","name":"api","uid":"u3","message":"no limits","since":"2026-03-01T12:00:00.5Z"},
{"listener":"pods","resource":"po","rule":"privileged","severity":"high","namespace":"shop","name":"web-1","uid":"u1","message":"privileged\n\u003c/script\u003e","since":"2026-03-01T12:00:01Z"},
{"listener":"pods","resource":"po","rule":"privileged","severity":"high","namespace":"shop","name":"web-2","uid":"u2","message":"container \"c\" is privileged","since":"2026-03-01T12:00:00.5Z"}],"total":4}
`
	if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK ||
		got != "application/json" {
		t.Errorf("%s, content type %q", res.Status, got)
	}
	if body != want {
		t.Errorf("got\n%s\nwant\n%s", body, want)
	}
}

func TestParametersOfViolations(t *testing.T) {
	r := serve(t, &Server{Listeners: someListeners()})
	tests := []struct {
		query string
		names string // of the items
		total int
		error string // then the status is 400
	}{
		{"", "n1 api web-1 web-2", 4, ""},
		{"listener=pods", "api web-1 web-2", 3, ""},
		{"listener=clean", "", 0, ""},
		{"listener=plain", "", 0, ""},
		{"rule=privileged", "web-1 web-2", 2, ""},
		{"rule=nobody-breaks-it", "", 0, ""},
		{"severity=critical", "n1", 1, ""},
		{"severity=medium", "", 0, ""},
		{"namespace=shop", "web-1 web-2", 2, ""},
		{"namespace=", "n1", 1, ""},
		{"rule=privileged&listener=nodes", "", 0, ""},
		{"severity=low&namespace=pay&rule=no-limits&listener=pods&limit=1", "api", 1, ""},
		{"limit=3", "n1 api web-1", 4, ""},
		{"limit=1&namespace=shop", "web-1", 2, ""},
		{"limit=0", "", 4, ""},
		{"limit=100000", "n1 api web-1 web-2", 4, ""},

		{"limit=100001", "", 0, `limit is a whole number from 0 to 100000, not "100001"`},
		{"limit=-1", "", 0, `limit is a whole number from 0 to 100000, not "-1"`},
		{"limit=", "", 0, `limit is a whole number from 0 to 100000, not ""`},
		{"limit=1e3", "", 0, `limit is a whole number from 0 to 100000, not "1e3"`},
		{"limit=99999999999999999999", "", 0,
			`limit is a whole number from 0 to 100000, not "99999999999999999999"`},
		{"listener=pod", "", 0, `unknown listener "pod", did you mean pods?`},
		{"listener=", "", 0, `unknown listener ""`},
		{"severity=hihg", "", 0,
			`unknown severity "hihg", did you mean high?`},
		{"names=x", "", 0, `unknown parameter "names"`},
		{"rules=<b>", "", 0, `unknown parameter "rules", did you mean rule?`},
		{"rule=a&rule=b", "", 0, `parameter "rule" is set 2 times`},
		{"rule=%zz", "", 0, `the query cannot be read: invalid URL escape "%zz"`},
		{"rule=a;listener=b", "", 0,
			`the query cannot be read: invalid semicolon separator in query`},
	}
	for _, tt := range tests {
		res, body := r.get("/violations?" + tt.query)
		var got struct {
			Items []item
			Total int
			Error string
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Errorf("%s: %v: %s", tt.query, err, body)
			continue
		}
		status := http.StatusOK
		if tt.error != "" {
			status = http.StatusBadRequest
		}
		var names []string
		for _, i := range got.Items {
			names = append(names, i.Name)
		}
		if s := strings.Join(names, " "); res.StatusCode != status || s != tt.names ||
			got.Total != tt.total || got.Error != tt.error {
			t.Errorf("%s: %s with %q of %d, error %s\nwant %d with %q of %d, error %s",
				tt.query, res.Status, s, got.Total, got.Error, status, tt.names, tt.total, tt.error)
		}
	}
}

func TestWithoutListenersThereAreNoViolations(t *testing.T) {
	r := serve(t, &Server{})
	if _, body := r.get("/violations"); body != `{"items":[],"total":0}`+"\n" {
		t.Error(body)
	}
	if _, body := r.get("/violations?listener=a"); body != `{"error":"unknown listener \"a\""}`+"\n" {
		t.Error(body)
	}
}

// manyViolations are n of them, the last first.
func manyViolations(n int) []rules.Violation {
	all := make([]rules.Violation, n)
	for i := range all {
		all[i] = rules.Violation{Rule: "r", Namespace: "ns", Name: fmt.Sprintf("o-%06d", n-1-i),
			Message: strings.Repeat("x", 100)}
	}
	return all
}

func TestTheDefaultLimitIsThousand(t *testing.T) {
	r := serve(t, &Server{Listeners: []Listener{{Name: "l", Violations: func() []rules.Violation {
		return manyViolations(1_500)
	}}}})
	_, body := r.get("/violations")
	if n := strings.Count(body, `"listener":`); n != 1_000 ||
		!strings.HasSuffix(body, `"name":"o-000999","uid":"","message":"`+strings.Repeat("x", 100)+
			`","since":"0001-01-01T00:00:00Z"}],"total":1500}`+"\n") {
		t.Errorf("%d items, the end is %s", n, body[len(body)-200:])
	}
}

// The lists of listeners are not changed: they may be shared with others who read them.
func TestViolationsAreSortedInACopy(t *testing.T) {
	given := manyViolations(3)
	before := slices.Clone(given)
	got := sorted(given)
	if !slices.Equal(given, before) || got[0].Name != "o-000000" || got[2].Name != "o-000002" {
		t.Errorf("got %v, and what was given is now %v", got, given)
	}
}

// The first listener's violations arrive while the second one has yet to be asked.
func TestViolationsAreWrittenAsTheyAreRead(t *testing.T) {
	ask := make(chan struct{})
	r := serve(t, &Server{Listeners: []Listener{
		{Name: "a", Violations: func() []rules.Violation { return manyViolations(2_000) }},
		{Name: "b", Violations: func() []rules.Violation {
			<-ask
			return []rules.Violation{{Rule: "last"}}
		}},
	}})
	res, err := r.client.Get("http://" + r.address + "/violations?limit=5000")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body := bufio.NewReader(res.Body)
	for range 1_000 {
		if _, err := body.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	close(ask)
	rest, err := io.ReadAll(body)
	if err != nil || !strings.HasSuffix(string(rest), `"total":2001}`+"\n") {
		t.Errorf("%v, the end is %s", err, rest[max(0, len(rest)-200):])
	}
}

func TestSinceIsInUTC(t *testing.T) {
	since := time.Date(2026, 1, 1, 0, 30, 0, 1, time.FixedZone("", 3600))
	r := serve(t, &Server{Listeners: []Listener{{Name: "l", Violations: func() []rules.Violation {
		return []rules.Violation{{Since: since}}
	}}}})
	if _, body := r.get("/violations?" + url.Values{"listener": {
		"l"}}.Encode()); !strings.Contains(body, `"since":"2025-12-31T23:30:00.000000001Z"`) {
		t.Error(body)
	}
}
