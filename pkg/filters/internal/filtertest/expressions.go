package filtertest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
)

// TrueExpressions are true of the event of Update.
var TrueExpressions = []string{
	`true`, `op == "update"`, `op != "add"`, `op in ["add", "update"]`, `not initial`, `!initial`,
	`missed == 2`, `missed > 1`, `!resumed`, `resumed == false`,

	// Fields of every type, at every place.
	`object.spec.replicas == 3`, `object["spec"]["replicas"] == 3`, `object?.spec?.replicas == 3`,
	`object.spec.half == 0.5`,
	`object.spec.replicas == 3.0`, `3 == object.spec.replicas`, `object.spec.yes`,
	`!object.spec.no`, `object.spec.yes == true`,
	`object.spec.list[0] == 1`, `object.spec.list[-1] == 3`, `object.spec.names[1] == "b"`,
	`object.spec.digits != 5`,
	`object.metadata.labels["app"] == "wéb"`, `object.spec.text == "Grüße \"日本\""`,
	`object.spec.text contains "日"`,
	`object.spec.deep.list[1].k.v[0] == 3`, `object.kind == "Pod" && object.apiVersion == "v1"`,
	`object.spec.big > 1e300`,
	`object.spec.huge == 9007199254740993`, `object.metadata.name == "web-1"`,

	// What is not there is nil.
	`object.spec.nothing == nil`, `nil == object.spec.nothing`, `object.spec.null == nil`,
	`object.a.b.c[0].d == nil`,
	`object.spec.replicas.x == nil`, `object.spec.list[9] == nil`, `object.spec.list.x == nil`,
	`object.spec[0] == nil`,
	`object.spec.list[-9] == nil`, `object.spec.none[-1] == nil`, `object.spec.nothing != "x"`,
	`!(object.spec.nothing == "x")`,
	`!object.spec.nothing`, `(object.spec.nothing ?? 7) == 7`, `(object.spec.null ?? "x") == "x"`,
	`(object.spec.no ?? true) == false`,
	`old.spec.zero == nil`, `object.spec.empty != nil`, `object != nil`, `old != nil`,

	// Dynamic steps and values on the way.
	`object.spec[object.spec.names[0] + "ge"] == "90s"`,
	`let s = object.spec; s.replicas == 3 && s.list[1] == 2`,
	`object["sp" + "ec"].list[missed] == 3`,
	`(object.spec.yes ? object.spec : old.spec).replicas == 3`,
	`object.spec.list[1:] == [2, 3]`, `object.spec.list[:-1] == [1, 2]`,
	`object.spec.nothing[1:2] == nil`, `object.spec.digits[0:1] == "5"`,
	`object.spec.list[7:9] == []`, `[object.spec.replicas, object.spec.nothing][0] == 3`,
	`{"a": object.spec.replicas}.a == 3`,
	`(object.spec.nothing ?: "x") == "x"`, `let a = object.spec.list; a[0] + a[1] == a[2]`,
	`if object.spec.yes { true } else { false }`,

	// Comparison.
	`object.spec == object.spec`, `object.spec != old.spec`, `object.spec.list == [1, 2, 3]`,
	`object.spec.list == 1..3`,
	`object.spec.m == old.spec.m`, `object.spec.ports == old.spec.ports`,
	`object.spec.m == {"a": 1, "b": 2}`, `object.spec.names != object.spec.list`,
	`object.spec.replicas > 2`, `object.spec.replicas >= 3`, `object.spec.replicas < 3.5`,
	`object.spec.replicas <= 3`, `2 < object.spec.replicas < 4`,
	`object.spec.replicas > old.spec.replicas`, `object.spec.image == old.spec.image`,
	`object.spec.digits < "6"`, `object.spec.replicas != "3"`,
	`object.spec.text startsWith "Gr"`, `object.spec.text endsWith "\""`,
	`object.spec.text matches "^Gr.*本"`, `object.spec.text not contains "x"`,
	`object.spec.text matches "^" + object.spec.text[0:2]`, `not (object.spec.text matches "x$")`,
	`2 in object.spec.list`, `"app" in object.metadata.labels`, `!("x" in object.metadata.labels)`,
	`5 not in object.spec.list`, `"b" in object.spec.names`,
	`object.spec.replicas in [1, 3]`, `object.spec.replicas in 1..5`, `2.0 in object.spec.list`,
	`!("2" in object.spec.list)`, `{"n": 1} in object.spec.ports`,
	`"null" in object.spec`, `"a" in {"a": 1}`, `!(1 in object.metadata.labels)`,
	`[1, 2] in map(object.spec.deep.list, .k.v)`,

	// Arithmetic.
	`object.spec.replicas + 1 == 4`, `object.spec.replicas - old.spec.replicas == 2`,
	`object.spec.replicas * 2 == 6`, `object.spec.replicas / 2 == 1.5`,
	`object.spec.replicas % 2 == 1`, `object.spec.replicas ** 2 == 9`,
	`-object.spec.replicas == -3`, `+object.spec.replicas == 3`, `object.spec.half + 1 == 1.5`,
	`object.spec.digits + "0" == "50"`, `object.spec.half ^ 2 == 0.25`,
	`object.spec.half - 1 == -0.5`, `object.spec.half * 2 == 1`, `object.spec.half / 2 == 0.25`,
	`object.spec.nothing + 1 == nil`, `-object.spec.nothing == nil`, `+object.spec.nothing == nil`,
	`object.spec.nothing + "x" == nil`,

	// Predicates, over nothing, too.
	`any(object.spec.list, # == 2)`, `all(object.spec.list, # > 0)`,
	`none(object.spec.list, # > 3)`, `one(object.spec.list, # == 1)`,
	`count(object.spec.list, # > 1) == 2`, `count([object.spec.yes, object.spec.no]) == 1`,
	`sum(object.spec.list) == 6`, `sum(object.spec.mixed, # == 1 ? # : nil) == 1`,
	`filter(object.spec.list, # > 1) == [2, 3]`, `map(object.spec.list, # * 2) == [2, 4, 6]`,
	`find(object.spec.list, # > 1) == 2`,
	`findIndex(object.spec.list, # > 1) == 1`, `findLast(object.spec.list, # < 3) == 2`,
	`findLastIndex(object.spec.list, # < 3) == 1`,
	`any(object.spec.ports, .n == 1)`, `any(object.spec.ports, #.n == 1)`,
	`any(object.spec.deep.list, any(.k.v, # == 3))`, `all(object.spec.list, # - 1 < 3)`,
	`any(object.spec.mixed, # == nil)`, `any(object.spec.mixed, # == "x")`,
	`any(object.spec.mixed, .x == nil)`, `filter(object.spec.mixed, # == nil) == [nil]`,
	`filter(object.spec.mixed, true)[0] == nil`, `find(object.spec.mixed, true) == nil`,
	`any(filter(object.spec.deep.list, any(.k.v, # == 3)), .k.v[0] == 3)`,
	`!any(object.spec.nothing, true)`, `all(object.spec.nothing, false)`,
	`none(object.spec.nothing, true)`, `!one(object.spec.nothing, true)`,
	`count(object.spec.nothing, true) == 0`, `count(object.spec.nothing) == 0`,
	`sum(object.spec.nothing) == 0`, `filter(object.spec.nothing, true) == []`,
	`map(object.spec.nothing, #) == []`, `find(object.spec.nothing, true) == nil`,
	`!any(object.spec.ports, .missing)`, `any(1..3, # == missed)`,
	`any(object.spec.list, {let x = #; x == 2})`, `object.spec.list | any(# == 2)`,
	`any(object.spec.deep.list, .k.v == [3])`, `any(object.spec.names, # in ["b"])`,
	`any([object.spec, old.spec], .replicas == 1)`,

	// Functions.
	`len(object.spec.list) == 3`, `len(object.spec.text) == 10`, `len(object.metadata.labels) == 2`,
	`len(object.spec.nothing) == 0`, `len([1]) == 1`, `len(1..4) == 4`, `len({"a": 1}) == 1`,
	`lower(object.metadata.name) == "web-1"`, `upper(object.spec.digits + "a") == "5A"`,
	`lower(object.spec.nothing) == nil`, `trim(" x ") == "x"`,
	`trimPrefix(object.metadata.name, "web-") == "1"`,
	`hasPrefix(object.metadata.name, "web")`, `indexOf(object.metadata.name, "-") == 3`,
	`int(object.spec.digits) == 5`, `float("0.5") == object.spec.half`,
	`string(object.spec.replicas) == "3"`,
	`abs(-object.spec.replicas) == 3`, `ceil(object.spec.half) == 1`, `min(object.spec.list) == 1`,
	`max(object.spec.replicas, 2) == 3`, `max(object.spec.nothing, 2) == nil`,
	`first(object.spec.list) == 1`, `last(object.spec.list) == 3`,
	`first(object.spec.nothing) == nil`, `last(object.spec.none) == nil`, `first(1..2) == 1`,
	`keys(object.metadata.labels) == ["app", "tier"]`,
	`values(object.metadata.labels) == ["wéb", "frontend"]`, `keys(object.spec.nothing) == nil`,
	`values({"b": 2, "a": 1}) == [1, 2]`,
	`date(object.spec.created) > date("2026-01-01")`, `duration(object.spec.age) >= duration("1m")`,
	`date(object.spec.created) - date("2026-01-02T03:04:00Z") == duration("5s")`,
	`date("2026-01-01") + duration("24h") == date("2026-01-02")`,
	`duration("1s") * object.spec.replicas == duration("3s")`, `date(object.spec.nothing) == nil`,

	// Ours.
	`label("tier") == "frontend"`, `label("nothing") == nil`,
	`label(object.spec.names[0] + "pp") == "wéb"`, `annotation("x/y") == "ja"`,
	`annotation("x" + "/y") == "ja"`,
	`changed("spec.replicas")`, `changed("spec.image", "spec.replicas")`,
	`changed("metadata.labels[\"app\"]")`, `changed("spec")`, `changed("spec.zero")`,
	`!changed("spec.image")`, `!changed("spec.ports")`, `!changed("spec.m")`,
	`!changed("spec.nothing")`, `!changed("spec.null")`,
}

func Update(t testing.TB) event.Event {
	return event.Event{Op: event.Update, Missed: 2, Object: NewObject(t, After),
		Old: NewObject(t, Before)}
}

// Items is an object with n items and a text of n bytes.
func Items(t testing.TB, n int) event.Event {
	return event.Event{Op: event.Add,
		Object: NewObject(t, fmt.Sprintf(`{"items":[%s],"text":"%s","n":%d}`,
			strings.TrimSuffix(strings.Repeat(`{"n":1},`, n), ","), strings.Repeat("x", n), n))}
}

const (
	Before = `{"metadata":{"labels":{"app":"web"}},"spec":{"replicas":1,"image":"a:1","ports":[{"n":1}],"m":{"a":1,"b":2}}}`
	After  = `{"metadata":{"labels":{"app":"wéb","tier":"frontend"},"annotations":{"x/y":"ja"}},"spec":{"replicas":3,` +
		`"image":"a:1","zero":0,"half":0.5,"big":1e400,"huge":9007199254740993,"yes":true,"no":false,"null":null,"text":"Grüße \"日本\"",` +
		`"empty":"","digits":"5","list":[1,2,3],"names":["a","b"],"mixed":[null,1,"x",true],"none":[],"ports":[ {"n": 1} ],` +
		`"m":{"b":2.0,"a":1},"deep":{"list":[{"k":{"v":[1,2]}},{"k":{"v":[3]}}]},"created":"2026-01-02T03:04:05Z","age":"90s"}}`
)
