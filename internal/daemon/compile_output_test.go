package daemon

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

const outputsHead = "apiVersion: informerd.dev/v1alpha1\nkind: Config\nstate: {dir: state}\n"

// Expressions of outputs are checked as those of listeners are, against the objects of the
// listeners that use the output.
func TestExpressionsOfOutputs(t *testing.T) {
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	cfg := parse(t, outputsHead+`listeners:
  a: {informer: {resource: pods, drop: [status]}, rules: [{name: r, deny: "true"}], outputs: [one, both, bus, chat, pager, fix, twice]}
  b: {informer: {resource: nodes}, outputs: [both, bus]}
outputs:
  one: {when: object.spec.nodeNam == "n", data: object.status.phase, stdout: {}}
  both: {when: object.spec.nodeNam == "n", data: severity + 1, stdout: {}}
  bus: {nats: {servers: ["nats://n"], subject: '"a." + clutser'}}
  chat: {slack: {url: {fromEnv: U}, text: 'cached("pods", "", "a") != nil'}}
  pager: {alertmanager: {url: http://a, labels: {team: object.metadata.labels, b: "5"}}}
  fix: {patch: {patch: '{"metadata": '}}
  twice: {when: 'name', stdout: {}}
`)
	want := `c.yaml:8:27: output "one": there is no field nodeNam in object.spec; did you mean nodeName?
c.yaml:8:56: output "one": the informer drops status, so it is always nil; take it out of the informer's drop
c.yaml:9:59: output "both": "+" cannot take a string and an integer; put string(…) around what is no text
c.yaml:10:56: output "bus": unknown name "clutser"; did you mean "cluster"?
c.yaml:11:44: output "chat": cached is not available in outputs; ask for other objects in the filter or in a handler
c.yaml:12:72: output "pager": this expression must return text, object.metadata.labels is an object
c.yaml:13:37: output "fix": the expression ends too early
c.yaml:14:18: output "twice": when must return true or false, this returns string`
	err = Check(t.Context(), cfg, Options{Log: quiet, Schemas: schemas})
	var mistakes config.Errors
	if !errors.As(err, &mistakes) {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.SplitSeq(mistakes.Error(), "\n") {
		if strings.Contains(line, `: output "`) {
			lines = append(lines, line[strings.LastIndex(line, "/")+1:])
		}
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What can never be true is a warning, with the events of all listeners in mind, and a field of the
// data that none of their handlers makes.
func TestWarningsOfOutputs(t *testing.T) {
	var log bytes.Buffer
	cfg := parse(t, outputsHead+`listeners:
  a: {informer: {resource: pods}, on: [add], outputs: [one, ruled, all]}
  b: {informer: {resource: pods}, on: [add, delete], outputs: [two]}
  c: {informer: {resource: pods}, on: [delete], filter: "true", rules: [{name: r, deny: "true"}], outputs: [ruled]}
outputs:
  one: {when: op == "delete", stdout: {}}
  all: {data: '{"m": data?.m ?? 0}', stdout: {}}
  two: {when: op == "delete", data: data.m, stdout: {}}
  ruled: {when: op == "update", stdout: {}}
`)
	if err := Check(t.Context(), cfg, Options{Log: plain(&log, slog.LevelWarn)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`level=WARN msg="suspicious expression" output=one at=` + cfg.File() + `:9:21 `,
		`level=WARN msg="suspicious expression" output=two at=` + cfg.File() + `:11:37 `} {
		if got := log.String(); !strings.Contains(got, want) || strings.Count(got, "\n") != 2 {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
