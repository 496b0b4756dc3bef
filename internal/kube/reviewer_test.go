package kube

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"testing"
)

// reviewing returns a reviewer that asks a server with these answers, and what it was asked last.
func reviewing(t *testing.T, audiences []string, answer *string) (r *Reviewer, asked *any) {
	asked = new(any)
	return &Reviewer{Audiences: audiences, API: newWriter(t, func(w http.ResponseWriter,
		r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(asked); err != nil {
			t.Error(err)
		}
		(*asked).(map[string]any)["path"] = r.Method + " " + r.URL.Path
		if *answer == "" {
			w.WriteHeader(http.StatusForbidden)
		}
		io.WriteString(w, *answer)
	})}, asked
}

func TestReviewerToken(t *testing.T) {
	const ann = `"user":{"username":"ann","uid":"1","groups":["g"],"extra":{"k":["v"]}}`
	whole := &Identity{Name: "ann", UID: "1", Groups: []string{"g"},
		Extra: map[string][]string{"k": {"v"}}}
	ours := []string{"informerd", "other"}
	for _, test := range []struct {
		audiences []string
		answer    string
		want      *Identity
		fails     bool
	}{
		{nil, `{"status":{"authenticated":true,` + ann + `}}`, whole, false},
		{nil, `{"status":{"authenticated":false,` + ann + `,"error":"expired"}}`, nil, false},
		{nil, `{"status":{}}`, nil, false},
		{nil, `{}`, nil, true},
		{nil, `<html>`, nil, true},
		{nil, "", nil, true},
		{ours, `{"status":{"authenticated":true,"audiences":["other"],` + ann + `}}`, whole, false},
		{ours, `{"status":{"authenticated":true,"audiences":["vault"],` + ann + `}}`, nil, false},
		{ours, `{"status":{"authenticated":true,` + ann + `}}`, nil, false},
	} {
		r, asked := reviewing(t, test.audiences, &test.answer)
		got, err := r.Token(t.Context(), "secret")
		if !reflect.DeepEqual(got, test.want) || (err != nil) != test.fails {
			t.Errorf("%s: got %+v, %v", test.answer, got, err)
		}
		spec := map[string]any{"token": "secret"}
		if test.audiences != nil {
			spec["audiences"] = []any{"informerd", "other"}
		}
		text, _ := (*asked).(map[string]any)
		if text["path"] != "POST /prefix/apis/authentication.k8s.io/v1/tokenreviews" ||
			text["kind"] != "TokenReview" || !reflect.DeepEqual(text["spec"], spec) {
			t.Errorf("asked: %v", text)
		}
	}
}

func TestReviewerMay(t *testing.T) {
	who := &Identity{Name: "ann", UID: "1", Groups: []string{"g"},
		Extra: map[string][]string{"k": {"v"}}}
	for answer, want := range map[string]string{
		`{"status":{"allowed":true}}`:               "true",
		`{"status":{"allowed":false}}`:              "false",
		`{"status":{"allowed":true,"denied":true}}`: "false",
		`{"status":{}}`:                             "false",
		`{}`:                                        "error", `<html>`: "error", "": "error",
	} {
		r, asked := reviewing(t, nil, &answer)
		got, err := r.May(t.Context(), who, "get", "/metrics")
		if want == "error" != (err != nil) || got != (want == "true") {
			t.Errorf("%s: got %t, %v", answer, got, err)
		}
		spec := map[string]any{"user": "ann", "uid": "1", "groups": []any{"g"},
			"extra":                 map[string]any{"k": []any{"v"}},
			"nonResourceAttributes": map[string]any{"path": "/metrics", "verb": "get"}}
		text, _ := (*asked).(map[string]any)
		if text["path"] != "POST /prefix/apis/authorization.k8s.io/v1/subjectaccessreviews" ||
			text["kind"] != "SubjectAccessReview" || !reflect.DeepEqual(text["spec"], spec) {
			t.Errorf("asked: %v", text)
		}
	}
}
