package filters_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestText(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	long := strings.Repeat("ü", 600)
	ev.Object = filtertest.NewObject(t, strings.Replace(filtertest.SamplePod, `"priority":100`,
		`"priority":100,"long":"`+long+`","float":2.5,"yes":true,"null":null,"big":1e400`, 1))
	for text, want := range map[string]string{
		`"stuck: " + object.metadata.name`:        "stuck: web-1",
		`object.metadata.name`:                    "web-1",
		`"pod of " + listener + " in " + cluster`: "pod of pods in prod-eu-1",
		`cluster.name + cluster.labels.region`:    "prod-eu-1eu",
		`object.spec.priority`:                    "100",
		`object.spec.float`:                       "2.5",
		`object.spec.big`:                         "+Inf",
		`object.spec.yes`:                         "true",
		`object.spec.null`:                        "",
		`object.spec.nothing.at.all`:              "",
		`nil`:                                     "",
		`"x" + object.spec.nothing`:               "",
		`"x" + (object.spec.nothing ?? "?")`:      "x?",
		`len(object.spec.containers)`:             "2",
		`len(object.spec.containers) > 1`:         "true",
		`age()`:                                   "15m0s",
		`date(object.status.startTime)`:           "2026-01-02T03:00:05Z",
		`quantity("1024Mi")`:                      "1Gi",
		`image("nginx")`:                          "docker.io/library/nginx:latest",
		`condition("Ready").reason`:               "Grün",
		`"has " + string(len(object.spec.containers)) + " containers"`: "has 2 containers",
		`object.spec.long`:       strings.Repeat("ü", 510) + "…",
		`"x" + object.spec.long`: "x" + strings.Repeat("ü", 510) + "…",
		`"zone " + cached("nodes", "", object.spec.nodeName).metadata.labels.zone`: "zone a",
		`clusters("services", "shop", "web")[-1].cluster + " has another port"`:    "prod-us-1 has another port",
	} {
		source := filtertest.SampleSource(text)
		source.Kind, source.Rule = lang.KindMessage, "r"
		e := filtertest.SampleEvaluator(t, source, caches)
		for range 2 {
			got, err := e.Text(ev)
			if err != nil || got != want || len(got) > lang.MaxMessage || !utf8.ValidString(got) {
				t.Errorf("%s: %q, %v, want %q", text, got, err, want)
			}
		}
	}
	for text, want := range map[string]string{
		`object.spec`:            `config.yaml:12:8: listener "pods": rule "r": a rule's message must return text, this returned object`,
		`object.spec.containers`: `config.yaml:12:13: listener "pods": rule "r": a rule's message must return text, this returned list`,
		`"x" + 5 * missing`:      "",
		`"x" + object.spec.yes`:  `config.yaml:12:5: listener "pods": rule "r": "+" cannot take string and bool`,
	} {
		source := filtertest.SampleSource(text)
		source.Kind, source.Rule = lang.KindMessage, "r"
		f, err := filters.Compile(source)
		if want == "" {
			if err == nil {
				t.Errorf("%s is compiled", text)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Evaluator().Text(ev)
		var ee *lang.EvalError
		if got != "" || !errors.As(err, &ee) || err.Error() != want || ee.Rule != "r" {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

// A text does not change when the evaluator goes on to the next event: an object's memory is only
// lent.
func TestTextIsTheCallers(t *testing.T) {
	source := filtertest.SampleSource(`object.metadata.name`)
	source.Kind = lang.KindMessage
	e := filtertest.SampleEvaluator(t, source, nil)
	p := object.Parser{APIVersion: "v1", Kind: "Pod"}
	var texts []string
	// which it pays to pack
	large := strings.Replace(filtertest.SamplePod, `"spec":{`,
		`"spec":{"command":["`+strings.Repeat("sleep 1; ", 300)+`"],`, 1)
	for i := range 4 {
		o, err := p.Parse([]byte(strings.Replace(large, "web-1", "web-"+string(rune('1'+i)), 1)))
		if err != nil {
			t.Fatal(err)
		}
		if o = o.Stored(); i > 1 && o.Memory() > o.Size() {
			t.Fatal("the objects are not packed")
		}
		text, err := e.Text(event.Event{Op: event.Resync, Object: o})
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	if got := strings.Join(texts, " "); got != "web-1 web-2 web-3 web-4" {
		t.Error(got)
	}
}

// What looks at the object alone does so whatever the op.
func TestKindsThatLookAtTheObjectAlone(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	for _, kind := range []lang.Kind{lang.KindSelect, lang.KindDeny} {
		for text, want := range map[string]bool{
			`object.status.phase == "Running" && label("tier") == "frontend"`: true,
			`object.status.phase == "Pending"`:                                false,
			`object.spec.nothing`:                                             false,
			`cluster == "prod-eu-1" && listener == "pods" && age() > "10m"`:   true,
			`cluster.labels.region == "eu" && "zone" not in cluster.labels`:   true,
			`cached("nodes", "", object.spec.nodeName).spec.unschedulable`:    true,
			`one(clusters("services", "shop", "web"), .cluster == cluster)`:   true,
		} {
			source := filtertest.SampleSource(text)
			source.Kind = kind
			e := filtertest.SampleEvaluator(t, source, caches)
			for _, op := range event.Ops {
				ev.Op = op
				if ok, err := e.Match(ev); ok != want || err != nil {
					t.Errorf("%s, %s: %v, %v", text, op, ok, err)
				}
			}
		}
	}
}

func TestTheWrongQuestion(t *testing.T) {
	ev, _ := filtertest.Sample(t)
	message := filtertest.SampleSource(`object.metadata.name`)
	message.Kind = lang.KindMessage
	if ok, err := filtertest.SampleEvaluator(t, message, nil).Match(ev); ok || err == nil ||
		err.Error() != `config.yaml:12:1: listener "pods": this expression is a message: use Text` {
		t.Error(ok, err)
	}
	if text, err := filtertest.SampleEvaluator(t, filtertest.SampleSource(`true`),
		nil).Text(ev); text != "" ||
		err == nil || err.Error() != `config.yaml:12:1: listener "pods": this expression is a filter: use Match` {
		t.Error(text, err)
	}
}

// Errors at run time name the kind and the rule.
func TestEvalErrorsOfKinds(t *testing.T) {
	ev, _ := filtertest.Sample(t)
	for kind, want := range map[lang.Kind]string{
		lang.KindFilter: `filter:1:13: listener "l": a filter must return true or false, this returned string`,
		lang.KindSelect: `select:1:13: listener "l": a select must return true or false, this returned string`,
		lang.KindDeny:   `deny:1:13: listener "l": rule "r": a rule's deny must return true or false, this returned string`,
	} {
		source := lang.Expression{Text: `object.spec.nodeName`, Listener: "l", Kind: kind}
		if kind == lang.KindDeny {
			source.Rule = "r"
		}
		if ok, err := filtertest.SampleEvaluator(t, source, nil).Match(ev); ok || err == nil ||
			err.Error() != want {
			t.Errorf("%v, %v, want %s", ok, err, want)
		}
	}
}

// Whose answer may change although the object does not is known, and a filter that is not there has
// none.
func TestLooksAround(t *testing.T) {
	for text, want := range map[string]bool{
		`object.spec.nodeName != nil`:                      false,
		`age() > "1h"`:                                     true,
		`cached("nodes", "", object.spec.nodeName) != nil`: true,
		`clusters("nodes", "", "a") == []`:                 true,
	} {
		f, err := filters.Compile(filters.Expression{Text: text, Informers: map[string][]string{"nodes": nil}})
		if err != nil {
			t.Fatal(err)
		}
		if got := f.LooksAround(); got != want {
			t.Errorf("%s: got %t", text, got)
		}
	}
	if (*filters.Filter)(nil).LooksAround() {
		t.Error("no filter looks around")
	}
}

// Whether an expression of any kind reads the cluster is known, also if it is recorded.
func TestReadsCluster(t *testing.T) {
	for text, want := range map[string]bool{
		`cluster == "a"`:                             true,
		`cluster.name == "a"`:                        true,
		`cluster.labels.a == "b"`:                    true,
		`"a" in cluster?.labels`:                     true,
		`any([1], cluster.labels[string(#)] == nil)`: true,
		`let c = [cluster]; true`:                    true,
		`object.cluster == "cluster"`:                false,
		`{"cluster": listener} != nil`:               false,
		`any(object.x, .cluster.labels.a == "b")`:    false,
	} {
		for kind := filters.KindFilter; kind <= filters.KindText; kind++ {
			f, err := filters.Compile(filters.Expression{Text: text, Kind: kind})
			if err != nil {
				t.Fatal(err)
			}
			recorded, err := f.Recorded(nil)
			if err != nil || f.ReadsCluster() != want || recorded.ReadsCluster() != want {
				t.Errorf("%s: %t, %t, %v", text, f.ReadsCluster(), recorded.ReadsCluster(), err)
			}
		}
	}
	if (*filters.Filter)(nil).ReadsCluster() {
		t.Error("no filter reads the cluster")
	}
}
