package filters

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
)

// words gives conditions as one text, with a ! behind it if they are all there is.
func (c Conditions) words() string {
	var parts []string
	if c.Ops != allOps {
		ops := []string{}
		for _, op := range event.Ops {
			if c.Ops.Has(op) {
				ops = append(ops, op.String())
			}
		}
		parts = append(parts, strings.Join(ops, "|"))
	}
	for _, o := range c.Object {
		what := []string{OfNamespace: "namespace", OfName: "name", OfLabel: o.Key, OfField: o.Key}[o.Of]
		test := []string{In: "=", NotIn: "≠", Exists: " there", NotExists: " missing"}[o.Test]
		parts = append(parts, what+test+strings.Join(o.Values, ","))
	}
	text := strings.Join(parts, " ")
	if c.Complete {
		text += "!"
	}
	return text
}

func TestConditions(t *testing.T) {
	for text, want := range map[string]string{
		// The op, in whatever logic.
		`op == "update"`:                         "update!",
		`"update" == op`:                         "update!",
		`op != "update"`:                         "add|delete|resync!",
		`not (op == "add")`:                      "update|delete|resync!",
		`op in ["add", "delete"]`:                "add|delete!",
		`op not in ["add", "delete"]`:            "update|resync!",
		`op == "add" || op == "delete"`:          "add|delete!",
		`!(op == "add" || op == "delete")`:       "update|resync!",
		`not (op != "add" && op != "delete")`:    "add|delete!",
		`op in ["add", "update"] && op != "add"`: "update!",
		`op == "add" and op == "delete"`:         "!", // never
		`op in []`:                               "!",
		`op in ["add", object.x]`:                "",
		`op == object.x`:                         "",
		`op == "add" && initial`:                 "add",
		`op == "add" || object.x == 1`:           "",
		`(op == "add" && object.x == 1) || (op == "delete" && !initial)`: "add|delete",
		`changed("spec")`:                                   "update",
		`!changed("spec")`:                                  "",
		`op != "update" || changed("spec")`:                 "",
		`op == "delete" or changed("spec") and missed == 0`: "update|delete",
		`became(object.x)`:                                  "update",
		`!became(object.x)`:                                 "",
		`became(label("tier") == "x" && object.x)`:          "update tier=x",
		`became(true)`:                                      "update",
		`became(false)`:                                     "",
		`became(object.x) || op == "add"`:                   "add|update",
		`true`:                                              "!",
		`!true`:                                             "!",
		`op == "add" && true`:                               "add!",
		`let x = 5; op == "add"`:                            "add",
		`op == "add" ? true : false`:                        "",
		`op startsWith "a"`:                                 "",

		// Namespace and name.
		`object.metadata.namespace == "shop"`:                                          "namespace=shop!",
		`"shop" == object["metadata"]?.namespace`:                                      "namespace=shop!",
		`object.metadata.namespace in ["shop", "pay"]`:                                 "namespace=shop,pay!",
		`object.metadata.namespace == "shop" || object?.metadata?.namespace == "pay"`:  "namespace=shop,pay!",
		`object.metadata.namespace != "kube-system"`:                                   "namespace≠kube-system!",
		`object.metadata.namespace not in ["a", "b"]`:                                  "namespace≠a,b!",
		`object.metadata.namespace == ""`:                                              "namespace=", // "" is not nil
		`object.metadata.namespace in ["", "a"]`:                                       "namespace=,a",
		`object.metadata.namespace not in ["", "a"]`:                                   "namespace≠a",
		`object.metadata.namespace == nil`:                                             "",
		`object.metadata.namespace == object.metadata.name`:                            "",
		`object.metadata.namespace == 5`:                                               "",
		`object.metadata.name == "web" && object.x.y > 5`:                              "name=web",
		`object.metadata.name in ["a", "b"] || object.metadata.name == "c"`:            "name=a,b,c!",
		`object.metadata.name == "a" || object.metadata.namespace == "b"`:              "",
		`object.metadata.name == "a" && op == "add" || object.metadata.name == "b"`:    "name=a,b",
		`old.metadata.name == "web"`:                                                   "",
		`object.spec.template.metadata.name == "web"`:                                  "spec.template.metadata.name=web!",
		`object.metadata.name startsWith "web"`:                                        "",
		`object.metadata.uid == "x"`:                                                   "metadata.uid=x!",
		`any(object.metadata.ownerReferences, .name == "x") && object.metadata != nil`: "",

		// Labels.
		`label("tier") == "x"`:                                                           "tier=x!",
		`object.metadata.labels.tier == "x"`:                                             "tier=x!",
		`object.metadata.labels["app.kubernetes.io/name"] == "x"`:                        "app.kubernetes.io/name=x!",
		`object?.metadata?.labels?.tier in ["x", "y"]`:                                   "tier=x,y!",
		`label("tier") in ["x", "y"] && label("app") != "z"`:                             "tier=x,y app≠z!",
		`label("tier") != "x"`:                                                           "tier≠x!",
		`!(label("tier") == "x")`:                                                        "tier≠x!",
		`label("tier") not in ["x", "y"]`:                                                "tier≠x,y!",
		`not (label("tier") == "x" || label("app") == "y")`:                              "tier≠x app≠y!",
		`not (label("tier") != "x" && label("tier") != "y")`:                             "tier=x,y!",
		`label("tier") != nil`:                                                           "tier there!",
		`nil == label("tier")`:                                                           "tier missing!",
		`"tier" in object.metadata.labels`:                                               "tier there!",
		`"tier" not in object.metadata.labels`:                                           "tier missing!",
		`label("tier") == "x" || label("app") == "x"`:                                    "",
		`label("tier") == "x" || label("tier") == nil`:                                   "",
		`label("tier") in ["x", 5]`:                                                      "", // a label may be a number
		`label("tier") in object.list`:                                                   "",
		`label("tier") == object.x`:                                                      "",
		`label("ti" + "er") == "x"`:                                                      "",
		`label("") == "x"`:                                                               "",
		`object.metadata.labels[0] == "x"`:                                               "",
		`object.metadata.labels.tier.x == "x"`:                                           "metadata.labels.tier.x=x!",
		`annotation("tier") == "x"`:                                                      "",
		`"tier" in object.metadata.annotations`:                                          "",
		`label("tier") startsWith "x"`:                                                   "",
		`(label("tier") ?? "") == "x"`:                                                   "",
		`label("tier") == "x" && op == "update" && object.metadata.name == "a"`:          "update tier=x name=a!",
		`label("tier") == "x" && (op == "delete" || changed("spec"))`:                    "update|delete tier=x",
		`op == "add" && label("a") == "x" || op == "add" && label("a") == "y"`:           "add a=x,y!",
		`op == "add" && label("a") == "x" || op == "delete" && label("a") in ["y", "z"]`: "add|delete a=x,y,z",
		`let tier = label("tier"); tier == "x"`:                                          "",
		`any(object.list, label("tier") == "x")`:                                         "",
		`"x" < label("tier") < "z"`:                                                      "",

		// Fields.
		`object.status.phase == "Pending"`:                                  "status.phase=Pending!",
		`object["status"]?.phase in ["Pending", "Failed"]`:                  "status.phase=Pending,Failed!",
		`object.status.phase != "Running" && object.spec["a.b"] == "x"`:     `status.phase≠Running spec["a.b"]=x!`,
		`object.status.phase == "Failed" || object.status.phase == "Other"`: "status.phase=Failed,Other!",
		`object.status.phase == "Failed" || object.spec.phase == "Other"`:   "",
		`object.spec.replicas == 3`:                                         "",
		`object.spec.list[0] == "x"`:                                        "",
		`object.status.phase == nil`:                                        "",
		`object == "x"`:                                                     "",
	} {
		if got := compile(t, text).Conditions().words(); got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

// fulfilled reads conditions as they are documented, with another JSON library. An odd object is one about which they
// need not know everything.
func (c Conditions) fulfilled(t *rapid.T, e event.Event) (holds, odd bool) {
	var o struct {
		Metadata struct {
			Name, Namespace string
			Labels          any
		}
	}
	if err := json.Unmarshal([]byte(e.Object.JSON()), &o); err != nil {
		t.Fatal(err)
	}
	labels, ok := o.Metadata.Labels.(map[string]any)
	none := !ok && o.Metadata.Labels != nil
	odd = none
	var all map[string]any
	if err := json.Unmarshal([]byte(e.Object.JSON()), &all); err != nil {
		t.Fatal(err)
	}
	holds = c.Ops.Has(e.Op)
	for _, condition := range c.Object {
		value, exists := "", true
		switch condition.Of {
		case OfNamespace:
			value = o.Metadata.Namespace
		case OfName:
			value = o.Metadata.Name
		case OfField:
			var field any = all
			for name := range strings.SplitSeq(condition.Key, ".") {
				members, _ := field.(map[string]any)
				field = members[name]
			}
			value, exists = field.(string)
		case OfLabel:
			var label any
			label, exists = labels[condition.Key]
			text, isText := label.(string)
			if none || exists && !isText {
				odd = true
				holds = holds && condition.Test != In
				continue
			}
			value = text
		}
		in := exists && slices.Contains(condition.Values, value)
		holds = holds && map[Test]bool{In: in, NotIn: !in, Exists: exists, NotExists: !exists}[condition.Test]
	}
	return holds, odd
}

func drawCondition(t *rapid.T) string {
	from := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "part") }
	subject := from("op", "object.metadata.namespace", `object["metadata"]?.namespace`, "object.metadata.name", `label("tier")`, `label("tier")`,
		"object.metadata.labels.tier", `object.metadata.labels["a.b/c"]`, `label("a.b/c")`, `label("text")`, `annotation("tier")`, "old.metadata.name", "object.x", "object.x.x")
	values := []string{`"x"`, `"x"`, `"y"`, `""`, `"a\"b"`, "nil", "5", "object.x", `label("tier")`}
	if subject == "op" {
		values = []string{`"add"`, `"update"`, `"delete"`, `"resync"`, "nil", "object.x"}
	}
	list := func() string {
		return "[" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(values), 0, 3).Draw(t, "list"), ", ") + "]"
	}
	switch rapid.IntRange(0, 7).Draw(t, "form") {
	case 0, 1:
		return subject + " == " + from(values...)
	case 2:
		return subject + " != " + from(values...)
	case 3:
		return from(values...) + from(" == ", " != ") + subject
	case 4:
		return subject + " in " + list()
	case 5:
		return subject + " not in " + list()
	case 6:
		return from(`"tier"`, `"a.b/c"`, `"text"`, `"none"`, "5") + from(" in ", " not in ") + from("object.metadata.labels", "object?.metadata?.labels", "object.metadata")
	default:
		return from("true", "false", "initial", `changed("x")`, `became(label("tier") == "x")`, `became(object.x == 5 || object.metadata.name in ["x"])`, "object.x", "object.x > 1", `any(object.list, label("tier") == "x")`)
	}
}

func drawConditions(t *rapid.T, depth int) string {
	operand := func() string { return "(" + drawConditions(t, depth-1) + ")" }
	choice := rapid.IntRange(0, 9).Draw(t, "logic")
	if depth == 0 || choice < 2 {
		return drawCondition(t)
	}
	switch choice {
	case 2:
		return rapid.SampledFrom([]string{"!", "not "}).Draw(t, "not") + operand()
	case 3:
		return operand() + " ? " + operand() + " : " + operand()
	case 4:
		return "let v" + fmt.Sprint(depth) + " = " + drawCondition(t) + "; " + drawConditions(t, depth-1)
	case 5, 6, 7:
		return operand() + rapid.SampledFrom([]string{" && ", " and "}).Draw(t, "and") + operand()
	default:
		return operand() + rapid.SampledFrom([]string{" || ", " or "}).Draw(t, "or") + operand()
	}
}

func drawMetadata(t *rapid.T) string {
	scalar := rapid.SampledFrom([]string{`"x"`, `"\u0078"`, `"y"`, `""`, `"a\"b"`, "5", "null", "true", `["x"]`, `{"x":"x"}`})
	text := rapid.SampledFrom([]string{`"x"`, `"x"`, `"\u0078"`, `"y"`, `""`, `"a\"b"`})
	member := rapid.OneOf(text, text, text, scalar)
	labels := ""
	tier := rapid.SampledFrom([]string{`"tier"`, `"tier"`, `"tie\u0072"`}).Draw(t, "tier")
	for _, key := range rapid.Permutation([]string{tier, `"a.b/c"`, `"text"`}).Draw(t, "keys")[:rapid.IntRange(0, 3).Draw(t, "count")] {
		if labels != "" {
			labels += ","
		}
		labels += key + ": " + member.Draw(t, "label")
	}
	labels = rapid.SampledFrom([]string{"", `,"labels":{` + labels + "}", `,"labels":{` + labels + "}", `,"labels":{` + labels + "}", `,"labels":null`, `,"labels":"x"`, `,"labels":["tier"]`}).Draw(t, "labels")
	namespace := rapid.SampledFrom([]string{"", `,"namespace":""`, `,"namespace":null`, `,"namespace":"x"`, `,"namespace":"\u0078"`, `,"namespace":"y"`}).Draw(t, "namespace")
	return `{"metadata":{"name":` + rapid.SampledFrom([]string{`"x"`, `"y"`, `"\u0078"`}).Draw(t, "name") + namespace + labels + `},"x":` + scalar.Draw(t, "x") + `,"list":[1]}`
}

// An event that matches fulfils the conditions, whatever the expression and the object. If the conditions are complete,
// an event that fulfils them matches, unless its object is odd.
func TestConditionsAreNecessary(t *testing.T) {
	matched, refused, complete := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		parse := func(text string) *event.Object {
			p := event.Parser{APIVersion: "v1", Kind: "Pod"}
			o, err := p.Parse([]byte(text))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			return o
		}
		text := drawConditions(t, 3)
		f, err := Compile(Source{Text: text})
		if err != nil {
			return // a type that is known, or a name that op never has
		}
		e := f.Evaluator()
		for range 10 {
			ev := event.Event{Op: rapid.SampledFrom(event.Ops).Draw(t, "op"), Object: parse(drawMetadata(t))}
			if ev.Op == event.Update {
				ev.Old = parse(drawMetadata(t))
			}
			ev.Initial = ev.Op == event.Add && rapid.Bool().Draw(t, "initial")
			ok, err := e.Match(ev)
			c := f.Conditions()
			holds, odd := c.fulfilled(t, ev)
			if ok && !holds {
				t.Fatalf("%s\n%s %s\nmatches, but is refused by %s", text, ev.Op, ev.Object.JSON(), c.words())
			}
			if c.Complete && holds && !odd && !ok {
				t.Fatalf("%s\n%s %s\ndoes not match (%v), but %s is said to be complete", text, ev.Op, ev.Object.JSON(), err, c.words())
			}
			switch {
			case ok:
				matched++
			case !holds:
				refused++
			}
			if c.Complete && len(c.Object) > 0 {
				complete++
			}
		}
	})
	if !t.Failed() && (matched < 20 || refused < 20 || complete < 20) {
		t.Errorf("%d events matched, %d were refused before, %d by complete conditions", matched, refused, complete)
	}
	t.Logf("%d events matched, %d were refused before, %d had complete conditions", matched, refused, complete)
}
