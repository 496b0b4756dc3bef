package conditions_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/condition/conditiontest"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

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
		`op == "add" || object.x == 1`:           `(op in ["add"] or x in [1])`,
		`(op == "add" && object.x == 1) || (op == "delete" && !initial)`: `add|delete (op in ["add"] and x in [1] or op in ["delete"])`,
		`changed("spec")`:                                   "update (spec differs)",
		`!changed("spec")`:                                  "",
		`op != "update" || changed("spec")`:                 `(op in ["add", "delete", "resync"] or op in ["update"] and spec differs)`,
		`op == "delete" or changed("spec") and missed == 0`: `update|delete (op in ["delete"] or op in ["update"] and spec differs)`,
		`became(object.x)`:                                  "update (x is true) (old x is not true)",
		`!became(object.x)`:                                 "",
		`became(label("tier") == "x" && object.x)`:          `update tier=x (x is true) (old label("tier") not in ["x"] or old x is not true)`,
		`became(true)`:                                      "",
		`became(false)`:                                     "",
		`became(object.x) || op == "add"`:                   `add|update (op in ["update"] and x is true and old x is not true or op in ["add"])`,
		`true`:                                              "!",
		`!true`:                                             "!",
		`op == "add" && true`:                               "add!",
		`let x = 5; op == "add"`:                            "add!",

		// The cluster, whatever it is.
		`cluster == "a" && op == "add"`:                          "add",
		`cluster.name != "a" || op == "add"`:                     "",
		`cluster.labels.a == "b" && object.x == 1`:               "(x in [1])",
		`"a" in cluster.labels || object.x == 1`:                 "",
		`label("a") == cluster.labels.a`:                         "",
		`cluster.labels.a == nil ? op == "add" : op != "update"`: "add|delete|resync",
		`op == "add" ? true : false`:                             "add!",
		`op startsWith "a"`:                                      "",

		// Namespace and name.
		`object.metadata.namespace == "shop"`:                                         "namespace=shop!",
		`"shop" == object["metadata"]?.namespace`:                                     "namespace=shop!",
		`object.metadata.namespace in ["shop", "pay"]`:                                "namespace=shop,pay!",
		`object.metadata.namespace == "shop" || object?.metadata?.namespace == "pay"`: "namespace=shop,pay!",
		`object.metadata.namespace != "kube-system"`:                                  "namespace≠kube-system!",
		`object.metadata.namespace not in ["a", "b"]`:                                 "namespace≠a,b!",
		// "" is not nil
		`object.metadata.namespace == ""`:                                              "namespace=",
		`object.metadata.namespace in ["", "a"]`:                                       "namespace=,a",
		`object.metadata.namespace not in ["", "a"]`:                                   "namespace≠a",
		`object.metadata.namespace == nil`:                                             "",
		`object.metadata.namespace == object.metadata.name`:                            "",
		`object.metadata.namespace == 5`:                                               "(namespace in [5])",
		`object.metadata.name == "web" && object.x.y > 5`:                              "name=web (x.y > 5)",
		`object.metadata.name in ["a", "b"] || object.metadata.name == "c"`:            "name=a,b,c!",
		`object.metadata.name == "a" || object.metadata.namespace == "b"`:              `(name in ["a"] or namespace in ["b"])!`,
		`object.metadata.name == "a" && op == "add" || object.metadata.name == "b"`:    `name=a,b (op in ["add"] and name in ["a"] or name in ["b"])!`,
		`old.metadata.name == "web"`:                                                   `(old name in ["web"])!`,
		`object.spec.template.metadata.name == "web"`:                                  "spec.template.metadata.name=web!",
		`object.metadata.name startsWith "web"`:                                        `(name startsWith "web")`,
		`object.metadata.uid == "x"`:                                                   "metadata.uid=x!",
		`any(object.metadata.ownerReferences, .name == "x") && object.metadata != nil`: `(any(metadata.ownerReferences, .name in ["x"])) metadata there`,

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
		`label("tier") == "x" || label("app") == "x"`:                                    `(label("tier") in ["x"] or label("app") in ["x"])!`,
		`label("tier") == "x" || label("tier") == nil`:                                   `(label("tier") in ["x"] or label("tier") does not exist)!`,
		`label("tier") in ["x", 5]`:                                                      `(label("tier") in ["x", 5])`,
		`label("tier") in object.list`:                                                   "",
		`label("tier") == object.x`:                                                      "",
		`label("ti" + "er") == "x"`:                                                      "",
		`label("") == "x"`:                                                               `metadata.labels[""]=x!`,
		`object.metadata.labels[0] == "x"`:                                               "metadata.labels[0]=x!",
		`object.metadata.labels.tier.x == "x"`:                                           "metadata.labels.tier.x=x!",
		`annotation("tier") == "x"`:                                                      "metadata.annotations.tier=x!",
		`"tier" in object.metadata.annotations`:                                          `(metadata.annotations has "tier")`,
		`label("tier") startsWith "x"`:                                                   `(label("tier") startsWith "x")`,
		`(label("tier") ?? "") == "x"`:                                                   "",
		`label("tier") == "x" && op == "update" && object.metadata.name == "a"`:          "update tier=x name=a!",
		`label("tier") == "x" && (op == "delete" || changed("spec"))`:                    `update|delete tier=x (op in ["delete"] or op in ["update"] and spec differs)`,
		`op == "add" && label("a") == "x" || op == "add" && label("a") == "y"`:           "add a=x,y!",
		`op == "add" && label("a") == "x" || op == "delete" && label("a") in ["y", "z"]`: `add|delete a=x,y,z (op in ["add"] and label("a") in ["x"] or op in ["delete"] and label("a") in ["y", "z"])!`,
		`let tier = label("tier"); tier == "x"`:                                          "tier=x!",
		`any(object.list, label("tier") == "x")`:                                         `(any(list, label("tier") in ["x"]))`,
		`"x" < label("tier") < "z"`:                                                      `(label("tier") > "x") (label("tier") < "z")`,

		// Fields.
		`object.status.phase == "Pending"`:                                  "status.phase=Pending!",
		`object["status"]?.phase in ["Pending", "Failed"]`:                  "status.phase=Pending,Failed!",
		`object.status.phase != "Running" && object.spec["a.b"] == "x"`:     `status.phase≠Running spec["a.b"]=x!`,
		`object.status.phase == "Failed" || object.status.phase == "Other"`: "status.phase=Failed,Other!",
		`object.status.phase == "Failed" || object.spec.phase == "Other"`:   `(status.phase in ["Failed"] or spec.phase in ["Other"])!`,
		`object.spec.replicas == 3`:                                         "(spec.replicas in [3])",
		`object.spec.list[0] == "x"`:                                        "spec.list[0]=x!",
		`object.status.phase == nil`:                                        "status.phase missing!",
		`object == "x"`:                                                     "",

		// Texts, numbers, truth.
		`object.metadata.name startsWith "never-7" && any(object.spec.containers, .name == "x7")`: `(name startsWith "never-7") (any(spec.containers, .name in ["x7"]))`,
		`not (object.spec.host endsWith ".local")`:                                                `(spec.host not endsWith ".local")`,
		`object.spec.host contains object.x`:                                                      "",
		`hasPrefix(object.spec.host, "a") || hasSuffix(object.spec.host, "b")`:                    `(spec.host startsWith "a" or spec.host endsWith "b")`,
		`object.metadata.name matches "^web-[0-9]+$"`:                                             `(name startsWith "web-")`,
		`object.metadata.name matches "-canary"`:                                                  `(name contains "-canary")`,
		`object.metadata.name matches "(?i)^web"`:                                                 "",
		`not (object.metadata.name matches "^web")`:                                               "",
		`glob("web-*", object.metadata.name) || glob("*-db", object.metadata.name)`:               `(name startsWith "web-" or name endsWith "-db")`,
		`object.spec.replicas > 3`:                                                                "(spec.replicas > 3)",
		`3 > object.spec.replicas`:                                                                "(spec.replicas < 3)",
		`1 <= object.spec.replicas <= 5`:                                                          "(spec.replicas >= 1) (spec.replicas <= 5)",
		`!(object.spec.replicas > -1.5)`:                                                          "(spec.replicas not > -1.5)",
		`object.spec.replicas > 9007199254740993`:                                                 "",
		`object.spec.date < "2026-01-01"`:                                                         `(spec.date < "2026-01-01")`,
		`object.spec.paused == true || object.spec.paused == 1`:                                   "(spec.paused in [1, true])",
		`object.spec.hostNetwork && !object.spec.hostPID`:                                         "(spec.hostNetwork is true) (spec.hostPID is not true)",
		`quantity(object.spec.memory) > "1Gi" && object.spec.x == "y"`:                            "spec.x=y",
		`object.x in ["a", nil, 2, true]`:                                                         `(x in ["a", 2, true])`,
		`object.spec.x == nil ? object.y == 1 : object.z == 2`:                                    "(spec.x does not exist and y in [1] or spec.x exists and z in [2])",

		// Lists.
		`any(object.spec.containers, .image startsWith "evil/" && label("a") == "x")`: `(any(spec.containers, .image startsWith "evil/" and label("a") in ["x"]))`,
		`!any(object.spec.containers, .name == "x")`:                                  `(all(spec.containers, .name not in ["x"]))`,
		`all(object.spec.containers, .ready)`:                                         "(all(spec.containers, .ready is true))",
		`!all(object.spec.containers, .ready)`:                                        "(any(spec.containers, .ready is not true))",
		`none(object.spec.tags, # == "x")`:                                            `(all(spec.tags, # not in ["x"]))`,
		`!none(object.spec.tags, # in ["x", "y"])`:                                    `(any(spec.tags, # in ["x", "y"]))`,
		`any(object.spec.containers, any(.ports, .number == 80))`:                     "",
		`all(object.spec.containers, len(.name) > 3)`:                                 "",
		`"x" in object.metadata.finalizers`:                                           `(metadata.finalizers has "x")`,
		`"x" not in object.metadata.annotations`:                                      `(metadata.annotations has not "x")`,
		`condition("Ready").status == "True"`:                                         `(any(status.conditions, .type in ["Ready"] and .status in ["True"]))`,
		`condition("Ready").status != "True"`:                                         `(any(status.conditions, .type in ["Ready"] and .status not in ["True"]) or all(status.conditions, .type not in ["Ready"]))`,
		`owner("Job") != nil`:                                                         `(any(metadata.ownerReferences, .kind in ["Job"]))`,
		`let l = object.metadata.labels; let a = l.a; a == "x" && object.n > 1`:       `a=x (n > 1)`,
		`let c = condition("Ready"); c.status == "False"`:                             `(any(status.conditions, .type in ["Ready"] and .status in ["False"]))`,
		`let bad = object.x == "y"; let most = 5; bad || object.n > most`:             `(x in ["y"] or n > 5)`,
		`any(object.spec.list, let k = .k; k == "x" || k == "y")`:                     `(any(spec.list, .k in ["x", "y"]))`,
		`let list = object.spec.list; any(list, .x == "y")`:                           `(any(spec.list, .x in ["y"]))`,
		`owner("Job") == nil`:                                                         `(all(metadata.ownerReferences, .kind not in ["Job"]))`,

		// The state before.
		`changed("spec.a", "spec.b")`:              "update (spec.a differs or spec.b differs)",
		`object.spec.n != old.spec.n`:              "(spec.n differs)",
		`object.spec.n != old.spec.m`:              "",
		`became(any(object.spec.list, .x == "y"))`: `update (any(spec.list, .x in ["y"])) (all(old spec.list, .x not in ["y"]))`,
		`old.spec.n > 3`:                           "(old spec.n > 3)",
	} {
		if got := filtertest.SetWords(filtertest.Compile(t, text).Conditions()); got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

// isOdd reports whether labels of an object are not texts. Conditions need not know everything
// about it.
func isOdd(o *object.Object) bool {
	labels := object.MustCompilePath("metadata.labels").Lookup(o)
	odd := labels.Kind() > object.Null && labels.Kind() != object.ObjectKind
	labels.EachMember(func(_ string, label object.Value) bool {
		odd = odd || label.Kind() != object.String
		return true
	})
	return odd
}

// An event that matches fulfils the conditions, whatever the expression and the object. If the
// conditions are complete, an event that fulfils them matches, unless its object is odd.
func TestConditionsAreNecessary(t *testing.T) {
	matched, refused, complete := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		parse := func(text string) *object.Object {
			p := object.Parser{APIVersion: "v1", Kind: "Pod"}
			o, err := p.Parse([]byte(text))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			return o
		}
		text := drawConditions(t, 3)
		f, err := filters.Compile(lang.Expression{Text: text})
		if err != nil {
			return // a type that is known, or a name that op never has
		}
		e := f.Evaluator()
		for range 10 {
			ev := event.Event{Op: rapid.SampledFrom(event.Ops).Draw(t, "op"),
				Object: parse(drawMetadata(t))}
			if ev.Op == event.Update {
				ev.Old = parse(drawMetadata(t))
			}
			ev.Initial = ev.Op == event.Add && rapid.Bool().Draw(t, "initial")
			ev.Resumed = rapid.Bool().Draw(t, "resumed")
			ok, err := e.Match(ev)
			c := f.Conditions()
			holds := c.Ops.Has(ev.Op) &&
				conditiontest.Hold(c.List, false,
					condition.Event{Op: ev.Op, Object: ev.Object, Old: ev.Old})
			odd := isOdd(ev.Object) || ev.Old != nil && isOdd(ev.Old)
			if ok && !holds {
				t.Fatalf("%s\n%s %s\nmatches, but is refused by %s", text, ev.Op, ev.Object.JSON(),
					filtertest.SetWords(c))
			}
			if c.Complete && holds && !odd && !ok {
				t.Fatalf("%s\n%s %s\ndoes not match (%v), but %s is said to be complete", text,
					ev.Op, ev.Object.JSON(), err, filtertest.SetWords(c))
			}
			switch {
			case ok:
				matched++
			case !holds:
				refused++
			}
			if c.Complete && len(c.List) > 0 {
				complete++
			}
		}
	})
	if !t.Failed() && !testing.Short() && (matched < 20 || refused < 20 || complete < 20) {
		t.Errorf("%d events matched, %d were refused before, %d by complete conditions", matched,
			refused, complete)
	}
	t.Logf("%d events matched, %d were refused before, %d had complete conditions", matched,
		refused, complete)
}

// A select or a deny has to be evaluated when it fails, too: what is known of the object then
// stays. And one that is certain never fails.
func TestConditionsOfASelectPassWhatItFailsOn(t *testing.T) {
	failed, refused, certain := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawConditions(t, 3)
		f, err := filters.Compile(lang.Expression{Text: text,
			Kind: rapid.SampledFrom([]lang.Kind{lang.KindSelect, lang.KindDeny}).Draw(t, "kind")})
		if err != nil {
			return // it looks at events, or a type is known to be wrong
		}
		e, c := f.Evaluator(), f.Conditions()
		for range 20 {
			p := object.Parser{APIVersion: "v1", Kind: "Pod"}
			o, err := p.Parse([]byte(drawMetadata(t)))
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Match(event.Event{Op: event.Resync, Object: o})
			holds := conditiontest.Hold(c.List, false,
				condition.Event{Op: event.Resync, Object: o})
			switch {
			case isOdd(o):
			case err != nil && !holds:
				t.Fatalf("%s\n%s\nfails with %v, but is refused by %s", text,
					o.JSON(),
					err, filtertest.SetWords(c))
			case err != nil && c.Certain:
				t.Fatalf("%s\n%s\nfails with %v, though it is said to be certain",
					text,
					o.JSON(), err)
			case err != nil:
				failed++
			case !holds:
				refused++
			}
			if c.Certain {
				certain++
			}
		}
	})
	if !t.Failed() && !testing.Short() && (failed < 20 || refused < 20 || certain < 20) {
		t.Errorf("%d objects failed, %d were refused before, %d by selects that are certain",
			failed, refused, certain)
	}
}
