package apply

import (
	"encoding/json"
	"testing"
)

// Whatever JSON somebody has written, and whatever a server has, nothing panics, what is merged is
// JSON, and the form of a server is one that stays.
func FuzzMerge(f *testing.F) {
	const is = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","generation":3,"annotations":{"` +
		lastApplied + `":"{\"spec\":{\"paused\":true}}"},"managedFields":[{"manager":"a","operation":"Apply","apiVersion":"apps/v1","fieldsV1":{"f:spec":{"f:template":{"f:spec":{"f:containers":{"k:{\"name\":\"web\"}":{".":{},"f:image":{}}}}}}}}]},"spec":{"paused":true,"template":{"spec":{"containers":[{"name":"web","image":"a"}]}}}}`
	for _, written := range []string{is, `{}`, `null`, `[]`, `{"metadata":1}`, `{"spec":[1]}`,
		`{"apiVersion":"v1","kind":"Secret","stringData":{"a":1},"data":[]}`,
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":[],"labels":null},"spec":{"template":{"spec":{"containers":{"name":1}}}}}`,
		`{"apiVersion":"v1","kind":"Pod","spec":{"containers":[null,1,{"resources":{"limits":{"cpu":1e400}}}]}}`,
		`{"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"resources":{"limits":{"cpu":"1e-999999999"}}}]}}`,
		`{"apiVersion":"example.com/v1","kind":"Widget","spec":{"$patch":"delete","list":[{"$patch":"replace"}]}}`} {
		f.Add(is, written)
		f.Add(written, is)
	}
	f.Fuzz(func(t *testing.T, is, written string) {
		merged, _, err := Merge([]byte(is), []byte(written))
		if err == nil && !json.Valid(merged) {
			t.Errorf("%q and %q: %q", is, written, merged)
		}
		if once := Canonical([]byte(written)); string(Canonical(once)) != string(once) {
			t.Errorf("%q: %q, and then %q", written, once, Canonical(once))
		}
		Unknown([]byte(written))
		Managers([]byte(is), []byte(written))
		noted, _, err := Noted([]byte(is), []byte(is), []byte(written))
		if err == nil && !json.Valid(noted) {
			t.Errorf("%q and %q: %q is noted", is, written, noted)
		}
	})
}
