package check_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/check"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

func typed(schemaType string) *lang.Schema { return &lang.Schema{Type: schemaType} }

func objectOf(fields map[string]*lang.Schema) *lang.Schema {
	return &lang.Schema{Type: "object", Fields: fields}
}

func listOf(items *lang.Schema) *lang.Schema { return &lang.Schema{Type: "array", Items: items} }

func mapOf(values *lang.Schema) *lang.Schema { return &lang.Schema{Type: "object", Values: values} }

// podSchema has one field of each sort. Its root does not say that objects have apiVersion and
// kind, and it has a part that refers to itself.
func podSchema() *lang.Schema {
	text, number, yes := typed("string"), typed("integer"), typed("boolean")
	state := objectOf(map[string]*lang.Schema{
		"waiting":  objectOf(map[string]*lang.Schema{"reason": text}),
		"exitCode": number})
	container := objectOf(map[string]*lang.Schema{
		"name": text, "image": text,
		"ports": listOf(objectOf(map[string]*lang.Schema{"containerPort": number,
			"name": text})),
		"resources":  objectOf(map[string]*lang.Schema{"limits": mapOf(typed(""))}),
		"targetPort": typed(""), "args": listOf(text), "emptyDir": typed("object"),
	})
	validation := &lang.Schema{Type: "object"}
	validation.Fields = map[string]*lang.Schema{"not": validation, "all": listOf(validation),
		"type": text}
	many := map[string]*lang.Schema{}
	for _, name := range strings.Fields(
		"alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima") {
		many[name] = text
	}
	return objectOf(map[string]*lang.Schema{
		"metadata": objectOf(map[string]*lang.Schema{"name": text, "namespace": text,
			"labels": mapOf(text), "annotations": mapOf(text), "x-y": text}),
		"spec": objectOf(map[string]*lang.Schema{
			"replicas": number, "paused": yes, "weight": typed("number"),
			"containers": listOf(container), "nodeName": text,
			"validation": validation, "many": objectOf(many), "anything": {
				Type: "object", Open: true, Fields: map[string]*lang.Schema{"known": number}},
			"groups": mapOf(listOf(objectOf(map[string]*lang.Schema{"id": number}))),
		}),
		"status": objectOf(map[string]*lang.Schema{
			"phase": text, "conditions": listOf(objectOf(map[string]*lang.Schema{"type": text,
				"status": text, "reason": text})),
			"containerStatuses": listOf(
				objectOf(map[string]*lang.Schema{"name": text, "restartCount": number, "ready": yes,
					"state": state, "lastState": state})),
		}),
	})
}

func TestSchemaErrors(t *testing.T) {
	var b strings.Builder
	for _, text := range []string{
		`object.sepc.replicas == 1`, `object.spec.replica == 1`, `object.spec["replica"] == 1`,
		`object?.spec?.replica == 1`, "op == \"update\" &&\n\told.spec . replica == 1",
		`object.spec.Replicas == 1`, `object.spec.xyz == 1`, `object.spec.many.zzzzzz == "a"`,
		`object.metadata["x/y"] == "a"`, `object.metadata["x-z"] == "a"`, `object.met == nil`,
		`object.spec.groups.a[0].xyz == 1`,
		`object.metadata.name.x == nil`, `object.metadata.name[0] == nil`,
		`object.spec.replicas["x"] == nil`, `object.metadata.labels.app.x == nil`,
		`object.metadata.labels[0] == nil`,
		`object.spec.containers.name == "a"`, `object.spec.containers["x-y"] == "a"`,
		`object.spec.containers[0].imag == "a"`, `object.spec.containers[missed].imag == "a"`,
		`object.spec.containers[-1].imag == "a"`,
		`object.spec.containers[0].ports[1].port == 1`, `object.spec.containers[1:][0].imag == "a"`,
		`object.spec.groups.a[0].ip == 1`, `object.spec.groups[op][0].ip == 1`,
		`object.spec.validation.not.all[0].not.typ == "a"`,
		`"replicas: " + object.spec.replicas == "x"`,
		`object.metadata.name + ": " + object.spec.replicas == "x"`,
		`object.spec.replicas + label("x") == 1`, `object.spec.paused + 1 == 2`,
		`object.spec.replicas - object.metadata.name == 1`, `object.spec.containers * 2 == nil`,
		`object.metadata + "x" == "y"`,
		`any(object.spec.containers, .name + object.spec.weight == "a")`,
		`object.status.phase in "Running,Pending"`, `object.status.phase in "Running"`,
		`object.spec.replicas in "3"`, `"a" in object.metadata.name`, `1 in object.spec.replicas`,
		`label("a") not in "b"`,
		`changed("spec.replica")`, `changed("spec", "spec.containers[0].imag")`,
		`changed("metadata.labels.app.x")`, `changed('metadata["x-z"]')`,
		`changed("metadata[\"x-z\"]")`, `changed("spec.containers.name")`, `changed("spec[0]")`,
		`any(object.status.containerStatuses, .restartCounts > 5)`,
		`any(object.status.containerStatuses, #.restartCounts > 5)`,
		`all(object.status.containerStatuses, .state.waiting.raeson != "a")`,
		`any(object.spec.containers, any(.ports, .containerPrt == 1))`,
		`any(object.spec.containers, any(.ports, .name == "x") && .nam == "x")`,
		`object.spec.containers | any(.imag == "x")`,
		`any(object.spec, true)`, `any(object.metadata.labels, # == "a")`,
		`count(object.status.phase, true) == 1`,
		`any(object.spec.containers, any(.resources, true))`,
		`let s = object.spec; s.replica == 1`,
		`let s = object.spec; any(s.containers, {let c = #; c.imag == "a"})`,
		`(object.spec ?? old.spec).replica == 1`, `(object.spec ?? {}).replica == 1`,
		`(op == "update" ? old : object).spec.replica == 1`,
		`(initial ? object.spec.containers[0] : object.spec.containers[1]).imag == "a"`,
		`first(object.spec.containers).imag == "a"`, `last(object.spec.containers)?.imag == "a"`,
		`find(object.spec.containers, .name == "a").imag == "a"`,
		`filter(object.spec.containers, .name == "a")[0].imag == "a"`,
		`any(map(object.spec.containers, .ports), .name == "a")`,
		`map(object.status.containerStatuses, .state)[0].waitng != nil`,
		`any([object.spec, old.spec], .replica == 1)`,
		`any(values(object.spec.groups), any(#, .ip == 1))`, `"replica" in object.spec`,
		`{"a": object.sepc}.a == nil`, `[object.sepc] == []`, `!object.spec.pausd`,
		`-object.spec.replica == 1`,
		`lower(object.status.phas) == "a"`, `label(object.metadata.nam) == "x"`,
		`object.spec[object.spec.nodeNam] == 1`, `if initial { object.spec.a } else { true }`,
		`missed == 1; object.sepc`, `object.spec.containers[0].name in [object.spec.node]`,
		`"日本" != "" && object.metadata.nam == "x"`,
		`!object.status.phase`, `not label("a") && initial`, `object.metadata.labels || true`,
		`initial and object.spec.replicas`, `object.spec.nodeName ? true : initial`,
		`any(object.spec.containers, .image)`, `all(object.spec.containers, # && true)`,
		`!(object.metadata.name + "x")`, `became(object.status.phase)`,
		`let n = object.spec.nodeName; !n`, `!lower(object.metadata.name)`,
		`object.spec.replicas ?: 0 > 5`, `((object.spec.replicas)  ? : 0) > 5`,
		`(op == "add" ? 1 : object.spec.replicas ?: 0) > 5`, `label("team")`, `label("a").b == "x"`,
		`any(annotation("a"), # == "x")`, `"a" in label("b")`,
		`object contains "x"`, `old matches "x"`, `object.metadata.labels contains "app"`,
		`object.metadata.labels startsWith "app"`, `object.spec.containers[0].args contains "-v"`,
		`any(object.spec.containers, .args endsWith "x")`, `object.spec.replicas matches "1"`,
		`object.spec.paused startsWith "t"`, `map(object.spec.containers, .args)[0] contains "a"`,
		`object.metadata.name contains object.metadata.labels`, `"x" endsWith object.spec.replicas`,
		`string(object.status) contains "x"`, `string(object.spec.containers) == "x"`,
		`count(object.spec.containers) > 1`, `count(object.spec.containers[0].args) > 1`,
		`any(object.spec.containers, .ports.name == "x")`,
		`any(object.spec.containers, #.ports.name == "x")`,
		`any(object.spec.containers, any(.ports, .name == "x") || .resources.limits["a b"] == .ports["a b"])`,
		`sum(object.spec.containers) > 1`, `sum(map(object.spec.containers, .image)) > 1`,
	} {
		_, err := filters.Compile(lang.Expression{Text: text, File: "config.yaml", Line: 31,
			Listener: "pods",
			Schema:   podSchema()})
		var ce *lang.CompileError
		if !errors.As(err, &ce) {
			t.Errorf("%s: got %v", text, err)
			continue
		}
		b.WriteString(err.Error() + "\n\n")
	}
	filtertest.Golden(t, "schema-errors", b.String())
}

// What a schema allows, or says nothing of, is no mistake.
func TestSchemaLeavesTheRest(t *testing.T) {
	for _, text := range []string{
		`object.apiVersion == "v1" && object.kind == "Pod" && old.kind != nil && changed("kind")`,
		`object.spec.replicas == 1 && object["spec"].paused`,
		`object.metadata.labels["a/b"] == "x" && object.metadata.labels.b != nil`,
		`changed("metadata.labels[\"a/b\"]", "spec.containers[0].ports[1].name", "metadata[\"x-y\"]")`, `object.spec.anything.known == 1 && object.spec.anything.other.x[0] == 1`,
		`object.spec.containers[0].targetPort == "http" || object.spec.containers[0].targetPort == 80`, `object.spec.containers[0].resources.limits.cpu == "1" && object.spec.containers[0].resources.limits["memory"].x == nil`,
		`object.spec.containers[0].emptyDir.x == nil`,
		`any(object.spec.containers, any(.ports, .containerPort > 1024) && .name != "x")`,
		`any(object.status.containerStatuses, .state.waiting.reason == "x" && .restartCount > 5)`,
		`let c = object.spec.containers; c[0].name == "x" && any(c, .image == "y")`,
		`(initial ? object.spec : object.status).whatever == 1`,
		`(object.spec ?? object.status).whatever == 1`,
		`[object.spec, object.status][0].whatever == 1`,
		`{"a": object.spec}.b == nil`, `any([1, 2], # == 1)`,
		`any(keys(object.metadata.labels), # == "x")`, `values(object.metadata.labels)[0] == "x"`,
		`len(object.spec.containers) == 2`, `label("x") == "y" && annotation("x") == "y"`,
		`object.spec.validation.not.not.all[0].type == "x"`, `(object.spec.replicas + 1).x == nil`,
		`object[object.status.phase].x == nil`,
		`sum(object.status.containerStatuses, .restartCount) > 3`,
		`any(object.spec.containers, any(.args, # startsWith "--") && .name == "x")`,
		`object.spec.groups["a"][0].id == 1`,
		`"app" in object.metadata.labels && "replicas" in object.spec`,
		`!object.spec.paused && object.spec.paused && (object.spec.paused ? initial : true)`,
		`any(object.status.containerStatuses, .ready) && !object.spec.anything.other`,
		`!(object.spec.paused ?? false) && became(object.spec.paused)`,
		`len(map(object.spec.containers, .image)) > 1 && !old?.spec?.paused`,
		`object.spec.paused ?: initial`, `object.spec.anything.other ?: true`,
		`object.metadata.name contains label("a") && label("a") matches "x"`,
		`string(object.spec.replicas) contains "1" && string(object.spec.paused) == "true"`,
		`count(map(object.status.containerStatuses, .ready)) > 1 && count([]) == 0`,
		`sum(map(object.status.containerStatuses, .restartCount)) > 1`,
		`object.spec.containers[0].targetPort contains "1" || label("a") == "b"`,
	} {
		f, err := filters.Compile(lang.Expression{Text: text, Schema: podSchema()})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for _, w := range f.Warnings() {
			t.Errorf("%s: %v", text, w)
		}
	}
}

func TestWarnings(t *testing.T) {
	const (
		add, upd, del = event.OpSet(1 << event.Add), event.OpSet(1 << event.Update),
			event.OpSet(1 << event.Delete)
	)
	var b strings.Builder
	for _, tt := range []struct {
		on    event.OpSet
		texts []string
	}{
		{0, []string{
			`op == "add" && old.spec.replicas == 1`, `old.spec.replicas == 1 && op == "add"`,
			`initial && (op == "add" && (missed == 1 || old.spec.replicas > 1))`,
			`op in ["add", "delete"] && changed("spec.replicas")`,
			`op == "delete" ? old.spec.replicas > 1 : true`,
			`op != "update" && any(object.spec.containers, .name == old.metadata.name)`,
			`op == "update" || changed("spec")`,
			`!(op == "update") && label("x") == old.metadata.name`,
			`op == "add" && op == "delete"`, `op != "add" || op != "delete"`,
			`op == "add" && op == "delete" && old.spec.replicas == 1`,
			`label("x") == "y" || (op == "add" && !(op in ["add"]))`,
			`not (op != "update" or op != "resync") ? true : initial`,
			`op in ["add", "update", "delete", "resync"] && initial`,
			`object.spec.replicas == "3"`, `object.spec.replicas != "three"`,
			`"3" == object.spec.replicas`, `object.spec.weight == "0.5"`,
			`object.spec.paused == "true"`, `object.spec.paused == 1`, `object.metadata.name == 3`,
			`object.metadata.labels.x == true`,
			`object.spec.replicas > "3"`, `object.spec.containers == "x"`, `object.spec == [1]`,
			`object.metadata.labels != -1`, `object.spec.replicas in [1, "2", "x"]`,
			`any(object.status.containerStatuses, .restartCount == "5" && .ready != 0)`,
			`1 < object.spec.replicas < "9"`, `let n = object.spec.replicas; n == "3"`,
			`"x" in map(object.status.containerStatuses, .restartCount)`,
			`5 in object.spec.containers[0].args`, `(object.spec.replicas ?? 1) == "1"`,
			`object.spec.replicas == {"a": 1}`,
			"op == \"add\" &&\n  old.spec.replicas == \"3\"",
			`any(object.spec.containers, .resources.limits.memory > "4Gi")`,
			`"500m" >= object.metadata.labels.cpu`, `object.metadata.annotations.x < "1h30m"`,
			`object.spec.replicas != old.spec.replicas`,
			`old.metadata.labels != object.metadata.labels && initial`,
			`any(object.spec.containers, true) || object.spec.replicas != old.spec.paused`,
			`op != "delete" && object.spec?.replicas != old?.spec.replicas`,
			`label("enabled") == true`, `annotation("n") > 3`, `annotation("n") in [1, 2]`,
			`label("memory") > "4Gi"`, `5 < object.metadata.labels.n`,
			`any(object.spec.containers, .image >= 1.5)`,
		}},
		{add | del, []string{`old.spec.replicas == 1`, `changed("spec.replicas") && initial`,
			`op == "update"`, `op == "update" && old.spec.replicas == 1`, `op != "resync"`,
			`op in ["add", "resync"]`, `op != "add" && op != "delete"`,
			`op == "delete" || changed("spec")`}},
		{add | upd, []string{`op == "delete" && initial`, `op == "add" && old.spec.replicas == 1`,
			`op != "add" && op != "update"`, `"resync" == op`}},
	} {
		for _, text := range tt.texts {
			f, err := filters.Compile(lang.Expression{Text: text, File: "config.yaml", Line: 31,
				Listener: "pods",
				On:       tt.on, Schema: podSchema()})
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if len(f.Warnings()) == 0 {
				t.Errorf("%s: no warning", text)
			}
			for _, w := range f.Warnings() {
				b.WriteString(w.Error() + "\n\n")
			}
		}
	}
	filtertest.Golden(t, "warnings", b.String())
}

// What can be meant is not warned of.
func TestNoWarnings(t *testing.T) {
	const add, upd = event.OpSet(1 << event.Add), event.OpSet(1 << event.Update)
	for _, tt := range []struct {
		on   event.OpSet
		text string
	}{
		{0, `true`}, {0, `op == "add"`}, {
			0, `old == nil || old.spec.replicas != object.spec.replicas`}, {0,
			`op == "add" || changed("spec")`}, {0, `op != "update" || old.spec.replicas == 1`}, {0,
			`op == "update" ? old.spec.replicas == 1 : initial`},
		{0, `(op == "add" && !initial) || (op == "update" && changed("spec.replicas"))`}, {
			0, `op == "update" && old.spec.replicas != object.spec.replicas`}, {0,
			`object.old == nil`}, {0,
			`op in ["add", "update"] && (op == "add" || changed("spec"))`},
		{0, `object.status.phase == "a" || object.status.phase == "b"`},
		{0, `object.status.phase != "a" && object.status.phase != "b"`},
		{0, `object.status.phase == "a" && object.status.phase == "a"`},
		{0, `object.status.phase == "a" && (object.status.phase == "b" || initial)`},
		{0, `any(object.spec.containers, .name == "a") && any(object.spec.containers, .name == "b")`},
		{0, `object.status.phase == "a" && old.status.phase == "b"`},
		{0, `object.spec.replicas == nil && object.spec.replicas != 1.5 && object.spec.weight == 1`}, {0, `object.spec.replicas == object.metadata.name`}, {0, `op != "add" && op != "delete"`}, {0, `object.spec.x == "3" || object.spec.x == 3`},
		{add, `op == "add"`}, {add, `op == "add" && initial`}, {
			add | upd, `op == "add" || op == "update"`}, {upd,
			`old.spec.replicas == 1 && changed("spec")`}, {upd,
			`op == "update" && object.spec.list == [1]`},
		{0, `quantity(object.spec.memory) > "4Gi" && duration(label("x")) < "10m"`}, {
			0, `object.spec.memory == "4Gi" && object.spec.text > "4" && object.spec.text < "v1m"`},
	} {
		f, err := filters.Compile(lang.Expression{Text: tt.text, On: tt.on})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		for _, w := range f.Warnings() {
			t.Errorf("%s: %v", tt.text, w)
		}
	}
}

// A warning that something is never or always true says so of every event.
func TestWarningsAreTrue(t *testing.T) {
	o := filtertest.NewObject(t, filtertest.After)
	ops := []string{`op == "add"`, `op != "add"`, `op in ["update", "delete"]`, `op == "update"`,
		`initial`, `op not in ["resync", "add"]`, `true`, `changed("spec")`}
	n := 0
	for _, a := range ops {
		for _, b := range ops {
			for _, form := range []string{a + " && " + b, a + " || " + b, "!(" + a + ") && " + b,
				"!(" + a + " || " + b + ")"} {
				f := filtertest.Compile(t, form)
				never, always := false, false
				for _, w := range f.Warnings() {
					// the part is the negated one
					inner := strings.HasPrefix(form, "!(") && strings.HasSuffix(form, b+")")
					never = never || strings.HasPrefix(w.Message, "this is never true") != inner &&
						strings.HasPrefix(w.Message, "this is")
					always = always ||
						strings.HasPrefix(w.Message, "this is always true") != inner &&
							strings.HasPrefix(w.Message, "this is")
				}
				if !never && !always {
					continue
				}
				n++
				for _, op := range event.Ops {
					for _, initial := range []bool{false, true} {
						if initial && op != event.Add { // which there is not
							continue
						}
						got, err := f.Evaluator().Match(event.Event{Op: op, Initial: initial,
							Object: o, Old: o})
						if err != nil || got && never || !got && always {
							t.Errorf("%s, %s: %v, %v", form, op, got, err)
						}
					}
				}
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d warnings", n)
	}
}

// Whatever the tree, checking it against a schema ends well, with a place within the expression.
func FuzzCheck(f *testing.F) {
	for _, text := range filtertest.TrueExpressions {
		f.Add(text)
	}
	for _, text := range []string{`any(object.spec.containers, any(.ports, .x.y == "1"))`,
		`changed("spec[0].x[\"", 5)`, `#.x == 1`, `count(#)`, `lower()`, `let object = 1; object.x`,
		`if object.x {1} else {.y}`, `groupBy(object.spec.containers, .x).y`,
		`reduce(object.x, #acc + .y)`} {
		f.Add(text)
	}
	schema := podSchema()
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := filters.Compile(lang.Expression{Text: text, Schema: schema,
			On: event.OpSet(1 << event.Add)}); err != nil {
			var ce *lang.CompileError
			if !errors.As(err, &ce) || ce.Line > 1+strings.Count(text, "\n") {
				t.Fatalf("%T: %v", err, err)
			}
		}
		// Trees that Compile refuses for other reasons, too.
		tree, err := parser.Parse(text)
		if err != nil || len(text) > lang.MaxSource || visits(tree.Node, lang.MaxVisits) == 0 {
			return
		}
		if _, err := check.CheckTree(lang.Expression{Text: text, Schema: schema},
			tree.Node); err != nil {
			_ = err.Error()
		}
	})
}

// visits returns how many of the visits remain after those of the tree.
func visits(n ast.Node, left int) int {
	for _, child := range lang.Children(n) {
		if left > 0 {
			left = visits(child, left)
		}
	}
	return max(left-1, 0)
}
