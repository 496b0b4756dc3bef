package eval_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/growth"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// odd has everything a function may be given: each is read as object.x.….
var odd = `{"metadata":{"name":"odd","creationTimestamp":5,"ownerReferences":[5,null,"x",{"kind":7},{"kind":"Ä","name":"ß"}],"labels":"none"},
	"status":{"conditions":{"type":"Ready"}},"x":{"null":null,"yes":true,"int":7,"float":1.5,"huge":1e400,"minus":-3,"empty":"","text":"Grüße 日本","list":[1],"map":{"a":1},
	"long":"` + strings.Repeat("1", 300_000) +
	`","e":"1e999999999","minusE":"1e-999999999","dots":"` + strings.Repeat("1.", 20_000) +
	`","ones":"` + strings.Repeat("1", 60) + `",
	"nested":[{"q":"1Gi","d":"1h"},{"q":"abc","d":"x"},{"q":null},{"q":1.5},{}],"when":"2026-01-02T03:04:05+01:00","later":"2036-01-02T03:04:05Z","networks":["10.0.0.0/8","x"],"ips":["10.1.2.3","::ffff:10.9.9.9",null]}}`

// Each is true of the sample, or of odd if it reads object.x; groups are functions.
var ownExpressions = map[string][]string{
	"became": {
		`became(object.status.phase == "Running")`, `!became(object.status.phase == "Pending")`,
		`!became(object.metadata.name == "web-1")`, `became(condition("Ready").status == "True")`,
		`became(object.status.phase == "Running" && label("app") == "web")`,
		`!became(object.nothing)`, `!became(false)`, `!became(true)`,
		`became(any(object.status.conditions, .type == "Ready" && .status == "True"))`,
		`became(let p = object.status.phase; p == "Running" && p != nil)`,
		`let most = 5; became(object.status.phase == "Running" && most > 4)`,
		`became(object["status"]["phase"] in ["Running"])`,
		`became("R" < object.status.phase < "S")`,
		`!became(owner("ReplicaSet").name == "web-7d9c")`,
		`!became(label("app") != nil || annotation("x") == nil)`,
		`became(count(object.status.conditions, .status == "True") == 2)`,
		`became(object.status.phase == "Running" ? true : false)`,
		`!became(age() > "1m")`, `became(object == object && object.status.phase == "Running")`,
		`became(cached("nodes", "", object.spec.nodeName) != nil && object.status.phase == "Running")`, `became(map(object.status.conditions, .status)[1] == "True")`,
		`became(not (object.status.phase == "Pending"))`,
		`became(object.status?.phase[0:3] == "Run")`,
		`became({"a": object.status.phase}.a == "Running")`,
		`any([1], became(object.status.phase == "Running"))`,
	},
	"owner": {
		`owner("ReplicaSet").name == "web-7d9c"`, `owner("Replica" + "Set").name == "web-7d9c"`,
		`owner("Job") == nil`, `owner("Job").name == nil`, `owner(object.nothing) == nil`,
		`owner("") == nil`, `owner("ReplicaSet") == owner("ReplicaSet")`,
		`owner("Ä").name == "ß" && object.x.int == 7`, `owner(object.x.text) == nil`,
		`owner("ReplicaSet").controller`, `any(["ReplicaSet"], owner(#).controller)`,
	},
	"condition": {
		`condition("Ready").reason == "Grün"`, `condition("Re" + "ady").status == "True"`,
		`condition("Nothing") == nil`, `condition("Nothing").status == nil`,
		`condition(object.nothing) == nil`,
		`condition("Ready").status == "True" && condition("Ready").reason != nil`,
		`condition("Ready") == nil && object.x.int == 7`,
		`condition("R" + "eady") == nil && object.x.int == 7`,
	},
	"quantity": {
		`quantity("1Gi") == quantity("1024Mi")`, `quantity("1Gi") == "1024Mi"`,
		`"1Gi" >= quantity("1Gi")`, `quantity("500m") < 1`, `quantity("500m") == 0.5`,
		`1 > quantity("999m")`, `quantity("1.5") == 1.5`, `quantity("1") != "2"`,
		`quantity("1k") == 1000`,
		`quantity("0.1") + quantity("0.2") == "0.3"`,
		`quantity("1Gi") + quantity("1Mi") == "1025Mi"`,
		`quantity("1Gi") - quantity("1Mi") == "1023Mi"`, `quantity("100m") * 3 == "300m"`,
		`3 * quantity("100m") == "300m"`, `quantity("1") * 0.1 == "100m"`,
		`quantity("1") + 1 == 2`, `1 - quantity("250m") == "750m"`,
		`quantity("1Ei") * 1000000 > "1Ei"`, `quantity("1e30") * 10 == nil`,
		`quantity("1e30") + quantity("1e30") == nil`, `quantity("-1e30") - quantity("1e30") == nil`,
		`quantity("-1") < 0`,
		`quantity(5) == 5`, `quantity(quantity("5")) == 5`, `quantity("1E") == 1000000000000000000`,
		`quantity("12e6") == "12M"`, `quantity(nil) == nil`, `quantity(object.x.null) == nil`,
		`quantity(object.x.nothing) == nil && object.x.int == 7`,
		`quantity(object.x.int) == 7`, `quantity(object.x.float) == "1500m"`,
		`quantity(object.x.huge) == nil`, `quantity(object.x.minus) == -3`,
		`quantity(object.x.empty) == nil`, `quantity(object.x.text) == nil`,
		`quantity(object.x.long) == nil`, `quantity(object.x.e) == nil`,
		`quantity(object.x.minusE) == nil`, `quantity(object.x.dots) == nil`,
		`quantity(object.x.ones) == nil`,
		`!(quantity(object.x.text) > 1) && !(quantity(object.x.text) < 1)`,
		`quantity(object.x.nothing) + quantity("1") == nil && object.x.int == 7`,
		`quantity("7") == object.x.int`, `quantity("7") != object.x.text`,
		`!(quantity("7") < object.x.text)`, `quantity("1500m") == object.x.float`,
		`quantity("1") * object.x.huge == nil`, `quantity("1") + object.x.huge == nil`,
		`quantity("1") < object.x.ones || object.x.int == 7`,
		`sum(object.x.nested, quantity(.q)) == quantity("1Gi") + 1.5`,
		`sum(object.x.nothing, quantity(.q)) == 0 && object.x.int == 7`,
		`sum(object.x.nested, quantity(.q)) > "1Gi"`, `sum([1, quantity("1"), 0.5]) == "2500m"`,
		`sum([0.5, quantity("1")]) == 1.5`,
		`sum(object.spec.containers, quantity(.resources.limits.memory)) == "576Mi"`,
		`sum(object.spec.containers, quantity(.resources.limits.cpu)) == 0.5`,
		`quantity("1") in [quantity("2"), quantity("1000m")]`, `quantity("1Gi") in ["1", "1024Mi"]`,
		`[quantity("1")] == [quantity("1000m")]`, `{"a": quantity("1")} == {"a": quantity("1")}`,
		`[quantity("1")] != [quantity("2")]`, `(quantity(object.spec.none) ?? quantity("1")) == 1`,
		`string(quantity("1024Mi")) == "1Gi"`,
		`let q = quantity("1Gi"); q > "1Mi" && "1Mi" < q && q != 5`, `quantity("1000m") == 1.0`,
		`quantity("1000000000n") == 1`, `!(quantity("1") == object.x.yes)`,
		`any(object.x.nested, quantity(.q) == 1.5)`,
	},
	"duration": {
		`duration("90s") == "1m30s"`, `duration("7d") == "168h"`, `duration("1d12h") == "36h"`,
		`duration("-30d") == "-720h"`, `duration("1.5d") == "36h"`,
		`duration("+1d") == duration("24h")`, `duration(duration("1h")) == "1h"`,
		`duration("1h") > "1m"`, `"1h" <= duration("1h")`,
		`duration(object.x.text) == nil`, `duration(object.x.empty) == nil`,
		`duration(object.x.null) == nil`, `duration(object.x.long) == nil`,
		`duration(object.x.dots) == nil`, `duration("1h") != object.x.text`,
		`duration("1h") * 2 == "2h"`, `duration("1h") + duration("1m") == "61m"`,
		`sum(object.x.nested, duration(.d)) == "1h"`,
		`sum([duration("1h"), duration("1m")]) == "61m"`, `duration("1h") in ["60m"]`,
		`date("2026-01-02") - date("2026-01-01") == duration("1d")`,
		`date("2026-01-01") + duration("1d") == date("2026-01-02")`,
		`string(duration("1d")) == "24h0m0s"`,
		`let d = duration("1h"); d > "1m" && d < "1d"`,
		`duration(annotation("example.com/timeout")) == "90s"`,
		`duration(annotation("none")) == nil`, `!(duration(annotation("none")) > "1s")`,
		`duration("0") == "0s"`,
	},
	"age": {
		`age() == "15m"`, `age() > "10m"`, `"1h" > age()`,
		`age(object.status.startTime) == "14m55s"`, `age("2026-01-02T03:00:00Z") == age()`,
		`age("2026-01-02T04:15:00+01:00") == "0s"`, `age("2026-01-03T03:15:00Z") == "-1d"`,
		`age(date("2026-01-02")) > "3h"`,
		`age(object.x.when) == "1h10m55s"`, `age(object.x.later) < "-3000d"`,
		`age(object.x.text) == nil`, `age(object.x.empty) == nil`, `age(object.x.null) == nil`,
		`age(object.x.long) == nil`, `!(age(object.x.text) > "1s")`,
		`age() > duration("10m") && age() < duration("20m")`, `age() in ["15m"]`,
		`age() * 2 == "30m"`, `age() + duration("1m") > "15m59s"`, `(age() > "1h" ? 1 : 2) == 2`,
	},
	"semver": {
		`semver("1.2.3") < semver("1.10.0")`, `semver("v1.2.3") == "1.2.3"`,
		`semver("1.28") == "1.28.0"`, `semver("2") > "1.99.99"`, `semver("1.2.3-rc.1") < "1.2.3"`,
		`semver("1.2.3-rc.1").prerelease == "rc.1"`, `semver("1.2.3").prerelease == ""`,
		`semver("1.2.3+build") == "1.2.3"`,
		`semver("1.2.3").major == 1 && semver("1.2.3").minor == 2 && semver("1.2.3").patch == 3`,
		`semver("1.2.3") in ["1.2", "v1.2.3"]`, `semver(object.x.text) == nil`,
		`semver(object.x.empty) == nil`, `semver(object.x.null) == nil`,
		`semver(object.x.long) == nil`, `semver(object.x.dots) == nil`,
		`semver(object.x.ones) == nil`, `semver(object.x.text).major == nil`,
		`!(semver(object.x.text) < "1")`, `semver(semver("1.2")) == "1.2"`,
		`semver(image(object.spec.containers[0].image).tag).minor == 2`,
		`string(semver("v1.2")) == "1.2.0"`, `"1.0" <= semver("1.2") < "2"`,
	},
	"ip": {
		`ip("10.1.2.3") == "10.1.2.3"`, `ip("::ffff:10.1.2.3") == ip("10.1.2.3")`,
		`ip("FD00::1") == "fd00:0::1"`, `ip("10.1.2.3") in cidr("10.0.0.0/8")`,
		`ip("10.1.2.3") in "10.0.0.0/8"`, `ip("::ffff:10.1.2.3") in "10.0.0.0/8"`,
		`ip("11.1.2.3") not in "10.0.0.0/8"`, `"10.1.2.3" in cidr("10.0.0.0/8")`,
		`ip("fe80::1%eth0") in "fe80::/10"`, `ip("10.0.0.1") not in "::/0"`,
		`ip("10.0.0.1") in "0.0.0.0/0"`,
		`ip(object.status.podIP) in cidr(cached("nodes", "", object.spec.nodeName).spec.podCIDR)`,
		`ip(object.x.text) == nil`, `ip(object.x.null) == nil`, `ip(object.x.long) == nil`,
		`ip(object.x.dots) == nil`,
		`any(object.x.ips, ip(#) in cidr("10.9.0.0/16"))`, `ip("10.9.9.9") in object.x.ips`,
		`ip("10.1.2.3") in object.x.networks[0]`, `!(ip("10.1.2.3") in object.x.networks[1])`,
		`!(ip("10.1.2.3") in object.x.nothing)`,
		`any(object.x.networks, ip("10.1.2.3") in cidr(#))`, `ip("10.1.2.3") in ["10.1.2.3"]`,
		`string(ip("FD00::1")) == "fd00::1"`, `ip("10.1.2.3") != object.x.text`,
		`object.x.ips[0] in cidr("10.0.0.0/8")`, `!(object.x.text in cidr("10.0.0.0/8"))`,
		`!(ip(object.x.text) in cidr("::/0"))`, `ip("1.2.3.4") != nil`,
	},
	"cidr": {
		`cidr("10.1.2.3/8") == "10.0.0.0/8"`, `cidr("::ffff:10.0.0.0/104") == cidr("10.0.0.0/8")`,
		`cidr("10.1.0.0/16") in "10.0.0.0/8"`, `cidr("10.0.0.0/8") in cidr("10.0.0.0/8")`,
		`cidr("10.0.0.0/8") not in cidr("10.1.0.0/16")`, `"10.1.0.0/16" in cidr("10.0.0.0/8")`,
		`cidr("fd00::/16") in "fc00::/7"`, `cidr("0.0.0.0/0") not in "::/0"`,
		`cidr(object.x.text) == nil`, `cidr(object.x.null) == nil`, `cidr(object.x.ips[0]) == nil`,
		`cidr(object.x.long) == nil`, `!(ip("::1") in cidr(object.x.text))`,
		`string(cidr("10.1.2.3/8")) == "10.0.0.0/8"`, `object.x.networks[0] in cidr("0.0.0.0/0")`,
	},
	"glob": {
		`glob("*", "")`, `glob("", "")`, `!glob("", "x")`, `!glob("?", "")`, `glob("?", "日")`,
		`!glob("?", "日本")`, `glob("??", "日本")`, `!glob("*??", "日")`, `glob("*?", "日")`,
		`glob("a*b*c", "aXbXbXc")`, `!glob("a*b*c", "aXbX")`, `glob("*a?c", "xxabcabc")`,
		`glob("a**b", "ab")`, `glob("*ab", "aab")`, `!glob("ab*ba", "aba")`,
		`glob("registry.*/shop/*", object.spec.containers[0].image)`, `!glob("web", "Web")`,
		`glob("[a]", "[a]")`, `!glob("[a]", "a")`, `glob("*日*", object.x.text)`,
		`!glob("*", object.x.null)`, `!glob(object.x.null, "x")`, `glob("1*1", object.x.long)`,
		`!glob("*2*", object.x.long)`, `glob(object.x.text + "*", object.x.text)`,
		`glob("web-" + "*", object.metadata.name)`, `glob("*?a?*", "xaax")`, `!glob("*?a?", "a")`,
	},
	"image": {
		`image("nginx").name == "docker.io/library/nginx"`,
		`image("nginx").registry == "docker.io" && image("nginx").repository == "library/nginx" && image("nginx").tag == "latest" && image("nginx").digest == nil`, `image("nginx:1.27").tag == "1.27"`,
		`image("team/app").name == "docker.io/team/app"`,
		`image("localhost/app").registry == "localhost"`,
		`image("registry.example.com:5000/a/b/c:v1").registry == "registry.example.com:5000"`,
		`image("registry.example.com:5000/a/b/c:v1").repository == "a/b/c"`,
		`image("index.docker.io/nginx") == image("nginx")`,
		`image("nginx@sha256:` + strings.Repeat("a", 64) + `").tag == nil`,
		`image("nginx:1@sha256:` + strings.Repeat("a", 64) + `").tag == "1"`,
		`image("nginx@sha256:` + strings.Repeat("a", 64) + `").digest == "sha256:` +
			strings.Repeat("a", 64) + `"`, `image("nginx") == "docker.io/library/nginx:latest"`,
		`image("nginx") != "nginx:1"`,
		`image(object.x.text) == nil`, `image(object.x.empty) == nil`,
		`image(object.x.null) == nil`, `image(object.x.long) == nil`, `image(object.x.dots) == nil`,
		`image(object.x.text).tag == nil`, `image(image("a")).tag == "latest"`,
		`string(image("a")) == "docker.io/library/a:latest"`, `image("a") in ["b", "a:latest"]`,
		`count(object.spec.containers, image(.image).registry == "registry.example.com") == 1`,
		`image("` + strings.Repeat("a/", 100) + `b").tag == "latest"`,
	},
	"variables": {`cluster == "prod-eu-1"`, `listener == "pods"`,
		`cluster + "/" + listener == "prod-eu-1/pods"`, `cluster matches "^prod"`,
		`any(["prod-eu-1"], # == cluster)`, `object.metadata.cluster == nil`,
		`cluster.name == cluster && cluster["name"] + "!" == "prod-eu-1!"`,
		`cluster.labels.region == "eu" && cluster?.labels?.region in ["eu", "us"]`,
		`cluster.labels["a.b/c"] == "" && cluster.labels["re" + "gion"] == "eu"`,
		`"region" in cluster.labels && "a.b/c" in cluster.labels && "zone" not in cluster.labels`,
		`cluster.labels.zone == nil && not (cluster.labels.zone startsWith "e")`,
		`(cluster.labels.zone ?? "none") == "none" && cluster.labels[object.spec.nodeName] == nil`,
		`len(cluster.labels) == 2 && keys(cluster.labels) == ["a.b/c", "region"]`,
		`cluster.labels == {"region": "eu", "a.b/c": ""}`,
		`let of = cluster.labels; of.region == "eu" && any(values(of), # == "")`,
		`any(["eu"], # == cluster.labels.region) && object.metadata.cluster.labels == nil`},
	"string": {`string(5) == "5"`, `string(1.5) == "1.5"`, `string(true) == "true"`,
		`string(nil) == nil`, `string(object.x.null) == nil`, `string(object.x.text) == "Grüße 日本"`,
		`string(1000000.0) == "1000000"`, `string(object.x.int) == "7"`,
		`string(date("2026-01-02")) == "2026-01-02T00:00:00Z"`},
	"sum": {`sum(object.x.nested, .none) == 0`, `sum([1, 2.5]) == 3.5`, `sum([2.5, 1]) == 3.5`,
		`sum([]) == 0`, `sum(object.x.list) == 1`, `sum([[1, 2], [3]], sum(#)) == 6`,
		`sum([1, 2], sum([1, 2])) == 6`, `sum([1, 2, 3], # > 1 ? sum([#, 1]) : nil) == 7`,
		`all([1, 2], sum([#, 1]) > 1)`},
}

func TestOwnFunctions(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	strange := event.Event{Op: event.Add, Object: filtertest.NewObject(t, odd)}
	for name, texts := range ownExpressions {
		for _, text := range texts {
			t.Run(name, func(t *testing.T) {
				e := filtertest.SampleEvaluator(t, filtertest.SampleSource(text), caches)
				about := ev
				if strings.Contains(text, "object.x.") {
					about = strange
				}
				for range 3 {
					if ok, err := e.Match(about); !ok || err != nil {
						t.Fatalf("%s: %v, %v", text, ok, err)
					}
				}
			})
		}
	}
}

// What is beyond 64 bits is an error, and no other number; what is at their ends is right. The
// oracle of generated expressions counts with any number of digits.
func TestNumbersAtTheirEnds(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	const most, least = "9223372036854775807", "(-9223372036854775807 - 1)"
	for text, fails := range map[string]bool{
		most + " + 0 == " + most:                                        false,
		most + " - 1 + 1 == " + most:                                    false,
		most + " + " + least + " == -1":                                 false,
		least + " * 1 == " + least:                                      false,
		"-1 * " + most + " - 1 == " + least:                             false,
		"3037000499 * 3037000499 > 0":                                   false,
		least + " % -1 == 0":                                            false,
		`duration("2562047h47m16.854775807s") * 1 > "0s"`:               false,
		`duration("2562047h47m16.854775807s") * 2 == nil`:               false,
		`duration("-2562047h47m16.854775808s") * -1 == nil`:             false,
		`duration("0s") - duration("-2562047h47m16.854775808s") == nil`: false,
		`sum([duration("2562047h"), duration("2562047h")]) == nil`:      false,
		most + " + 1 > 0":                                               true,
		"1 + " + most + " > 0":                                          true,
		least + " - 1 > 0":                                              true,
		most + " - -1 > 0":                                              true,
		"0 - " + least + " > 0":                                         true,
		"-" + least + " > 0":                                            true,
		"abs(" + least + ") > 0":                                        true,
		least + " * -1 > 0":                                             true,
		"-1 * " + least + " > 0":                                        true,
		most + " * 2 > 0":                                               true,
		"3037000500 * 3037000500 > 0":                                   true,
		"4294967296 * 4294967296 == 0":                                  true,
		"sum([" + most + ", 1]) > 0":                                    true,
		most + " + len(object.metadata.name) > 0":                       true,
	} {
		ok, err := filtertest.SampleEvaluator(t, filtertest.SampleSource(text), caches).Match(ev)
		if fails {
			if err == nil || !strings.Contains(err.Error(), "the result of ") {
				t.Errorf("%s: %v, %v", text, ok, err)
			}
		} else if !ok || err != nil {
			t.Errorf("%s: %v, %v", text, ok, err)
		}
	}
}

// became is only true of updates.
func TestBecameOfOtherEvents(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	e := filtertest.SampleEvaluator(t,
		filtertest.SampleSource(`became(object.status.phase == "Running")`), caches)
	for _, op := range event.Ops {
		ev.Op = op
		if ok, err := e.Match(ev); ok != (op == event.Update) || err != nil {
			t.Errorf("%s: %v, %v", op, ok, err)
		}
	}
	ev.Op, ev.Old = event.Update, nil
	if ok, err := e.Match(ev); ok || err != nil {
		t.Errorf("without the state before: %v, %v", ok, err)
	}
	if !e.UsesOld() {
		t.Error("became does not use old")
	}
}

// became reads old only after the condition was true of object.
func TestBecameReadsOldLast(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	e := filtertest.SampleEvaluator(t,
		filtertest.SampleSource(`became(object.status.phase == "Failed")`), caches)
	if ok, err := e.Match(ev); ok || err != nil || e.ReadOld() {
		t.Errorf("%v, %v, read old: %t", ok, err, e.ReadOld())
	}
}

// All of an expression sees one time, and a clock of the system if there is no other.
func TestTheClockIsReadOnceForAnEvent(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	e := filtertest.SampleEvaluator(t, filtertest.SampleSource(
		`age() == age() && all(1..100, age() == age(object.metadata.creationTimestamp))`), caches)
	read := 0
	e.Clock = func() time.Time { read++; return time.Date(2026, 1, 2, 3, 15, read, 0, time.UTC) }
	for want := 1; want < 4; want++ {
		if ok, err := e.Match(ev); !ok || err != nil || read != want {
			t.Errorf("%v, %v, the clock was read %d times, want %d", ok, err, read, want)
		}
	}
	e = filtertest.SampleEvaluator(t, filtertest.SampleSource(
		`age("2020-01-01T00:00:00Z") > "1d" && age("2920-01-01T00:00:00Z") < "0s"`), caches)
	e.Clock = nil
	if ok, err := e.Match(ev); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestLooksAtTheClock(t *testing.T) {
	for text, want := range map[string]bool{
		`age() > "1h"`: true, `age(object.x) == nil`: true, `object.age == 1`: false,
		`duration(object.x) > "1h"`: false, `date(object.x) == nil`: false,
		`became(age() > "1h")`: true,
	} {
		if got := filtertest.Compile(t, text).LooksAround(); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// What a field cannot be is nil, whatever it contains, and in a time that grows with its length
// alone.
func TestHugeInputs(t *testing.T) {
	texts := []string{
		"1e-2147483647", "1e2147483648", "1e-40", strings.Repeat("0", 63) + "1", "0." +
			strings.Repeat("0", 61) + "1",
		"1Ei1", "e", "E", "1e", ".", "-", "+", "\x00",
		strings.Repeat("a", 200) + ":" + strings.Repeat("b", 200) + "@sha256:" +
			strings.Repeat("c", 150), strings.Repeat("1", 30) + ".2.3", "1.2.3-" +
			strings.Repeat("a.", 120) + "b", strings.Repeat("99999d", 1), "106751d23h",
		"9223372036854775807ns", "::ffff:1.2.3.4/0",
	}
	for r := range values.ReaderCount {
		f := filtertest.Compile(t, fmt.Sprintf(
			`let x = %s(object.text); x == x && !(x == 5 && x == nil) && (x == nil || string(x) != nil)`, values.Readers[r].Name))
		e := f.Evaluator()
		match := func(text string) {
			var p object.Parser
			o, err := p.Parse(
				fmt.Appendf(nil, `{"apiVersion":"v1","kind":"X","metadata":{"name":"x"},"text":%q}`,
					strings.ReplaceAll(text, "\x00", "0")))
			if err != nil {
				t.Fatal(err)
			}
			if ok, err := e.Match(event.Event{Op: event.Add, Object: o}); !ok || err != nil {
				t.Errorf("%s(%.20q): %v, %v", values.Readers[r].Name, text, ok, err)
			}
		}
		for _, text := range texts {
			match(text)
		}
		for _, text := range []string{"9", "1.", "1:", "a/", "1h", "1d", "-"} {
			growth.Linear(t, 1<<17, func(n int) { match(strings.Repeat(text, n/len(text))) })
		}
		growth.Linear(t, 1<<17, func(n int) { match("1e" + strings.Repeat("9", n)) })
	}
}

// The values of many texts are not all kept, and are the same when read again.
func TestReadTextsAreForgotten(t *testing.T) {
	e := filtertest.Compile(t,
		`all(object.list, image("r.example/" + #).repository == # && quantity(#) == nil)`).Evaluator()
	var list []string
	for i := range 3 * eval.MaxKeptTexts {
		list = append(list, fmt.Sprintf(`"app%d"`, i))
	}
	ev := event.Event{Op: event.Add,
		Object: filtertest.NewObject(t, `{"list":[`+strings.Join(list, ",")+`]}`)}
	for range 3 {
		if ok, err := e.Match(ev); !ok || err != nil {
			t.Fatal(ok, err)
		}
		for r, memo := range e.KeptTexts() {
			if len(memo) > eval.MaxKeptTexts {
				t.Errorf("%s keeps %d texts", values.Readers[r].Name, len(memo))
			}
		}
	}
}

// The bytes of what an evaluation makes are bounded, whatever makes them.
func TestBudgetOfBytes(t *testing.T) {
	ev := event.Event{Op: event.Add,
		Object: filtertest.NewObject(t, fmt.Sprintf(`{"l":[%s1],"text":%q,"m":{"a":%q}}`,
			strings.Repeat("1,", 99), strings.Repeat("x", 60_000), strings.Repeat("y", 60_000)))}
	for _, text := range []string{
		`any(object.l, len(object.text + "x") == 0)`, `any(object.l, upper(object.text) == "")`,
		`any(object.l, ({"a": object.m} == {"a": object.l}))`, `any(object.l, len(0..9000) == 0)`,
		`any(object.l, len(map(0..5000, #)) == 0)`,
		`any(object.l, len(filter(0..5000, true)) == 0)`,
		`any(object.l, string(object.text + "") == "")`,
	} {
		e := filtertest.Compile(t, text).Evaluator()
		_, err := e.Match(ev)
		var ee *lang.EvalError
		if !errors.Is(err, lang.ErrBudget) || !errors.As(err, &ee) ||
			(ee.Message != "the expression made more than 4194304 bytes" &&
				!strings.Contains(ee.Message, "lists of more than")) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Workers share a filter's constants.
func TestConstantsAreShared(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	f, err := filters.Compile(filtertest.SampleSource(
		`all(1..20, quantity(missed * 0.0015) < quantity("1e20") && string(quantity("123456789012345678901234567")) != "" && sum([quantity("1e25"), quantity("1500m")]) > quantity("1e25") &&
		quantity("1e25") * 2 > "1e25" && quantity("1e25") - quantity("1e24") < "1e25" && semver("1.2.3") == "v1.2.3" && string(image("a")) == image("a") && ip("::1") in "::/8")`))
	if err != nil {
		t.Fatal(err)
	}
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			e := f.Evaluator()
			e.Caches = caches
			for range 20 {
				if ok, err := e.Match(ev); !ok || err != nil {
					t.Error(ok, err)
					return
				}
			}
		})
	}
	workers.Wait()
}

// A pattern and a text that match nowhere cost no more steps than there are.
func TestGlobIsBounded(t *testing.T) {
	ev := event.Event{Op: event.Add,
		Object: filtertest.NewObject(t, fmt.Sprintf(`{"text":%q}`, strings.Repeat("a", 1_000_000)))}
	e := filtertest.Compile(t, `glob("*`+strings.Repeat("a?", 400)+`b*", object.text)`).Evaluator()
	if ok, err := e.Match(ev); ok || !errors.Is(err, lang.ErrBudget) {
		t.Errorf("%v, %v", ok, err)
	}
	e = filtertest.Compile(t, `glob("`+strings.Repeat("*a", 300)+`*b", object.text)`).Evaluator()
	if ok, err := e.Match(ev); ok || (err != nil && !errors.Is(err, lang.ErrBudget)) {
		t.Errorf("%v, %v", ok, err)
	}
}

func TestOwnFunctionsDoNotAllocateAfterWarmUp(t *testing.T) {
	ev, caches := filtertest.Sample(t)
	for _, text := range []string{
		`became(object.status.phase == "Running")`, `condition("Ready").status == "True"`,
		`owner("ReplicaSet").name == "web-7d9c"`,
		`image(object.spec.containers[0].image).tag == "1.2.3"`,
		`quantity(object.spec.containers[0].resources.limits.memory) > quantity("256Mi")`,
		`quantity(object.spec.containers[0].resources.limits.memory) >= "512Mi"`,
		`semver(image(object.spec.containers[0].image).tag) >= "1.2"`,
		`ip(object.status.podIP) in "10.0.0.0/8"`,
		`glob("registry.*/shop/*:1.?.3", object.spec.containers[0].image)`,
		`cluster == "prod-eu-1" && duration(annotation("example.com/timeout")) > "1m"`,
		`cached("nodes", "", object.spec.nodeName).spec.unschedulable && cached("nodes", "", object.spec.nodeName) != nil`, `sum(object.status.containerStatuses, .restartCount) == 9`,
	} {
		e := filtertest.SampleEvaluator(t, filtertest.SampleSource(text), caches)
		if n := testing.AllocsPerRun(100, func() {
			if ok, err := e.Match(ev); !ok || err != nil {
				t.Fatal(text, ok, err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}
