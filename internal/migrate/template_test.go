package migrate

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	gotemplate "text/template"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// enhanced is what templates of event-exporter see.
type enhanced struct {
	corev1.Event
	ClusterName    string
	InvolvedObject struct {
		corev1.ObjectReference
		Labels map[string]string
	}
}

func (e enhanced) GetTimestampISO8601() string {
	at := e.FirstTimestamp.Time
	if at.IsZero() {
		at = e.EventTime.Time
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

// sprig are some functions of templates, as its documentation has them.
var sprig = gotemplate.FuncMap{
	"lower": strings.ToLower, "upper": strings.ToUpper, "trim": strings.TrimSpace,
	"toString": func(v any) string {
		if i, is := v.(int32); is {
			return strconv.Itoa(int(i))
		}
		return v.(string)
	},
	"default": func(otherwise, given string) string {
		if given == "" {
			return otherwise
		}
		return given
	},
}

var templatePieces = []string{"{{ .Message }}", "{{.Reason}}", " text ", "{{- .Type -}}",
	"{{ .Count }}", `"quotes" \ `,
	"{{ .InvolvedObject.Kind | lower }}", "{{ upper .InvolvedObject.Name }}",
	"{{ .Source.Component }}", "{{ .Source.Host | default \"nowhere\" }}",
	`{{ default "none" .Action }}`, `{{ index .Labels "team" }}`, "{{ .Labels.team }}",
	"{{ .ClusterName }}", "{{/* nothing */}}", "{{ .GetTimestampISO8601 }}", "{{ .Namespace }}",
	"{{ .ObjectMeta.Name }}", "{{ .InvolvedObject.ObjectReference.FieldPath }}", "\n",
	"{{ .Count | toString }}", "é🙂"}

// What a layout makes of an Event is what Go's templates make of it.
func TestTemplatesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(templatePieces), 1, 5).Draw(t,
			"pieces"), "")
		draw := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "field") }
		var e enhanced
		e.APIVersion, e.Kind, e.ClusterName = "v1", "Event", "prod"
		e.ObjectMeta = metav1.ObjectMeta{Name: "web.17f", Namespace: "shop",
			Labels: map[string]string{"team": draw("", "a b")}}
		e.Message, e.Reason, e.Type = draw("", `it "failed"`, "a\nb"), draw("", "Failed"),
			draw("Normal", "Warning")
		e.Count = int32(rapid.IntRange(0, 3).Draw(t, "count"))
		e.Source.Component, e.Source.Host = draw("", "kubelet"), draw("", "node-1")
		e.Action = draw("", "Bind")
		e.Event.InvolvedObject = corev1.ObjectReference{Kind: "Pod", Name: "web",
			FieldPath: draw("", "spec.containers{web}")}
		at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		if rapid.Bool().Draw(t, "first") {
			e.FirstTimestamp = metav1.NewTime(at)
		}
		object := parsed(t, e.Event) // its EventTime has no fraction yet
		e.InvolvedObject.ObjectReference = e.Event.InvolvedObject

		var want strings.Builder
		tree, err := gotemplate.New("a").Funcs(sprig).Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if e.FirstTimestamp.IsZero() && strings.Contains(text, "ISO8601") {
			t.Skip("an Event without any time")
		}
		if err := tree.Execute(&want, e); err != nil {
			t.Fatal(err)
		}
		layout, err := json.Marshal(map[string]any{"clusterName": "prod",
			"route": map[string]any{"match": []any{map[string]any{"receiver": "a"}}},
			"receivers": []any{map[string]any{"name": "a", "stdout": map[string]any{
				"layout": map[string]any{"text": text}}}}})
		if err != nil {
			t.Fatal(err)
		}
		converted, report, err := Convert(document.Text{File: "a.yaml", Data: layout})
		if err != nil || len(report.Lost) > 0 {
			t.Fatal(err, report)
		}
		_, p := compiled(t, converted)
		m := &filters.Message{Event: event.Event{Op: event.Add, Object: object}, Cluster: "prod"}
		got, err := p.Outputs["a"].Data.Evaluator().JSONOf(m)
		if err != nil {
			t.Fatalf("%v\n%s", err, converted)
		}
		var data struct{ Text string }
		if err := json.Unmarshal([]byte(got), &data); err != nil {
			t.Fatal(err)
		}
		if data.Text != want.String() {
			t.Fatalf("%q is %q, and not %q\n%s", text, data.Text, want.String(), converted)
		}
	})
}
