package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// database serves an index with the given status and text, and returns its URL.
func database(t *testing.T, status int, text string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/index/db.json.gz" {
			status = http.StatusTeapot
		}
		w.WriteHeader(status)
		w.Write([]byte(text))
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func stopped(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	return srv.URL
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRun(t *testing.T) {
	index := packed(t, `{"modified":"2026-01-02T03:04:05Z"}`)
	finding := errors.New("exit status 3")
	tests := []struct {
		name, database string
		required       bool
		finding        error
		scanned        int    // folders
		out, err       string // parts, "" for nothing
	}{
		{"all is well", database(t, 200, index), false, nil, 2, "", ""},
		{"a mirror with a slash", database(t, 200, index) + "/", false, nil, 2, "", ""},
		{"a mirror on disk", "file:///mirror/", true, nil, 2, "", ""},
		{"a finding", database(t, 200, index), false, finding, 2, "",
			"govulncheck in b: exit status 3"},
		{"nobody listens", stopped(t), false, nil, 0,
			"NOT RUN: the vulnerability database http://127.0.0.1:", ""},
		{"nobody listens, required", stopped(t), true, nil, 0, "", "connection refused"},
		{"a firewall answers", database(t, 403, "no"), false, nil, 0,
			"/index/db.json.gz: 403 Forbidden", ""},
		{"a firewall answers, required", database(t, 403, "no"), true, nil, 0, "", "403 Forbidden"},
		{"a server in trouble", database(t, 503, ""), false, nil, 0, "503 Service Unavailable", ""},
		{"no database", database(t, 404, ""), false, nil, 0, "",
			"is not a vulnerability database: http://127.0.0.1:"},
		{"a login page", database(t, 200, "<html>"), false, nil, 0, "",
			"its index/db.json.gz has no time of change"},
		{"no time", database(t, 200, packed(t, "{}")), false, nil, 0, "",
			"its index/db.json.gz has no time of change"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out strings.Builder
			scanned := 0
			c := check{database: tt.database, required: tt.required, out: &out,
				scan: func(_ context.Context, db, _ string) error {
					if want := strings.TrimSuffix(tt.database, "/"); db != want {
						t.Errorf("database %s, want %s", db, want)
					}
					scanned++
					return tt.finding
				}}
			err := c.run(t.Context(), []string{"a", "b"})
			if scanned != tt.scanned {
				t.Errorf("%d folders scanned, want %d", scanned, tt.scanned)
			}
			if got := out.String(); !strings.Contains(got, tt.out) ||
				(tt.out == "") != (got == "") || strings.Count(got, "\n") > 1 {
				t.Errorf("output %q, want one line with %q", got, tt.out)
			}
			switch {
			case tt.err == "" && err != nil:
				t.Errorf("error %v, want none", err)
			case tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)):
				t.Errorf("error %v, want one with %q", err, tt.err)
			}
		})
	}
}
