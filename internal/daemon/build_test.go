package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// plain is a text log without times.
func plain(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(w,
		&slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
}

func TestWhatIsDecidedBeforeTheBuffer(t *testing.T) {
	cfg := parse(t, head+`
  none: {informer: {resource: pods}, filter: object.spec.x == 1, outputs: [out]}
  plain: {informer: {resource: pods}, outputs: [out]}
  part:
    informer: {resource: pods}
    on: [add, update]
    filter: label("tier") in ["x", "y"] && op != "add" && object.metadata.namespace != "kube-system" && object.spec.x == 1
    outputs: [out]
  whole: {informer: {resource: pods}, filter: '"tier" not in object.metadata.labels && object.metadata.name == "a"', outputs: [out]}
  never: {informer: {resource: pods}, on: [add, delete], filter: changed("spec"), outputs: [out]}
  nothing: {informer: {resource: pods}, select: "false", outputs: [out]}
  set: {informer: {resource: pods}, on: [delete], select: 'label("tier") == "x"', outputs: [out]}
`)
	var log bytes.Buffer
	if err := Check(t.Context(), cfg, Options{Log: plain(&log, slog.LevelDebug)}); err != nil {
		t.Fatal(err)
	}
	want := `level=DEBUG msg="decided before the buffer" listener=none on="[add update delete]" conditions="[spec.x in [1]]" complete=false
level=DEBUG msg="decided before the buffer" listener=plain on="[add update delete]" conditions=[] complete=true
level=DEBUG msg="decided before the buffer" listener=part on=[update] conditions="[label(\"tier\") in [\"x\", \"y\"] namespace not in [\"kube-system\"] spec.x in [1]]" complete=false
level=DEBUG msg="decided before the buffer" listener=whole on="[add update delete]" conditions="[label(\"tier\") does not exist name in [\"a\"]]" complete=true
level=WARN msg="no event can match: the filter wants none of the listener's ops" listener=never
level=WARN msg="suspicious expression" listener=never at=` + cfg.File() +
		`:14:66 reason="changed is never true: the events are add and delete, and only an update changes an object"
level=WARN msg="no event can match: the select is never true" listener=nothing
level=DEBUG msg="decided before the buffer" listener=set on="[update delete]" conditions="[op in [\"delete\"] label(\"tier\") in [\"x\"]]" complete=false
`
	got := strings.Split(log.String(), "\n")
	slices.Sort(got)
	lines := strings.Split(want, "\n")
	slices.Sort(lines)
	if !slices.Equal(got, lines) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

// podServer lists pods of these metadata, and has no news of them.
func podServer(t *testing.T, metadata []string) string {
	t.Helper()
	var items []string
	for _, m := range metadata {
		items = append(items, `{"metadata":{`+m+`}}`)
	}
	server := apiServer(t, func() bool { return true })
	discovery := server.Config.Handler
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch query := r.URL.Query(); {
		case r.URL.Path != "/api/v1/pods":
			discovery.ServeHTTP(w, r)
		case query.Has("sendInitialEvents"):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w,
				`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
		case query.Has("watch"):
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w,
				`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"100"},"items":[`+strings.Join(items, ",")+`]}`)
		}
	})
	t.Cleanup(server.CloseClientConnections)
	return server.URL
}

// What is decided before the buffer changes nothing of what comes out: for many expressions and for
// objects of all kinds, each listener gets what its expression, evaluated, lets through.
func TestConditionsChangeNothingButTheCost(t *testing.T) {
	var metadata []string
	for _, namespace := range []string{"shop", "pay"} {
		for i, labels := range []string{
			``, `,"labels":{}`, `,"labels":null`, `,"labels":{"tier":"x"}`,
			`,"labels":{"tier":"y","app":"a"}`, `,"labels":{"tier":""}`,
			`,"labels":{"tier":5}`, `,"labels":{"tier":null}`,
			`,"labels":{"t\u0069er":"\u0078","app":"b"}`, `,"labels":["tier"]`,
			`,"labels":{"app":"a","a.b/c":"x"}`,
		} {
			metadata = append(metadata,
				fmt.Sprintf(`"name":"p%d","namespace":%q,"uid":"%s-%d","resourceVersion":"9"%s`, i,
					namespace, namespace, i, labels))
		}
	}
	expressions := []string{
		`label("tier") == "x"`, `label("tier") != "x"`, `label("tier") in ["x", "y"]`,
		`label("tier") not in ["x", ""]`, `label("tier") == ""`,
		`label("tier") == nil`, `label("tier") != nil`, `"tier" in object.metadata.labels`,
		`"tier" not in object.metadata.labels`,
		`label("tier") == 5`, `label("tier") in ["x", 5]`,
		`label("tier") == "x" || label("tier") == "y" && label("app") == "a"`,
		`object.metadata.labels["a.b/c"] == "x"`, `!(label("tier") == "x" || label("app") == "a")`,
		`object.metadata.namespace == "shop"`,
		`object.metadata.namespace != "shop" && label("app") != nil`,
		`object.metadata.namespace == ""`,
		`object.metadata.namespace in ["", "pay"] && object.metadata.name in ["p1", "p3"]`,
		`object.metadata.name != "p1" && object.metadata.uid != "shop-2"`,
		`op == "add" && label("app") == "a"`, `op == "update"`,
		`op != "update" && !changed("metadata")`, `op == "delete" || label("tier") == "y"`,
		`object.metadata.name > 5 || label("tier") == "x"`,
		`label("tier") == "x" && object.metadata.name > 5`,
	}
	text := head
	for i, e := range expressions {
		text += fmt.Sprintf("  e%d: {informer: {resource: pods}, filter: %q, outputs: [out]}\n", i,
			e)
	}
	cfg := parse(t, text+"  everything: {informer: {resource: pods}, outputs: [out]}\n")

	var log, out lockedBuffer
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, cfg, Options{
			Kubeconfig: kubeconfig(t, podServer(t, metadata)), Stdout: &out,
			Log: slog.New(slog.NewJSONHandler(&log, nil)),
		})
	}()
	for i := range expressions {
		log.waitFor(t, fmt.Sprintf(`"msg":"listening","listener":"e%d"`, i))
	}
	out.waitForLines(t, len(metadata), `"source":"/clusters/default/listeners/everything"`)
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}

	got := map[string][]string{}
	for line := range strings.Lines(out.String()) {
		var e struct{ Source, Subject string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		_, listener, _ := strings.Cut(e.Source, "/listeners/")
		got[listener] = append(got[listener], e.Subject)
	}
	refused := map[string]int{}
	for line := range strings.Lines(log.String()) {
		var l struct {
			Msg, Listener string
			Refused       int `json:"refusedBeforeBuffer"`
			Events        map[string]int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		if l.Msg == "listener stopped" {
			refused[l.Listener] = l.Refused
			if l.Refused+l.Events["add"] != len(metadata) {
				t.Errorf("%s: %d of %d objects are not accounted for: %s", l.Listener,
					len(metadata)-l.Refused-l.Events["add"], len(metadata), line)
			}
		}
	}
	parser, total := object.Parser{APIVersion: "v1", Kind: "Pod"}, 0
	for i, text := range expressions {
		f, err := filters.Compile(filters.Expression{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		matcher, want := f.Evaluator(), []string(nil)
		for _, m := range metadata {
			o, err := parser.Parse([]byte(`{"metadata":{` + m + `}}`))
			if err != nil {
				t.Fatal(err)
			}
			// one that fails does not match
			if ok, _ := matcher.Match(event.Event{Op: event.Add, Object: o}); ok {
				want = append(want, "pods/"+o.Namespace()+"/"+o.Name())
			}
		}
		name := fmt.Sprint("e", i)
		slices.Sort(got[name])
		slices.Sort(want)
		if !slices.Equal(got[name], want) {
			t.Errorf("%s\n got %v\nwant %v", text, got[name], want)
		}
		const odd = 6 // labels that are a number, null or a list
		if c := f.Conditions(); c.Complete && refused[name]+len(want) < len(metadata)-odd {
			t.Errorf("%s: refused only %d before the buffer", text, refused[name])
		}
		total += refused[name]
	}
	if total == 0 {
		t.Error("nothing was refused before the buffer")
	}
}
