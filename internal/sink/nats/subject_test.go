package nats_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/nats"
)

func TestSubjects(t *testing.T) {
	long := strings.Repeat("x", 512)
	s := start(t, &server.Options{})
	for subject, want := range map[string]string{
		"k8s":                       "",
		"k8s.prod.a-b_c/d:e":        "",
		"k8s.web.example.com":       "",
		"k8s.Ünïcode.名":             "",
		"$KV.pods.a":                "",
		"k8s.$SYS.a":                "",
		long:                        "",
		"":                          "is empty",
		long + "x":                  "has 513 bytes",
		"k8s.a\xff":                 "is not valid UTF-8",
		"k8s.*":                     "wildcard",
		"k8s.a*b":                   "wildcard",
		"k8s.>":                     "wildcard",
		"k8s.a b":                   "white space",
		"k8s.a\tb":                  "white space",
		"k8s.a\u00a0b":              "white space",
		"k8s.a\r\nPUB x 0\r\n":      "white space",
		"k8s.a\x00":                 "control",
		"k8s.a\x7f":                 "control",
		".k8s":                      "empty level",
		"k8s.":                      "empty level",
		"k8s..a":                    "empty level",
		".":                         "empty level",
		"$SYS.REQ.SERVER.PING":      "belongs to the server",
		"$JS.API.STREAM.DELETE.K8S": "belongs to the server",
		"_INBOX.a.b":                "belongs to the server",
	} {
		out := open(t, s, func(c *nats.Config) {
			c.Stream = ""
			c.Subject = func(*sink.Message) (string, error) { return subject, nil }
		})
		errs := out.Write(t.Context(), messages(t, 1, "a"))
		switch {
		case want == "" && errs != nil:
			t.Errorf("%.40q: %v", subject, errs)
		case want != "":
			wantError(t, errs, true, want)
		}
	}
}

func TestSubjectFails(t *testing.T) {
	s := start(t, &server.Options{})
	out := open(t, s, func(c *nats.Config) {
		c.Stream = ""
		c.Subject = func(m *sink.Message) (string, error) {
			if m.Object.Name() == "b" {
				return "", errors.New("no such field")
			}
			return "k8s", nil
		}
	})
	errs := out.Write(t.Context(), messages(t, 1, "a", "b", "c"))
	if len(errs) != 3 || errs[0] != nil || errs[2] != nil {
		t.Fatalf("got %v", errs)
	}
	wantError(t, errs[1:2], true, "no such field")
	wantError(t, out.Write(t.Context(), messages(t, 1, "b")), true, "no such field")
}
